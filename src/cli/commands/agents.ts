/** `agents`: everyone who could sit down, where each was found, and who does when nobody says otherwise. Starts nothing. */
import type { Findings } from "../../agents/index.ts";
import type { AgentKind, MemberSpec } from "../../protocol/index.ts";
import { terminalSafeLine } from "../../kit/terminal-safe.ts";
import type { CommonFlags } from "../args.ts";
import { jsonLine } from "../ask/output.ts";
import { loadConfig, type LoadedConfig } from "../config/load-config.ts";
import { exitCodes, type ExitCode } from "../exit-codes.ts";
import { noteLine } from "../failure.ts";
import { chooseMembers, isTableConfigured, knownMembers } from "../members.ts";
import { defaultMembers } from "../seating.ts";
import { note, stdout } from "../stdout.ts";
import { workingDirectory } from "../working-directory.ts";

interface ListedAgent {
  name: string;
  kind: AgentKind;
  foundBy: "built-in" | "configuration" | "program" | "key" | "server";
  where: string;
  canBeSeated: boolean;
  whyNot?: string;
  /** In a new session, as things are configured now. */
  sitsDown: boolean;
}

export async function listAgents(flags: CommonFlags & { json?: boolean }): Promise<ExitCode> {
  const { agents, unanswered, warnings } = await lookForAgents(flags);
  for (const warning of warnings) note(noteLine(warning));
  stdout.write(flags.json === true ? jsonLine({ agents, unanswered }) : table(agents));
  if (flags.json !== true && unanswered.length > 0) note(noteLine(`no answer in time from ${unanswered.join(", ")}`));
  return exitCodes.ok;
}

/** The same for a program that asks the server; what is configured is read anew each time. */
export async function findListedAgents(flags: CommonFlags): Promise<ListedAgent[]> {
  return (await lookForAgents(flags)).agents;
}

async function lookForAgents(flags: CommonFlags) {
  const loaded = loadConfig({ cwd: workingDirectory(flags.directory), env: process.env });
  const { findAgents } = await import("../../agents/index.ts");
  const findings = await findAgents({ env: process.env });
  const agents = await listed(loaded, findings);
  return { agents, unanswered: findings.unanswered, warnings: loaded.warnings };
}

/** A configured agent stands for whoever else goes by its name. */
async function listed({ config, settings }: LoadedConfig, findings: Findings): Promise<ListedAgent[]> {
  const { embeddedMembers, whyNotSeated } = await import("../../agents/index.ts");
  const originOf = (path: string) => settings.find((setting) => setting.path === path)?.origin ?? "the configuration";
  const seated = isTableConfigured(config)
    ? chooseMembers(config, embeddedMembers, originOf("council.members"))
    : defaultMembers(findings, embeddedMembers);
  const describe = (spec: MemberSpec, foundBy: ListedAgent["foundBy"], where: string): ListedAgent => {
    const { name, kind } = spec;
    const whyNot = whyNotSeated(kind);
    const why = whyNot === undefined ? {} : { whyNot };
    const sitsDown = seated.some((one) => one.name === name);
    return { name, kind, foundBy, where, canBeSeated: whyNot === undefined, ...why, sitsDown };
  };
  const known = knownMembers(config, embeddedMembers);
  return [
    ...[...known.values()].map((spec) =>
      Object.hasOwn(config.agents, spec.name)
        ? describe(spec, "configuration", originOf(`agents.${spec.name}`))
        : describe(spec, "built-in", "built in"),
    ),
    ...findings.found
      .filter(({ spec }) => !known.has(spec.name))
      .map(({ spec, foundBy, where }) => describe(spec, foundBy, where)),
  ];
}

function table(agents: readonly ListedAgent[]): string {
  const rows = [
    ["NAME", "KIND", "SEAT", "WHERE"],
    ...agents.map((one) => [one.name, one.kind, seatOf(one), one.where]),
  ];
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "))
    .map((line) => `${terminalSafeLine(line).trimEnd()}\n`)
    .join("");
}

function seatOf({ canBeSeated, sitsDown }: ListedAgent): string {
  if (!canBeSeated) return "not in this version";
  return sitsDown ? "sits down" : "by name";
}
