/**
 * Turns shown side by side: those of one message and round that ran at the same time, each of another member. A pure
 * reading of pages, so live and reloaded sessions have the same groups; no group spans two pages.
 */
import { PAGE_SIZE, type Head, type Page, type Transcript } from "../model.ts";
import type { Message, TurnMessage } from "../messages.ts";
import { own } from "../record.ts";
import { isDiscussing } from "./council.ts";
import { messageAt, pageAt } from "./messages.ts";
import { isQuietTurn } from "./quiet-turns.ts";

type Group = readonly number[];

const groups = new WeakMap<Page, ReadonlyMap<number, Group>>();
const rounds = new WeakMap<Page, ReadonlyMap<number, Group>>();

/** Positions of the turns that ran beside the one at this position, itself included; undefined when it ran alone. */
export function turnGroupAt(transcript: Transcript, position: number): Group | undefined {
  return cached(groups, groupsIn, transcript, position);
}

/**
 * Positions of all turns of a later round; undefined in the first one, and while the discussion continues. Views fold
 * them to one line.
 */
export function laterRoundAt(transcript: Transcript, position: number): Group | undefined {
  const round = cached(rounds, roundsIn, transcript, position);
  const first = round?.[0] === undefined ? undefined : messageAt(transcript, round[0]);
  if (first?.kind !== "turn" || isDiscussing(transcript.head, first.rootMessageId)) return undefined;
  const isOver =
    round?.every((at) => (messageAt(transcript, at) as TurnMessage | undefined)?.end !== undefined) ?? false;
  return isOver ? round : undefined;
}

/** "Round 2: claude and codex answered, gemini has nothing to add". */
export function formatRound(turns: readonly TurnMessage[]): string {
  const named = Map.groupBy(turns, resultOf);
  const texts = [...named].map(([result, own]) => {
    const names = [...new Set(own.map(({ member }) => member))];
    const who = names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
    return `${who} ${RESULTS[result][names.length < 2 ? 0 : 1]}`;
  });
  return `Round ${turns[0]?.round ?? 1}: ${texts.join(", ")}`;
}

const RESULTS = {
  answered: ["answered", "answered"],
  quiet: ["has nothing to add", "have nothing to add"],
  stopped: ["was stopped", "were stopped"],
  failed: ["failed", "failed"],
} as const;

function resultOf(turn: TurnMessage): keyof typeof RESULTS {
  if (turn.end?.outcome === "interrupted") return "stopped";
  if (turn.end?.outcome !== "completed") return "failed";
  return isQuietTurn(turn) ? "quiet" : "answered";
}

function cached(
  known: WeakMap<Page, ReadonlyMap<number, Group>>,
  read: (page: Page, head: Head) => ReadonlyMap<number, Group>,
  transcript: Transcript,
  position: number,
): Group | undefined {
  const page = pageAt(transcript, Math.floor(position / PAGE_SIZE));
  if (page === undefined) return undefined;
  let byPosition = known.get(page);
  if (byPosition === undefined) {
    byPosition = read(page, transcript.head);
    known.set(page, byPosition);
  }
  return byPosition.get(position);
}

/** Turns that a member started by itself, for another member or elsewhere are never grouped. */
const SHARED: ReadonlySet<TurnMessage["cause"]> = new Set(["user", "round", "retry"]);

function turnsIn({ messages }: Page, head: Head): TurnMessage[] {
  return messages
    .flatMap((message) => turnOf(message, head) ?? [])
    .filter((turn) => turn.depth === 0 && SHARED.has(turn.cause));
}

function turnOf(message: Message, head: Head): TurnMessage | undefined {
  if (message.kind === "open-turn") return own(head.openTurns, message.turnId);
  return message.kind === "turn" ? message : undefined;
}

function keyOf({ rootMessageId, messageIds, round = 1 }: TurnMessage): string {
  return `${rootMessageId ?? messageIds.at(-1) ?? ""} ${round}`;
}

function groupsIn(page: Page, head: Head): ReadonlyMap<number, Group> {
  const byPosition = new Map<number, Group>();
  for (const turns of Map.groupBy(turnsIn(page, head), keyOf).values()) {
    let group: TurnMessage[] = [];
    const close = (): void => {
      const positions = group.map(({ position }) => position);
      if (positions.length > 1) for (const position of positions) byPosition.set(position, positions);
      group = [];
    };
    for (const turn of turns) {
      if (group.length > 0 && !group.some((other) => ranBeside(other, turn))) close();
      else if (group.some(({ member }) => member === turn.member)) close();
      group.push(turn);
    }
    close();
  }
  return byPosition;
}

/** Starts and ends are compared by seq, which no clock can turn round. */
function ranBeside(a: TurnMessage, b: TurnMessage): boolean {
  const [first, second] = startOf(a) <= startOf(b) ? [a, b] : [b, a];
  return first.end === undefined || startOf(second) < first.end.seq;
}

function startOf({ firstSeq, seq }: TurnMessage): number {
  return firstSeq ?? seq;
}

function roundsIn(page: Page, head: Head): ReadonlyMap<number, Group> {
  const byPosition = new Map<number, Group>();
  const later = turnsIn(page, head).filter(({ round = 1 }) => round > 1);
  for (const turns of Map.groupBy(later, keyOf).values()) {
    const positions = turns.map(({ position }) => position);
    for (const position of positions) byPosition.set(position, positions);
  }
  return byPosition;
}
