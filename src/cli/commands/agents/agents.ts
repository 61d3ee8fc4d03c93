/**
 * `agents`: all available agents, where each was found, its abilities and problems, and the default members.
 * `agents test`: one short turn with one of them.
 * Only these two start agent programs; the list for a server starts nothing.
 */
import type { MemberSpec } from "../../../protocol/index.ts";
import { systemClock } from "../../../kit/clock.ts";
import { terminalSafeLine } from "../../../kit/text/terminal-safe.ts";
import type { CommonFlags } from "../../flags.ts";
import { jsonLine } from "../../ask/output.ts";
import { listenForStops } from "../../terminal/stop-signals.ts";
import { memberEnvironmentFor, memberSandboxFor } from "../../config/member-process.ts";
import { loadConfig, type LoadedConfig } from "../../config/load-config.ts";
import { nearestName } from "../../../kit/text/nearest-name.ts";
import { dataDirectory, workingDirectory } from "../../config/paths.ts";
import { existingDataDirectory } from "../../config/data-directory.ts";
import { embedded, embeddedMembers } from "../../edges.ts";
import { exitCodes, type ExitCode } from "../../../kit/exit-codes.ts";
import { noteLine, usageFailure } from "../../../kit/failure.ts";
import { knownMembers } from "../../members/members.ts";
import { note, stdout } from "../../terminal/stdout.ts";
import { settingsFromFlags } from "../../sessions/defaults.ts";
import { examples, type DeclareCommand } from "../command.ts";
import { toSeconds } from "../option-values.ts";
import { addCommonOptions, addConfigOption, withOptionsAbove } from "../options.ts";
import { formatAgents, type Row } from "./format-agents.ts";
import { readGuards, type GuardsHere } from "./guard-report.ts";
import { withSpecs, listAll, type ListedAgent } from "./list.ts";
import { runTrial, type Trial } from "./trial.ts";

type ListFlags = CommonFlags & { json?: boolean };
type TestFlags = CommonFlags & { json?: boolean; timeout?: number };

export const declareAgents: DeclareCommand = (command, run) => {
  command
    .option("--json", "the list as JSON")
    .addHelpText(
      "after",
      examples([
        "roundtable agents",
        "roundtable agents --json | jq '.agents[].name'",
        "roundtable agents test claude",
      ]),
    );
  addConfigOption(command);
  addCommonOptions(command);
  command.action(async (flags: ListFlags) => run(flags, listAgents));
  const test = command
    .command("test")
    .description("run one short turn with a member: time to first text, answer, usage, errors")
    .argument("<name>", "a configured, built-in or detected member");
  test
    .option("--json", "the result as JSON")
    .option("--timeout <seconds>", "stop after this time and exit with 3", toSeconds)
    .addHelpText("after", examples(["roundtable agents test claude", "roundtable agents test codex --timeout 20"]));
  addConfigOption(test);
  addCommonOptions(test);
  test.action(async (name: string, flags: TestFlags) =>
    run(withOptionsAbove(command.opts<CommonFlags>(), flags), (all) => testAgent(name, all)),
  );
};

async function listAgents(flags: ListFlags): Promise<ExitCode> {
  const stop = new AbortController();
  const stops = listenForStops(() => stop.abort(), leave);
  const { agents, absent, unanswered, sandbox, warnings } = await examinedAgents(flags, stop.signal);
  stops.release();
  if (stop.signal.aborted) return exitCodes.interrupted;
  for (const warning of warnings) note(noteLine(warning));
  const text = formatAgents(agents, absent, sandbox);
  stdout.write(flags.json === true ? jsonLine({ agents, absent, unanswered, sandbox }) : text);
  if (flags.json !== true && unanswered.length > 0) note(noteLine(`no answer in time from ${unanswered.join(", ")}`));
  return exitCodes.ok;
}

/** All available agents, with version, login and problems. */
export async function examinedAgents(flags: CommonFlags, signal = new AbortController().signal) {
  const loaded = loadConfigOf(flags);
  const { findAgents } = await import("../../../agents/index.ts");
  const findings = await findAgents({
    env: process.env,
    cwd: loaded.cwd,
    examine: {
      dataDir: checkedDataDirectory(flags),
      members: [...knownMembers(loaded.config, embeddedMembers).values()],
      signal,
    },
  });
  const { unanswered, examination = { agents: [], absent: [] } } = findings;
  const [listed, guards] = await Promise.all([listAll(loaded, findings), readGuards(loaded)]);
  const agents = listed.flatMap(({ spec: _spec, ...one }): Row[] => {
    const examined = examination.agents.find(({ name }) => name === one.name);
    if (examined === undefined) return [];
    const guard = guards.of(one);
    return [{ ...one, ...examined, ...(guard === undefined ? {} : { guard }) }];
  });
  return { agents, absent: examination.absent, unanswered, sandbox: guards.sandbox, warnings: loaded.warnings };
}

/** The expected guard of each member; starts no programs. */
export async function guardsHere(flags: CommonFlags): Promise<GuardsHere> {
  const loaded = loadConfigOf(flags);
  const { findAgents } = await import("../../../agents/index.ts");
  const [listed, guards] = await Promise.all([
    findAgents({ env: process.env, cwd: loaded.cwd }).then((findings) => listAll(loaded, findings)),
    readGuards(loaded),
  ]);
  const members = listed.map(({ name, kind }) => ({ name, guard: guards.of({ name, kind }) }));
  return { sandbox: guards.sandbox, guards: members.filter(({ guard }) => guard !== undefined) };
}

