/** Collects the messages, turns and notices of an external session, and its open turn. */
import type { DraftOf } from "../../../protocol/index.ts";
import { shortText } from "./bodies.ts";
import { rewindNotice, type ImportUnit, type TimedDraft } from "./external-session.ts";
import type { TurnDraft, TurnEnding } from "./turn-draft.ts";

interface LinePosition {
  readonly number: number;
  readonly ts: number;
}

export class ImportBuilder<Turn extends { readonly draft: TurnDraft; readonly ending: TurnEnding }> {
  readonly units: ImportUnit[] = [];
  turn: Turn | undefined;

  /** The open turn, or a new one. */
  inTurn(begin: () => Turn): Turn {
    return (this.turn ??= begin());
  }

  endTurn(): void {
    if (this.turn === undefined) return;
    const { draft, ending } = this.turn;
    draft.end(draft.lastMs, ending);
    this.units.push(draft.unit);
    this.turn = undefined;
  }

  /** Adds a notice to the open turn, or as a unit. */
  note(
    { number: line, ts }: LinePosition,
    draft: TimedDraft["draft"],
    more: Pick<TimedDraft, "retainedFrom"> = {},
  ): void {
    if (this.turn === undefined) this.units.push({ line, drafts: [{ ts, draft, ...more }] });
    else this.turn.draft.note(ts, draft, more);
  }

  /** Notes messages on an abandoned branch before this position, or after the last one. */
  noteRewind(before: LinePosition | undefined, messages: number): void {
    this.endTurn();
    const ts = before?.ts ?? this.units.at(-1)?.drafts.at(-1)?.ts ?? 0;
    this.units.push(rewindNotice(before?.number ?? Infinity, ts, messages));
  }
}

/** `before` is the number of tokens, if known. */
export function compactionDraft(member: string, summary: string, before: number): DraftOf<"compaction"> {
  return { type: "compaction", member, summary: shortText(summary), before, after: 0, firstKeptSeq: 1, native: true };
}
