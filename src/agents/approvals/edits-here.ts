/** Calls covered by a session-wide approval of edits in the session's directory. */
import path from "node:path";
import { isGoverned } from "../sandbox/governed/is-governed.ts";
import type { PendingCall } from "./pending-call.ts";

/** True when the call only changes files in the session's directory, and none that governs agents or git. */
export function editsHere({ changesFiles, isWhole, subjects }: PendingCall): boolean {
  if (!changesFiles || !isWhole || subjects.length === 0) return false;
  return subjects.every(({ kind, text }) => kind === "path" && isHere(text) && !isGoverned(text));
}

/** Links are resolved already: a path outside is absolute. */
function isHere(name: string): boolean {
  return name !== "" && !path.isAbsolute(name) && !name.split("/").includes("..");
}
