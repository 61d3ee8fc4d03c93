/** A search in words. */
import type { SearchHit } from "../../protocol/index.ts";
import { plural } from "../words/amounts.ts";
import type { Searched } from "./use-search.ts";

const KINDS: Readonly<Record<SearchHit["kind"], string>> = {
  title: "title",
  user: "you",
  text: "",
  thinking: "thinking",
  call: "call",
  output: "output",
  diff: "change",
  minutes: "minutes",
  exchange: "exchange",
  request: "request",
  note: "note",
};

export function hitWho({ kind, member, tool }: SearchHit): string {
  return [member, tool, KINDS[kind]].filter((part) => part !== undefined && part !== "").join(" ");
}

export function searchWords(searched: Searched): string {
  if (searched.state === "idle") return "";
  if (searched.state === "asking") return "Searching messages…";
  if (searched.state === "failed") return searched.reason;
  const { hits, hasMore, isComplete, sessionsLeft } = searched.answer;
  const found = hits.length === 0 ? "Nothing in messages" : `${hits.length}${hasMore ? "+" : ""} in messages`;
  return isComplete ? `${found}.` : `${found}; ${plural(sessionsLeft, "session")} not looked through yet.`;
}
