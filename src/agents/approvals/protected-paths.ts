/** Which files a yes for many of them never means. */
import path from "node:path";
import type { AskedCall } from "./asked-call.ts";

/** By these a change of a file becomes a command that nobody approved. */
const PROTECTED = new Set([
  ".git",
  ".roundtable",
  ".claude",
  ".codex",
  ".cursor",
  ".gemini",
  ".pi",
  ".opencode",
  ".mcp.json",
]);

export function isProtected(name: string): boolean {
  return name.split("/").some((part) => PROTECTED.has(part.toLowerCase()));
}

/** Whether all it does is to change files in the session's directory, and none that governs agents or git. */
export function editsHere({ changesFiles, isWhole, subjects }: AskedCall): boolean {
  if (!changesFiles || !isWhole || subjects.length === 0) return false;
  return subjects.every(({ kind, text }) => kind === "path" && isHere(text) && !isProtected(text));
}

/** Links were resolved when it was described: what is outside has its absolute name. */
function isHere(name: string): boolean {
  return name !== "" && !path.isAbsolute(name) && !name.split("/").includes("..");
}
