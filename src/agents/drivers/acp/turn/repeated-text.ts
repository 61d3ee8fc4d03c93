/**
 * A text or a thought that claude-agent-acp sends in pieces and then once more as a whole, where it has lost the id of a
 * message in its middle: mostly the pieces have none then, and the whole has.
 * Promise: such a whole is compared with what was told, never added to it.
 */
import { isAgent } from "../agent-quirks.ts";
import { closeSegment } from "./segments.ts";
import { withTurn, type AcpState, type AcpStep, type EmittedText } from "../state.ts";

const CLAUDE = /claude-(agent|code)-acp$/;
/** A piece that says the same as everything before it: by chance only where that is short. */
const REPEATED_CHARS_MIN = 20;
const REPEATED_CHUNKS_MIN = 3;

export interface TextChunk {
  readonly kind: "text" | "thinking";
  readonly messageId: string | null;
  readonly text: string;
}

/** What of a piece was not told yet; null when it repeats nothing. */
export function restOfRepeated(state: AcpState, { kind, messageId, text }: TextChunk): string | null {
  const emitted = state.turn?.emitted[kind] ?? null;
  if (emitted === null) return null;
  if (emitted.messageId === null && messageId !== null) {
    return text.startsWith(emitted.text) ? text.slice(emitted.text.length) : null;
  }
  const isLong = emitted.chunks >= REPEATED_CHUNKS_MIN && text.length >= REPEATED_CHARS_MIN;
  return isLong && emitted.messageId === messageId && emitted.text === text ? "" : null;
}

/** Keeps what is told, of the only agent that repeats it. */
export function rememberEmitted(state: AcpState, { kind, messageId, text }: TextChunk): AcpState {
  const { turn } = state;
  if (turn === null || text === "" || !isAgent(state, CLAUDE)) return state;
  const before = turn.emitted[kind];
  const isMore = before !== null && before.messageId === messageId && turn.segment === kind;
  const now: EmittedText = isMore
    ? { messageId, text: before.text + text, chunks: before.chunks + 1 }
    : { messageId, text, chunks: 1 };
  return withTurn(state, { emitted: { ...turn.emitted, [kind]: now } });
}

/** It was repeated whole, so it is over; what comes next is something else. */
export function endEmitted(state: AcpState, kind: TextChunk["kind"]): AcpStep {
  if (state.turn === null) return { state };
  const forgotten = withTurn(state, { emitted: { ...state.turn.emitted, [kind]: null } });
  return state.turn.segment === kind ? closeSegment(forgotten) : { state: forgotten };
}
