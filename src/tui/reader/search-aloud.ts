/**
 * Search over all sessions as spoken lines: the number of hits, each hit with its author, and the session of the chosen
 * one.
 */
import {
  authorOf,
  hitWho,
  type SearchAnswer,
  type SearchHit,
  type SearchQuery,
  type SeenAs,
} from "../../protocol/index.ts";
import { loadedMessagesBackward, type ShownMessage, type Transcript } from "../../transcript/index.ts";
import type { CommandScreen } from "../commands/command.ts";
import { searchText } from "../log/search-text.ts";
import { formatSearchSummary } from "../overlays/lists/search-hits.ts";
import { timeAgo } from "../overlays/short-age.ts";
import { shortened } from "./format-session.ts";

const LINES_MAX = 20;

/** More hits are not read out; refine the query instead. */
const READ_MAX = 20;

export type SearchScreen = Pick<CommandScreen, "notify" | "pick" | "askLine" | "openSession" | "sessionId" | "now">;

export async function searchAloud(
  screen: SearchScreen,
  search: (query: string, rest: Omit<SearchQuery, "words">) => Promise<SearchAnswer>,
  given: string,
): Promise<void> {
  const query = given === "" ? ((await screen.askLine("Search all sessions for")) ?? "") : given;
  if (query.trim() === "") return;
  const answer = await search(query, { limit: READ_MAX });
  screen.notify(formatSearchSummary(answer));
  if (answer.hits.length === 0) return;
  const hit = await screen.pick(
    "Found",
    answer.hits.map((one) => ({ label: formatHit(one, screen.now), value: one })),
  );
  if (hit === undefined) return;
  if (hit.sessionId !== screen.sessionId) await screen.openSession(hit.sessionId);
  screen.notify(`${hitWho(hit)}, message ${hit.seq}: ${hit.snippet}`);
}

function formatHit(hit: SearchHit, now: number): string {
  const title = hit.title === "" ? "an untitled session" : hit.title;
  return `${hitWho(hit)} in ${title}, ${timeAgo(now - hit.ts)}: ${hit.snippet}`;
}

/** Matches in the shown session: each line with its author. */
interface LineMatches {
  /** Newest first. */
  readonly lines: readonly string[];
  /** Matching lines, read out or not. */
  readonly count: number;
}

export function findLines(transcript: Transcript, query: string, seenAs?: SeenAs): LineMatches {
  const wanted = query.toLowerCase();
  const lines: string[] = [];
  let count = 0;
  for (const message of loadedMessagesBackward(transcript)) {
    if (message.seq <= transcript.head.clearedSeq) break;
    for (const line of searchText(message).split("\n")) {
      if (!line.toLowerCase().includes(wanted)) continue;
      count += 1;
      if (lines.length < LINES_MAX) lines.push(`${speakerOf(message, seenAs)}: ${shortened(line)}`);
    }
  }
  return { lines, count };
}

function speakerOf(message: ShownMessage, seenAs: SeenAs | undefined): string {
  if (message.kind === "turn") return message.member;
  return message.kind === "user" ? (authorOf(message.clientId, seenAs) ?? "You") : "Note";
}
