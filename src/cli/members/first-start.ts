/** Introduction at the first start in a data directory: detected agents and default members. */
import { opendirSync } from "node:fs";
import { join } from "node:path";
import type { Findings } from "../../agents/index.ts";
import { terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import type { MemberSpec } from "../../protocol/index.ts";

/** True until a session was stored there. */
export function isFirstStart(dataDir: string): boolean {
  try {
    const logs = opendirSync(join(dataDir, "logs"));
    try {
      for (let entry = logs.readSync(); entry !== null; entry = logs.readSync()) {
        if (entry.name.endsWith(".jsonl") || entry.name.endsWith(".jsonl.zst")) return false;
      }
    } finally {
      logs.closeSync();
    }
    return true;
  } catch (error) {
    // An unreadable directory is not a first start; the run itself reports the error.
    return (error as NodeJS.ErrnoException).code === "ENOENT";
  }
}

export interface FirstStart {
  findings: Findings;
  members: readonly MemberSpec[];
  configFile: string;
}

export function firstStartBlock({ findings, members, configFile }: FirstStart): string {
  const { agents, unanswered } = findings;
  const agentLabels = agents.map(({ spec, source, where }) => (source === "key" ? where : `${spec.name} (${where})`));
  const cannot = agents.filter((one) => !one.isSupported).map((one) => one.spec.name);
  const loggedOut = agents.flatMap(({ spec, logIn }) => (logIn === undefined ? [] : [`${spec.name} (${logIn})`]));
  const isBuiltIn = members.every((spec) => spec.kind === "embedded");
  const about = isBuiltIn ? ": built in, rule-based, without model, key or network" : "";
  const lines = [
    "Welcome to Roundtable. No members are configured.",
    `  found      ${listed(agentLabels) || "no agent program on PATH, no API key, no local model server"}`,
    `  members    ${listed(members.map((spec) => spec.name))}${about}`,
    ...(cannot.length === 0 ? [] : [`  not yet    ${listed(cannot)}: not supported by this version`]),
    ...(loggedOut.length === 0 ? [] : [`  log in     ${listed(loggedOut)}`]),
    ...(unanswered.length === 0 ? [] : [`  no answer  ${listed(unanswered)}`]),
    `  change it  --members NAMES, or council.members in ${configFile}`,
    "             roundtable agents lists all agents; roundtable config show --origin shows every setting",
  ];
  return lines.map((line) => `${terminalSafeLine(line)}\n`).join("");
}

function listed(names: readonly string[]): string {
  return names.join(", ");
}
