/**
 * Entry point for messages and turns that another program wrote into files beside this session. Host-internal: no
 * client can forge a member's output through a command. Nobody is asked because of it; every turn started here ends
 * here, at the latest when the session closes.
 */
import { newId } from "../../kit/ids.ts";
import type { DraftOf, EventDraft, Outcome } from "../../protocol/index.ts";
import { beginningOf, fitsEncoded } from "../../kit/text/encoded-size.ts";
import { MESSAGE_TEXT_INLINE_MAX, TURN_OUTPUT_CHARS_MAX } from "../limits.ts";
import { storeText, type StoredText } from "../delivery/message-text.ts";
import { Segments } from "./segments.ts";
import type { SessionState } from "../state.ts";

export interface ExternalMessage {
  readonly text: string;
  /** Source file; shown with the message. */
  readonly origin: string;
}

export interface ExternalTurn {
  readonly member: string;
  readonly origin: string;
  /** The turn of this session that it replaces on screen. */
  readonly replaces?: string;
}

export interface ExternalTurnEnd {
  /** The whole text, which wins over streamed deltas; absent when unknown. */
  readonly text?: string;
  readonly outcome: Outcome;
  readonly reason?: string;
  readonly error?: string;
}

export interface ExternalTurns {
  /** Records a user message that no member is asked to answer. Resolves with its seq once durable. */
  addMessage(message: ExternalMessage): Promise<number>;
  /** Undefined when the session is closed. */
  startTurn(turn: ExternalTurn): string | undefined;
  addText(turnId: string, text: string): void;
  /** The speaker started over: discards streamed text. */
  retract(turnId: string): void;
  /** The seq of the end; undefined when there is no such turn. */
  endTurn(turnId: string, end: ExternalTurnEnd): number | undefined;
  /** Facts about the files themselves. Resolves once durable. */
  note(draft: DraftOf<"mirrored"> | DraftOf<"warning">): Promise<void>;
  /** Ends open turns, because this side stops following. */
  endAll(reason: string): void;
}

interface Speaking {
  readonly member: string;
  readonly segments: Segments;
  readonly startedMs: number;
  chars: number;
}

export function createExternalTurns(state: SessionState): ExternalTurns {
  const { ledger, clock } = state;
  const open = new Map<string, Speaking>();
  const append = (draft: EventDraft): number => (state.isClosed ? 0 : (ledger.append([draft])[0]?.seq ?? 0));
  function endTurn(turnId: string, { text, outcome, reason, error }: ExternalTurnEnd): number | undefined {
    const speaking = open.get(turnId);
    if (speaking === undefined) return undefined;
    open.delete(turnId);
    const { member, segments, startedMs } = speaking;
    if (text !== undefined) segments.done("text", beginningOf(text, TURN_OUTPUT_CHARS_MAX));
    segments.close({ interrupted: outcome !== "completed" });
    return append({
      type: "turn_end",
      turnId,
      member,
      outcome,
      ...(reason === undefined ? {} : { reason }),
      ...(error === undefined ? {} : { error: { code: "foreign", message: error } }),
      durationMs: Math.max(0, clock.monotonic() - startedMs),
      copied: true,
    });
  }

  return {
    async addMessage({ text, origin }) {
      const stored = await storedText(state, text);
      const unaddressed = { to: [], toAll: false, attachments: [] };
      const seq = append({ type: "user_message", messageId: newId(), ...stored, ...unaddressed, origin });
      await ledger.committed();
      return seq;
    },
    startTurn(turn) {
      if (state.isClosed) return undefined;
      const turnId = newId();
      append(startDraft(state, turnId, turn));
      const segments = new Segments({ turnId, member: turn.member }, clock, (draft) => void append(draft));
      open.set(turnId, { member: turn.member, segments, startedMs: clock.monotonic(), chars: 0 });
      return turnId;
    },
    addText(turnId, text) {
      const speaking = open.get(turnId);
      if (speaking === undefined || speaking.chars + text.length > TURN_OUTPUT_CHARS_MAX) return;
      speaking.chars += text.length;
      speaking.segments.delta("text", text);
    },
    retract(turnId) {
      const speaking = open.get(turnId);
      if (speaking === undefined) return;
      speaking.segments.retract("the speaker started over");
      speaking.chars = 0;
    },
    endTurn,
    async note(draft) {
      append(draft);
      await ledger.committed();
    },
    endAll(reason) {
      for (const turnId of open.keys()) endTurn(turnId, { outcome: "interrupted", reason });
    },
  };
}

/** Follows the latest message without answering it: nothing is delivered by it and it cannot be retried. */
function startDraft(state: SessionState, turnId: string, { member, origin, replaces }: ExternalTurn): EventDraft {
  const rootMessageId = state.ledger.transcript.head.latestUser?.messageId;
  return {
    type: "turn_start",
    turnId,
    member,
    cause: "imported",
    messageIds: [],
    ...(rootMessageId === undefined ? {} : { rootMessageId }),
    depth: 0,
    ...(replaces === undefined ? {} : { replaces }),
    origin,
  };
}

async function storedText({ ledger, clock }: SessionState, text: string): Promise<StoredText> {
  return fitsEncoded(text, MESSAGE_TEXT_INLINE_MAX) ? { text } : await storeText(text, ledger.log.blobs, clock);
}