/** Agents for clients of the server. Reads the configuration each time and starts no programs. */
export async function findListedAgents(flags: CommonFlags): Promise<(ListedAgent & MemberSpec)[]> {
  const loaded = loadConfigOf(flags);
  const { findAgents } = await import("../../../agents/index.ts");
  return withSpecs(await listAll(loaded, await findAgents({ env: process.env, cwd: loaded.cwd })));
}

/** It need not exist; if it does, it must be private to the user. */
function checkedDataDirectory(flags: CommonFlags): string {
  const directory = dataDirectory(process.env, flags.dataDir, process.cwd());
  return existingDataDirectory(directory) ?? directory;
}

const TRIAL_SECONDS = 60;

async function testAgent(name: string, flags: TestFlags): Promise<ExitCode> {
  const loaded = loadConfigOf(flags);
  for (const warning of loaded.warnings) note(noteLine(warning));
  const { createAgents } = await import("../../../agents/index.ts");
  const spec = await findMember(name, loaded);
  const stop = new AbortController();
  const stops = listenForStops(() => stop.abort(), leave);
  const { overrides } = settingsFromFlags(flags);
  const { factory } = createAgents({
    dataDir: checkedDataDirectory(flags),
    embedded,
    environmentFor: (cwd, member) => memberEnvironmentFor({ cwd, member }, process.env, overrides),
    // One turn with our own question, requested by name: no consent needed.
    sandboxFor: (cwd, member) => ({
      ...memberSandboxFor({ cwd, member }, process.env, overrides),
      mayWorkUnguarded: true,
    }),
  });
  const trial = await runTrial({
    agent: factory(spec, { sessionId: "trial", cwd: workingDirectory(flags.directory), writable: false }),
    timeoutMs: (flags.timeout ?? TRIAL_SECONDS) * 1000,
    clock: systemClock,
    signal: stop.signal,
  });
  stops.release();
  stdout.write(
    flags.json === true ? jsonLine({ name: spec.name, kind: spec.kind, ...trial }) : formatTrial(spec, trial),
  );
  return exitByOutcome[trial.outcome];
}

const exitByOutcome: Readonly<Record<Trial["outcome"], ExitCode>> = {
  answered: exitCodes.ok,
  failed: exitCodes.failure,
  timed_out: exitCodes.timeout,
  interrupted: exitCodes.interrupted,
};

/** Second Ctrl+C: exit at once. Processes still running are marked, and the next run ends them. */
function leave(): void {
  process.exit(exitCodes.interrupted);
}

function loadConfigOf(flags: CommonFlags): LoadedConfig {
  const cwd = workingDirectory(flags.directory);
  return loadConfig({ cwd, env: process.env, overrides: settingsFromFlags(flags).overrides });
}

/** A configured or built-in member, else a detected one. */
async function findMember(name: string, { config, cwd }: LoadedConfig): Promise<MemberSpec> {
  const { findAgents } = await import("../../../agents/index.ts");
  const known = knownMembers(config, embeddedMembers);
  const wanted = name.replace(/^@/, "");
  const configured = known.get(wanted);
  if (configured !== undefined) return configured;
  const { agents } = await findAgents({ env: process.env, cwd });
  const spec = agents.map((one) => one.spec).find((one) => one.name === wanted);
  if (spec !== undefined) return spec;
  const names = [...known.keys(), ...agents.map((one) => one.spec.name)];
  const near = nearestName(wanted, names);
  throw usageFailure(
    `there is no member "${wanted}" on this machine`,
    `Available: ${names.join(", ")}.${near === undefined ? "" : ` Did you mean "${near}"?`} Run "roundtable agents" to see how to install others.`,
  );
}

const ANSWER_CHARS_SHOWN = 200;

function formatTrial(spec: MemberSpec, trial: Trial): string {
  const { outcome, firstTextMs, totalMs, answer, usage, error, warnings } = trial;
  const shown = answer.length > ANSWER_CHARS_SHOWN ? `${answer.slice(0, ANSWER_CHARS_SHOWN)} …` : answer;
  const tokens = usage === undefined ? "not reported" : `${usage.inputTokens} tokens in, ${usage.outputTokens} out`;
  const cost = usage?.costUsd === undefined ? "" : `, $${usage.costUsd.toFixed(4)}`;
  const lines = [
    `${spec.name} (${spec.kind}): ${outcome.replace("_", " ")}`,
    `  first text  ${firstTextMs === undefined ? "none" : `${Math.round(firstTextMs)} ms`}`,
    `  total time  ${Math.round(totalMs)} ms`,
    `  answer      ${shown === "" ? "none" : shown}`,
    `  usage       ${tokens}${cost}`,
    ...warnings.map((warning) => `  warning     ${warning}`),
    ...(error === undefined ? [] : [`  error       ${error.message}`]),
    ...(error?.detail === undefined ? [] : [`  detail      ${error.detail.slice(-ANSWER_CHARS_SHOWN)}`]),
    ...(error?.hint === undefined ? [] : [`  what to do  ${error.hint}`]),
    ...(outcome === "failed" ? ["  see also    roundtable agents shows what each member is missing"] : []),
  ];
  return lines.map((line) => `${terminalSafeLine(line).trimEnd()}\n`).join("");
}
