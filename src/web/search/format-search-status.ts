/** A search in words. */
import { plural } from "../format/units.ts";
import type { Searched } from "./use-search.ts";

export function formatSearchStatus(searched: Searched): string {
  if (searched.state === "idle") return "";
  if (searched.state === "asking") return "Searching messages…";
  if (searched.state === "failed") return searched.reason;
  const { hits, hasMore, isComplete, sessionsLeft } = searched.answer;
  const count = hits.length === 0 ? "Nothing in messages" : `${hits.length}${hasMore ? "+" : ""} in messages`;
  return isComplete ? `${count}.` : `${count}; ${plural(sessionsLeft, "session")} not looked through yet.`;
}
