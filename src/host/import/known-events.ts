/**
 * Index of the parts of an external session that a log already has: messages, turns with their events, and all other
 * events by content.
 */
import { createHash } from "node:crypto";
import type { EventDraft, SessionEvent } from "../../protocol/index.ts";
import { isUnsettled } from "./builder/session-files.ts";

export interface KnownTurn {
  /** One mark per event, in log order, including subagents. */
  readonly marks: string[];
  /** The same of what was said and done, however it ended. */
  readonly contents: string[];
  hasEnded: boolean;
  endTs: number;
}

/** Fields that differ between imports; blobs are compared by the excerpts in the event. */
const IGNORED_FIELDS = new Set([
  "seq",
  "epoch",
  "id",
  "ts",
  "sessionId",
  "firstKeptSeq",
  "blob",
  "textBlob",
  "attachments",
  "replaces",
]);

export class KnownEvents {
  readonly messages = new Map<string, number>();
  /** Pairs of message and member. */
  readonly delivered = new Set<string>();
  readonly turns = new Map<string, KnownTurn>();
  readonly #others = new Map<string, number>();
  readonly #rootOf = new Map<string, string>();
  /** Seqs of messages and turns. */
  readonly seqOf = new Map<string, number>();
  source: string | undefined;
  title = "";
  hasRename = false;
  /** Members with a session in their own program. */
  readonly native = new Set<string>();
  /** Members that have answered in this session, not only in the imported part. */
  readonly spokenHere = new Set<string>();

  apply(event: SessionEvent): void {
    if (event.type === "turn_start") return this.#begin(event);
    if (event.type === "user_message") {
      this.messages.set(event.messageId, event.seq);
      this.seqOf.set(event.messageId, event.seq);
      return;
    }
    if (event.type === "message_delivery") this.delivered.add(`${event.messageId} ${event.member}`);
    this.#noteFacts(event);
    const root = event.turnId === undefined ? undefined : this.#rootOf.get(event.turnId);
    const turn = root === undefined ? undefined : this.turns.get(root);
    if (turn === undefined) this.#note(event);
    else if (isCompared(event)) {
      turn.marks.push(markOf(event));
      turn.contents.push(...contentMarks(event));
    }
    if (turn !== undefined && event.type === "turn_end" && event.turnId === root) {
      turn.hasEnded = true;
      turn.endTs = event.ts;
    }
    // Imported once, whichever turn contains it.
    if (event.type === "compaction") this.#note(event);
  }

  #noteFacts(event: SessionEvent): void {
    if (event.type === "session_created") {
      this.source = event.imported?.source;
      this.title = event.title;
    }
    if (event.type === "session_renamed") this.hasRename = true;
    if (event.type === "member_session") this.native.add(event.member);
  }

  #begin(event: Extract<SessionEvent, { type: "turn_start" }>): void {
    const { turnId, parentTurnId, cause, member, depth, seq } = event;
    if (cause !== "imported" && depth === 0) this.spokenHere.add(member);
    const root = (parentTurnId === undefined ? undefined : this.#rootOf.get(parentTurnId)) ?? turnId;
    this.#rootOf.set(turnId, root);
    this.seqOf.set(turnId, seq);
    const turn = this.turns.get(root) ?? { marks: [], contents: [], hasEnded: false, endTs: 0 };
    turn.marks.push(markOf(event));
    turn.contents.push(...contentMarks(event));
    this.turns.set(root, turn);
  }

  #note(event: SessionEvent): void {
    const mark = markOf(event);
    this.#others.set(mark, (this.#others.get(mark) ?? 0) + 1);
  }

  /** True once for each occurrence in the log. */
  claims(draft: EventDraft): boolean {
    const mark = markOf(draft);
    const count = this.#others.get(mark) ?? 0;
    if (count > 0) this.#others.set(mark, count - 1);
    return count > 0;
  }
}

/** Messages and deliveries are known by their ids, wherever they are. */
export function isCompared({ type }: { readonly type: string }): boolean {
  return type !== "user_message" && type !== "message_delivery" && type !== "compaction";
}

/** Empty for what depends on where a file ends. */
function contentMarks(draft: EventDraft): string[] {
  if (draft.type === "turn_end" || draft.type === "subagent_result" || isUnsettled(draft)) return [];
  if (draft.type !== "text_done") return [markOf(draft)];
  const { interrupted: _, ...text } = draft;
  return [markOf(text)];
}

/** True for a turn of an older or damaged copy: what is known has all of it, and lasted at least as long. */
export function isOlder(
  { contents, hasEnded, endTs: knownEndTs }: KnownTurn,
  drafts: readonly EventDraft[],
  endTs: number,
): boolean {
  const own = drafts.filter(isCompared).flatMap(contentMarks);
  if (!hasEnded || endTs > knownEndTs) return false;
  if (own.length === contents.length && endTs === knownEndTs) return false;
  let at = 0;
  return own.every((mark) => (at = contents.indexOf(mark, at) + 1) > 0);
}

export function markOf(value: object): string {
  return createHash("sha256").update(canonical(value)).digest("base64").slice(0, 22);
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value)
    .filter(([key, one]) => !IGNORED_FIELDS.has(key) && one !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([key, one]) => `${JSON.stringify(key)}:${canonical(one)}`).join(",")}}`;
}
