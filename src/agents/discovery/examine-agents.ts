/**
 * Everything known about agents without asking a model: version, login, abilities, problems. Starts each program once
 * for its version, so it runs only on request.
 */
import type { Clock } from "../../kit/clock.ts";
import type { MemberSpec } from "../../protocol/index.ts";
import { capabilitiesOf } from "../kinds.ts";
import { findProgram } from "../process/launch/find-program.ts";
import { createProcessRecords, type ProcessRecords } from "../process/tracking/process-records.ts";
import { chooseProcessList } from "../process/list/choose-process-list.ts";
import {
  findAgentProgram,
  isNameOf,
  programOf,
  programFacts,
  type AgentProgram,
  type ProgramFacts,
} from "./agent-programs.ts";
import { askVersion, isOlder } from "./ask-version.ts";
import { logInCommand, programLogin, serverLogin, type LoginState } from "./login-state.ts";

export interface Abilities {
  readonly steer: boolean;
  readonly tools: boolean;
  readonly approvals: boolean;
  readonly resume: boolean;
  readonly ourTools: boolean;
}

export interface ExaminedAgent {
  readonly name: string;
  /** Absent when not found, or when the kind has no program. */
  readonly program?: string;
  readonly version?: string;
  readonly whyNoVersion?: string;
  readonly isTooOld: boolean;
  readonly login: LoginState;
  /** Absent when this version does not support the kind. */
  readonly abilities?: Abilities;
  /** Problems, each with its fix. */
  readonly lacks: readonly Lack[];
}

export interface Lack {
  readonly what: string;
  /** Command to type. */
  readonly command?: string;
}

export interface ExamineOptions {
  /** Marks started programs, so that the next host ends them if this process dies. */
  readonly dataDir: string;
  /** Configured members; a discovered one with the same name is dropped. */
  readonly members?: readonly MemberSpec[];
  readonly versionMs?: number;
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
}

interface ExamineContext extends ExamineOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string | undefined;
  readonly records: ProcessRecords;
}

export async function examineAgents(
  specs: readonly MemberSpec[],
  options: ExamineOptions & Pick<ExamineContext, "env" | "cwd">,
): Promise<ExaminedAgent[]> {
  const records = createProcessRecords({ dataDir: options.dataDir, processes: chooseProcessList() });
  return Promise.all(specs.map((spec) => examine(spec, { ...options, records })));
}

async function examine(spec: MemberSpec, context: ExamineContext): Promise<ExaminedAgent> {
  const { name, kind } = spec;
  const abilities = abilitiesOf(spec);
  const able = abilities === undefined ? {} : { abilities };
  if (kind === "embedded") return { name, isTooOld: false, login: { state: "not needed" }, ...able, lacks: [] };
  if (kind === "openai") {
    const login = serverLogin(spec, context.env);
    return { name, isTooOld: false, login, ...able, lacks: login.state === "no" ? [unsetKey(spec)] : [] };
  }
  const known = programOf(spec);
  const facts = known === undefined ? undefined : programFacts[known.spec.name];
  return { name, ...able, ...(await examineProgram(spec, known, facts, context)) };
}

async function examineProgram(
  spec: MemberSpec,
  known: AgentProgram | undefined,
  facts: ProgramFacts | undefined,
  context: ExamineContext,
): Promise<Omit<ExaminedAgent, "name" | "abilities">> {
  const located = await locate(spec, known, context);
  if (known === undefined || facts === undefined) {
    const lacks = "path" in located ? [] : [{ what: located.whyNot }];
    return { ...programAt(located), isTooOld: false, login: { state: "unknown" }, lacks };
  }
  const login = await programLogin(known, facts, context.env);
  if (!("path" in located)) {
    return { isTooOld: false, login, lacks: [{ what: located.whyNot, command: facts.install }] };
  }
  const versionResult = await readVersion(spec, known, facts, located.path, context);
  const version = "version" in versionResult ? versionResult.version : undefined;
  const { oldest } = facts;
  const isTooOld = version !== undefined && oldest !== undefined && isOlder(version, oldest.version);
  const lacks: Lack[] = [];
  if (isTooOld) {
    const what = `version ${version} is older than ${oldest.version}, the oldest known to work in the mode ${oldest.mode}`;
    lacks.push({ what, command: facts.install });
  }
  if (login.state === "no") lacks.push({ what: "not logged in", command: logInCommand(facts, context.env) });
  if ("whyNoVersion" in versionResult) lacks.push({ what: `version unknown: ${versionResult.whyNoVersion}` });
  return { program: located.path, ...versionResult, isTooOld, login, lacks };
}

type Located = { readonly path: string } | { readonly whyNot: string };

async function locate(
  spec: MemberSpec,
  known: AgentProgram | undefined,
  { env, cwd }: ExamineContext,
): Promise<Located> {
  const command = spec.command?.[0];
  if (command === undefined || (known !== undefined && known.commands.includes(command))) {
    const path = known === undefined ? undefined : await findAgentProgram(known, env, cwd);
    return path === undefined ? { whyNot: `"${known?.commands[0] ?? spec.kind}" is not on PATH` } : { path };
  }
  const program = findProgram(command, { PATH: env["PATH"], PATHEXT: env["PATHEXT"], cwd });
  return program.ok ? { path: program.path } : { whyNot: program.message };
}

function programAt(located: Located): { program?: string } {
  return "path" in located ? { program: located.path } : {};
}

/** A wrapper command would report its own version. */
async function readVersion(
  spec: MemberSpec,
  known: AgentProgram,
  facts: ProgramFacts,
  program: string,
  { env, records, versionMs, clock, signal }: ExamineContext,
): Promise<{ version: string } | { whyNoVersion: string }> {
  const command = spec.command?.[0];
  if (command !== undefined && !isNameOf(known, command)) {
    return { whyNoVersion: `"${command}" is not run, because it does not have the program's name` };
  }
  const answer = await askVersion({
    member: spec.name,
    program,
    env,
    set: facts.quiet,
    marker: records.marker(spec.name),
    processes: records.processes,
    ...(versionMs === undefined ? {} : { timeoutMs: versionMs }),
    ...(clock === undefined ? {} : { clock }),
    ...(signal === undefined ? {} : { signal }),
  });
  return "version" in answer ? answer : { whyNoVersion: answer.whyNot };
}

function abilitiesOf(spec: MemberSpec): Abilities | undefined {
  const capabilities = capabilitiesOf(spec);
  if (capabilities === undefined) return undefined;
  const { steer, tools, requests, keepsContext } = capabilities;
  // Only when it speaks ACP, which is when it can ask.
  const ourTools = HAVE_OUR_TOOLS.has(spec.kind) || (spec.kind === "cursor" && requests);
  return { steer, tools, approvals: requests, resume: keepsContext, ourTools };
}

/** Kinds that get our host tools, in process or from our MCP server. */
const HAVE_OUR_TOOLS: ReadonlySet<MemberSpec["kind"]> = new Set([
  "embedded",
  "openai",
  "claude",
  "codex",
  "pi",
  "opencode",
  "acp",
]);

function unsetKey(spec: MemberSpec): Lack {
  const variable = spec.env?.[0] ?? "the key";
  return { what: `${variable} is not set`, command: `export ${variable}=...` };
}
