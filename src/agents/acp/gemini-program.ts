/**
 * Gemini CLI. Two traps: its launcher starts it a second time and ignores SIGTERM, unless told not to; and a session
 * that is loaded in the same minute in which it began is not found and erased, because both write to a file that is
 * named after the minute. So the program waits for the next one.
 */
import { readdirSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { geminiPolicy, hasSystemPolicies, hasUserPolicies } from "./gemini-policy.ts";
import type { AcpProgram } from "./program.ts";

const MINUTE_MS = 60_000;
/** Past the turn of the minute, for a clock that is read twice. */
const MARGIN_MS = 500;

export const geminiProgram: AcpProgram = {
  stateOf: "gemini",
  setEnv: { GEMINI_CLI_NO_RELAUNCH: "true" },
  restrain: (session) => ({
    args: () => {
      const policy = geminiPolicy({ ...session, hasOwnPolicies: hasUserPolicies() });
      return ["--admin-policy", session.keepFile("policy.toml", policy)];
    },
    // In others its tools for changes ask nobody, whatever a policy says.
    mode: "default",
    guard: hasSystemPolicies()
      ? { guard: "unguarded", detail: "policies of this machine's administrator stand above ours" }
      : { guard: session.isWritable ? "asks_first" : "own_mode" },
  }),
  authMethod: (hasVariable) => (hasVariable("GEMINI_API_KEY") ? "gemini-api-key" : undefined),
  loginHint: 'Start "gemini" once and log in, or export GEMINI_API_KEY and start Roundtable again.',
  canSteer: false,
  doToolsLeadGroups: true,
  // None of the commands that it takes over ACP does it; when its window fills it compacts by itself.
  compactCommand: null,
  silenceWarnMs: 20_000,
  toolsMs: 3_000,
  toolsHint: 'It uses tool servers only in directories that it trusts: start "gemini" there once and say so.',
  waitMs: (sessionId, nowMs) => waitForNextMinute(sessionFileNames(sessionId), sessionId, nowMs),
};

/** Zero when no file of this session is named after the present minute. */
export function waitForNextMinute(fileNames: readonly string[], sessionId: string, nowMs: number): number {
  const minute = new Date(nowMs).toISOString().slice(0, 16).replace(":", "-");
  const start = `session-${minute}-${sessionId.slice(0, 8)}.`;
  if (!fileNames.some((name) => name.startsWith(start))) return 0;
  return MINUTE_MS - (nowMs % MINUTE_MS) + MARGIN_MS;
}

/** Sessions lie in one folder for each project. */
function sessionFileNames(sessionId: string): string[] {
  const projects = path.join(homedir(), ".gemini", "tmp");
  return listFolder(projects)
    .flatMap((project) => listFolder(path.join(projects, project, "chats")))
    .filter((name) => name.includes(sessionId.slice(0, 8)));
}

function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Not a folder, or not there: then it holds no session.
    return [];
  }
}
