/**
 * Gemini CLI. Three traps: its launcher starts it a second time and ignores SIGTERM, unless told not to; a session
 * that is loaded in the same minute in which it began is not found and erased, because both write to a file that is
 * named after the minute, so the program waits for the next one; and a session that was loaded once is erased by the
 * next start, unless the empty file that loading leaves is removed.
 */
import path from "node:path";
import { geminiPolicy, hasSystemPolicies, hasUserPolicies } from "./policy.ts";
import { geminiHome, removeEmptyCopies, sessionFiles } from "./sessions.ts";
import type { AcpProgram } from "../program.ts";

const MINUTE_MS = 60_000;
/** Past the turn of the minute, for a clock that is read twice. */
const MARGIN_MS = 500;

export const geminiProgram: AcpProgram = {
  stateOf: "gemini",
  setEnv: { GEMINI_CLI_NO_RELAUNCH: "true" },
  restrain: (session) => ({
    args: () => {
      const policy = geminiPolicy({ ...session, hasOwnPolicies: hasUserPolicies(geminiHome(session.environment)) });
      return ["--admin-policy", session.writeFile("policy.toml", policy)];
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
  cleanUpSession: (sessionId, environment) => removeEmptyCopies(sessionId, geminiHome(environment)),
  waitMs(sessionId, nowMs, environment) {
    const files = sessionFiles(sessionId, geminiHome(environment)).flat();
    return waitForNextMinute(
      files.map((file) => path.basename(file)),
      sessionId,
      nowMs,
    );
  },
};

/** Zero when no file of this session is named after the present minute. */
export function waitForNextMinute(fileNames: readonly string[], sessionId: string, nowMs: number): number {
  const minute = new Date(nowMs).toISOString().slice(0, 16).replace(":", "-");
  const start = `session-${minute}-${sessionId.slice(0, 8)}.`;
  if (!fileNames.some((name) => name.startsWith(start))) return 0;
  return MINUTE_MS - (nowMs % MINUTE_MS) + MARGIN_MS;
}
