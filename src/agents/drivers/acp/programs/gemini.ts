/**
 * Gemini CLI. Three traps: its launcher starts it a second time and ignores SIGTERM, unless told not to; a session that
 * is loaded in the minute in which it was created is lost, because both write to a file named after the minute, so the
 * program has to wait for the next one; and a session that was loaded once is deleted by the next start, unless the
 * empty file that loading leaves is removed.
 */
import path from "node:path";
import { readdirSync, closeSync, readSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import type { AcpProgram } from "./program.ts";
import { openOwnFile } from "../../../../kit/files/own-file.ts";
import { fieldsOf, recordOf, recordsOf, textOf, type Fields } from "../../../json-rpc/fields.ts";

const MINUTE_MS = 60_000;
/** Added to the next minute, since the clock is read twice. */
const MARGIN_MS = 500;

export const geminiProgram: AcpProgram = {
  stateOf: "gemini",
  setEnv: { GEMINI_CLI_NO_RELAUNCH: "true" },
  restrain: (session) => ({
    args: () => {
      const policy = geminiPolicy({ ...session, hasOwnPolicies: hasUserPolicies(geminiHome(session.environment)) });
      // Only with --debug does it pass on the output and the exit code of a command.
      return ["--debug", "--admin-policy", session.writeFile("policy.toml", policy)];
    },
    // In other modes its edit tools do not ask, whatever a policy says.
    mode: "default",
    guard: hasSystemPolicies()
      ? { guard: "unguarded", detail: "administrator policies on this machine override ours" }
      : { guard: session.isWritable ? "asks_first" : "own_mode" },
  }),
  authMethod: (hasVariable) => (hasVariable("GEMINI_API_KEY") ? "gemini-api-key" : undefined),
  loginHint: 'Start "gemini" once and log in, or export GEMINI_API_KEY and start Roundtable again.',
  canSteer: false,
  doToolsLeadGroups: true,
  // None of its ACP commands compacts; it compacts automatically when its context is full.
  compactCommand: "none",
  silenceWarnMs: 20_000,
  toolsMs: 3_000,
  toolsHint:
    'It uses tool servers only in directories that it trusts: start "gemini" there once and trust the directory.',
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

/** Zero when no file of this session is named after the current minute. */
export function waitForNextMinute(fileNames: readonly string[], sessionId: string, nowMs: number): number {
  const minute = new Date(nowMs).toISOString().slice(0, 16).replace(":", "-");
  const start = `session-${minute}-${sessionId.slice(0, 8)}.`;
  if (!fileNames.some((name) => name.startsWith(start))) return 0;
  return MINUTE_MS - (nowMs % MINUTE_MS) + MARGIN_MS;
}

/** Tools of Gemini CLI that only read. All others are denied in a read-only session. */
const READERS = ["read_file", "read_many_files", "glob", "grep_search", "list_directory"];
const NOTES = ["update_topic", "write_todos", "complete_task", "get_internal_docs"];
const WEB = ["google_web_search", "web_fetch"];
const EDITORS = ["write_file", "replace"];
const MODES = ["enter_plan_mode", "exit_plan_mode"];

interface PolicySession {
  readonly isWritable: boolean;
  readonly isSandboxed: boolean;
  /** Name of the server with the host tools. */
  readonly hostToolServer: string;
  /** The user has policies: reads that they may forbid require approval. */
  readonly hasOwnPolicies: boolean;
}

export function geminiPolicy({ isWritable, isSandboxed, hostToolServer, hasOwnPolicies }: PolicySession): string {
  const hostToolRule = rule({ mcpName: hostToolServer, toolName: "*", decision: "ask_user", priority: 700 });
  if (!isWritable && !isSandboxed) {
    return [
      rule({ toolName: "*", decision: "deny", priority: 500, denyMessage: "This session is read-only." }),
      rule({ toolName: READERS, decision: hasOwnPolicies ? "ask_user" : "allow", priority: 600 }),
      rule({ toolName: NOTES, decision: "allow", priority: 600 }),
      rule({ toolName: WEB, decision: "ask_user", priority: 600 }),
      hostToolRule,
    ].join("\n");
  }
  return [
    // The pattern bypasses its list of "safe" commands.
    rule({ toolName: "run_shell_command", argsPattern: ".", decision: "ask_user", priority: 500 }),
    rule({ toolName: EDITORS, decision: isWritable ? "ask_user" : "deny", priority: 500 }),
    rule({ toolName: "mcp_*", decision: "ask_user", priority: 500 }),
    // An accepted plan would end the approvals.
    rule({ toolName: MODES, decision: "deny", priority: 500 }),
    hostToolRule,
  ].join("\n");
}

function rule(fields: Readonly<Record<string, string | number | readonly string[]>>): string {
  const lines = Object.entries(fields).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
  return `[[rule]]\n${lines.join("\n")}\n`;
}

/** It ignores our policy where an administrator has installed some. */
function hasSystemPolicies(): boolean {
  return hasPolicies(path.join(SYSTEM[process.platform] ?? "/etc/gemini-cli", "policies"));
}

const SYSTEM: Readonly<Record<string, string>> = {
  darwin: "/Library/Application Support/GeminiCli",
  win32: "C:\\ProgramData\\gemini-cli",
};

function hasUserPolicies(home: string): boolean {
  return hasPolicies(path.join(home, ".gemini", "policies"));
}

function hasPolicies(folder: string): boolean {
  try {
    return readdirSync(folder).some((name) => name.endsWith(".toml"));
  } catch {
    // No such directory: no policies.
    return false;
  }
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Home directory as Gemini CLI sees it, the parent of `.gemini`. */
export function geminiHome({ GEMINI_CLI_HOME, HOME }: Variables): string {
  const given = [GEMINI_CLI_HOME, process.platform === "win32" ? undefined : HOME];
  return given.find((one) => one !== undefined && path.isAbsolute(one)) ?? homedir();
}

/** Paths of the session's files, per project. Each file is named after the minute in which it was created. */
function sessionFiles(sessionId: string, home: string): string[][] {
  const projects = path.join(home, ".gemini", "tmp");
  const end = `-${sessionId.slice(0, SHORT_ID_CHARS)}.jsonl`;
  return listFolder(projects)
    .map((project) => path.join(projects, project, "chats"))
    .map((chats) =>
      listFolder(chats)
        .filter((name) => name.startsWith("session-") && name.endsWith(end))
        .map((name) => path.join(chats, name)),
    )
    .filter((files) => files.length > 0);
}

/**
 * Removes files without a conversation of a session that has one. Whenever Gemini CLI loads a session it creates a
 * second file of it, which stays empty; its next start in that project takes such a file for a broken session and
 * deletes all files of the session.
 */
export function removeEmptyCopies(sessionId: string, home: string): void {
  for (const files of sessionFiles(sessionId, home).filter(({ length }) => length > 1)) {
    const empty = files.filter((file) => isEmpty(file, sessionId));
    // A session in which nothing was said yet has only an empty file.
    if (empty.length < files.length) empty.forEach(remove);
  }
}

const SHORT_ID_CHARS = 8;
/** Without a conversation a file only has a description of the project. */
const EMPTY_BYTES_MAX = 1024 * 1024;
/** Preamble that Gemini CLI itself sends to its model. */
const CONTEXT = /^\s*<(?:session|hook)_context>/;

function isEmpty(file: string, sessionId: string): boolean {
  try {
    const records = readRecords(file);
    return records !== undefined && records.length > 0 && records.every((record) => isEmptyRecord(record, sessionId));
  } catch {
    // Unreadable or of another format: left alone.
    return false;
  }
}

/** Undefined when the file is larger than an empty one. */
function readRecords(file: string): Fields[] | undefined {
  const fd = openOwnFile(file);
  try {
    const buffer = Buffer.alloc(EMPTY_BYTES_MAX);
    const length = readSync(fd, buffer, 0, buffer.length, 0);
    if (length === buffer.length) return undefined;
    const lines = buffer.toString("utf8", 0, length).split("\n");
    return lines.filter((line) => line !== "").map((line) => fieldsOf(JSON.parse(line)));
  } finally {
    closeSync(fd);
  }
}

function isEmptyRecord(record: Fields, sessionId: string): boolean {
  const set = record["$set"] === undefined ? record : recordOf(record, "$set");
  const isAboutSession = record["$set"] !== undefined || textOf(record, "sessionId") === sessionId;
  return isAboutSession && recordsOf(set, "messages").every(isContext);
}

function isContext(message: Fields): boolean {
  const text = recordsOf(message, "content")
    .map((part) => textOf(part, "text") ?? "")
    .join("");
  return textOf(message, "type") === "user" && CONTEXT.test(text);
}

function remove(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // Not removable; the session may then be lost, which is reported.
  }
}

function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Not a folder, or missing: no sessions.
    return [];
  }
}
