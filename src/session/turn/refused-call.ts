/**
 * Calls refused by an answer, a rule or the guard. They end as denied, whatever their agent reports: some report a
 * success for a command that could not write, and some commands fail silently.
 */
import {
  expectChanges,
  isGoverned,
  saysForbidden,
  saysReadOnly,
  showsRefusal,
  type AgentEvent,
  type IsMissed,
} from "../../agents/index.ts";
import { EDITORS, SHELLS, type Json } from "../../protocol/index.ts";
import { pathsOfArgs } from "./file-touches.ts";

export type ToolResult = Omit<Extract<AgentEvent, { type: "tool_result" }>, "nativeId">;

/** What keeps a member from writing. */
export interface Wall {
  readonly isWritable: boolean;
  /** Directory of the session. */
  readonly cwd: string;
}

export interface JudgedCall {
  readonly name: string;
  readonly toolKind: string | undefined;
  readonly title?: string | undefined;
  /** Why it must not run, by the last answer about it. */
  readonly denied?: string | undefined;
  readonly printed: string;
  readonly attempt?: Attempt | undefined;
}

/** What a call would do where nothing may be changed. */
export interface Attempt {
  /** Line of a shell. */
  readonly command: string | undefined;
  readonly isMissed: IsMissed | undefined;
}

const TEXT_CHARS_MAX = 64 * 1024;
/** Lines checked of a successful call in a writable session. */
const LAST_LINES = 5;

const READ_ONLY = "this session is read-only";
/** Bind-mounted files cannot be replaced or removed. */
const BUSY = /: Device or resource busy(?:$|: | \(os error 16\))|\bEBUSY: resource busy or locked\b/i;
/** Not the session's mode but a rule, or an agent that offers too much. */
const OTHER_REASON = /\brule\b|^the agent offers\b/i;

/** Read-only tools: such a line is content that they read. */
const NOT_WRITING: ReadonlySet<string> = new Set(["read", "search", "agent", "ask"]);

/** Undefined when the call is unknown or the member unguarded. */
export function attemptOf(
  { name, toolKind, title }: Pick<JudgedCall, "name" | "toolKind" | "title">,
  args: Json,
  wall: Wall | undefined,
): Attempt | undefined {
  if (wall === undefined || wall.isWritable || NOT_WRITING.has(toolKind ?? "")) return undefined;
  const paths = isEdit({ name, toolKind }) ? pathsOfArgs(args) : [];
  // Gemini CLI names the command only by its title.
  const command = isShell({ name, toolKind }) ? (commandOf(args) ?? title) : undefined;
  const isMissed = expectChanges({ paths, command }, wall.cwd);
  return command === undefined && isMissed === undefined ? undefined : { command, isMissed };
}

function isEdit({ name, toolKind }: Pick<JudgedCall, "name" | "toolKind">): boolean {
  return toolKind === "edit" || EDITORS.has(name.toLowerCase());
}

function isShell({ name, toolKind }: Pick<JudgedCall, "name" | "toolKind">): boolean {
  return toolKind === "execute" || SHELLS.has(name.toLowerCase());
}

function commandOf(args: Json): string | undefined {
  if (typeof args !== "object" || args === null || Array.isArray(args)) return undefined;
  const { command, cmd = command } = args;
  if (Array.isArray(cmd)) return cmd.length === 3 && typeof cmd[2] === "string" ? cmd[2] : undefined;
  return typeof cmd === "string" ? cmd : undefined;
}

/** The result as shown. */
export function judgeResult(call: JudgedCall, reported: ToolResult, wall: Wall | undefined): ToolResult {
  if (call.denied !== undefined) return asDenied(reported, call.denied);
  if (wall === undefined || reported.error?.code === "tool_interrupted") return reported;
  const why = wall.isWritable ? closedBySandbox(call, reported) : refusedReadOnly(call, reported, wall);
  return why === undefined ? reported : asDenied(reported, why);
}

function asDenied(result: ToolResult, why: string): ToolResult {
  const { error } = result;
  if (error?.code === "tool_denied" && (why !== READ_ONLY || error.message === why)) return result;
  // The original output stays with the call.
  const output = result.result === undefined && error !== undefined ? { result: error.message } : {};
  return { ...result, ...output, ok: false, error: { code: "tool_denied", message: why } };
}

function refusedReadOnly(call: JudgedCall, reported: ToolResult, { cwd }: Wall): string | undefined {
  const { ok, error } = reported;
  if (error?.code === "tool_denied") return OTHER_REASON.test(error.message) ? undefined : READ_ONLY;
  if (NOT_WRITING.has(call.toolKind ?? "")) return undefined;
  const lines = linesOf(call, reported);
  const { command, isMissed } = call.attempt ?? {};
  const isShown = command === undefined ? lines.some(saysReadOnly) : showsRefusal(lines, { command, cwd, isOk: ok });
  const isRefused = (!ok && isEdit(call)) || isShown;
  const others = lines.filter((line) => !saysForbidden(line)).join("\n");
  return isRefused || isMissed?.(others) === true ? READ_ONLY : undefined;
}

function closedBySandbox(call: JudgedCall, reported: ToolResult): string | undefined {
  if (NOT_WRITING.has(call.toolKind ?? "")) return undefined;
  const lines = linesOf(call, reported);
  const relevant = reported.ok ? lines.filter((line) => line !== "").slice(-LAST_LINES) : lines;
  const isStopped = relevant.some((line) => saysReadOnly(line) || (BUSY.test(line) && namesGoverned(line)));
  return isStopped ? "the sandbox does not allow it" : undefined;
}

function linesOf({ printed }: JudgedCall, { result = "", error }: ToolResult): string[] {
  return [error?.message ?? "", ends(result), printed]
    .join("\n")
    .split("\n")
    .map((line) => line.trimEnd());
}

/** Output so far, limited to the part that is checked. */
export function appendPrinted(before: string, text: string): string {
  return (before + text).slice(-TEXT_CHARS_MAX);
}

function ends(text: string): string {
  if (text.length <= 2 * TEXT_CHARS_MAX) return text;
  return `${text.slice(0, TEXT_CHARS_MAX)}\n${text.slice(-TEXT_CHARS_MAX)}`;
}

function namesGoverned(line: string): boolean {
  return line.split(/[\s'"`:,()]+/).some((word) => word !== "" && isGoverned(word));
}
