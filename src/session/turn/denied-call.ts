/**
 * Calls that were denied, by an answer, by a rule or by the sandbox, end as denied, whatever their agent says became of
 * them: some report a success for a command that could not write.
 */
import { isGoverned } from "../../agents/index.ts";
import type { ToolResult } from "./tool-calls.ts";

/** What keeps a member from writing; absent where nothing does. */
export interface Wall {
  readonly isWritable: boolean;
}

const TEXT_CHARS_MAX = 64 * 1024;
/** Of a call that is said to have worked, in a session in which most writes do. */
const LAST_LINES = 5;

const READ_ONLY = /(?:[:\]] )Read-only file system(?:$|: | \(os error 30\))|\bEROFS: read-only file system\b/i;
/** A file that is mounted cannot be replaced or removed. */
const BUSY = /: Device or resource busy(?:$|: | \(os error 16\))|\bEBUSY: resource busy or locked\b/i;

/** They change nothing themselves, so such a line is only something that they have read. */
const NOT_WRITING: ReadonlySet<string> = new Set(["read", "search", "agent", "ask"]);

export function asDenied(result: ToolResult, why: string): ToolResult {
  if (!result.ok && result.error?.code === "tool_denied") return result;
  return { ...result, ok: false, error: { code: "tool_denied", message: why } };
}

/** Why the sandbox has stopped it, as far as its output tells; undefined when it has not. */
export function stoppedBySandbox(
  { ok, result = "", error }: ToolResult,
  printed: string,
  { wall, toolKind }: { wall: Wall | undefined; toolKind: string | undefined },
): string | undefined {
  if (wall === undefined || NOT_WRITING.has(toolKind ?? "")) return undefined;
  const lines = [error?.message ?? "", ends(result), printed].join("\n").split("\n");
  if (!wall.isWritable) return lines.some((line) => READ_ONLY.test(line.trimEnd())) ? "read-only session" : undefined;
  const relevant = ok ? lines.filter((line) => line.trim() !== "").slice(-LAST_LINES) : lines;
  const isStopped = relevant.some(
    (line) => READ_ONLY.test(line.trimEnd()) || (BUSY.test(line.trimEnd()) && names(line)),
  );
  return isStopped ? "the sandbox keeps it closed" : undefined;
}

/** What a call has printed so far, as much as is looked at. */
export function appendPrinted(before: string, text: string): string {
  return (before + text).slice(-TEXT_CHARS_MAX);
}

function ends(text: string): string {
  if (text.length <= 2 * TEXT_CHARS_MAX) return text;
  return `${text.slice(0, TEXT_CHARS_MAX)}\n${text.slice(-TEXT_CHARS_MAX)}`;
}

function names(line: string): boolean {
  return line.split(/[\s'"`:,()]+/).some((word) => word !== "" && isGoverned(word));
}
