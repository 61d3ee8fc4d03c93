/** Which calls a yes for every file here means. */
import path from "node:path";
import { isGoverned } from "../sandbox/governed/is-governed.ts";
import type { PendingCall } from "./pending-call.ts";

/** Whether all it does is to change files in the session's directory, and none that governs agents or git. */
export function editsHere({ changesFiles, isWhole, subjects }: PendingCall): boolean {
  if (!changesFiles || !isWhole || subjects.length === 0) return false;
  return subjects.every(({ kind, text }) => kind === "path" && isHere(text) && !isGoverned(text));
}

/** Links were resolved when it was described: what is outside has its absolute name. */
function isHere(name: string): boolean {
  return name !== "" && !path.isAbsolute(name) && !name.split("/").includes("..");
}
