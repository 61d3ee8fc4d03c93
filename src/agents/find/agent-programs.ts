/**
 * Agent programs on PATH, by name. None of them is ever started: a version number is not worth running a program that
 * merely has the right name.
 */
import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import type { MemberSpec } from "../../protocol/index.ts";
import { programCandidates } from "../process/find-program.ts";

export interface AgentProgram {
  readonly spec: MemberSpec;
  /** The names it goes by, the surest first. */
  readonly commands: readonly string[];
  /** Tells the program from others of the same name by where its file really lies. */
  readonly isIt?: (realPath: string) => boolean;
}

export const agentPrograms: readonly AgentProgram[] = [
  { spec: { name: "claude", kind: "claude" }, commands: ["claude"] },
  { spec: { name: "codex", kind: "codex" }, commands: ["codex"] },
  { spec: { name: "cursor", kind: "cursor" }, commands: ["cursor-agent", "agent"], isIt: isCursor },
  { spec: { name: "pi", kind: "pi" }, commands: ["pi"] },
  { spec: { name: "opencode", kind: "opencode" }, commands: ["opencode"] },
  { spec: { name: "gemini", kind: "acp", command: ["gemini", "--acp"] }, commands: ["gemini"] },
];

/** `agent` may be anybody's, and the package `cursor-agent` of the npm registry is an unrelated project. */
function isCursor(realPath: string): boolean {
  return /cursor/i.test(realPath) && !/[\\/]node_modules[\\/]/.test(realPath);
}

/** Null when it is not there. Never rejects; a folder that does not answer keeps it waiting. */
export async function findAgentProgram(
  program: AgentProgram,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | null> {
  const place = { PATH: env["PATH"], PATHEXT: env["PATHEXT"] };
  for (const candidate of program.commands.flatMap((command) => programCandidates(command, place))) {
    if (await isRunnable(candidate, program.isIt)) return candidate;
  }
  return null;
}

async function isRunnable(candidate: string, isIt: AgentProgram["isIt"]): Promise<boolean> {
  try {
    await access(candidate, constants.X_OK);
    return (await stat(candidate)).isFile() && (isIt === undefined || isIt(await realpath(candidate)));
  } catch {
    // Not there or not to be run: the next folder may have it.
    return false;
  }
}
