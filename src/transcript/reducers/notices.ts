/** Events without a view of their own: shown by their event, so that nothing in the log is dropped silently. */
import type { SessionEvent, UnknownEvent } from "../../protocol/index.ts";
import type { Transcript } from "../model.ts";
import type { TurnMessage } from "../messages.ts";
import { addBlock, openTurn, withOpenTurn } from "./open-turns.ts";
import { appendMessage } from "../pages.ts";
import { plain } from "../record.ts";

export function addNotice(transcript: Transcript, event: SessionEvent | UnknownEvent): Transcript {
  return appendMessage(transcript, {
    kind: "notice",
    position: transcript.head.messageCount,
    seq: event.seq,
    ts: event.ts,
    event: plain(event),
  });
}

/** Adds the event to its turn when that is open, else as a notice. */
export function addToTurn(transcript: Transcript, event: SessionEvent | UnknownEvent): Transcript {
  const turn = openTurn(transcript, event.turnId);
  if (turn === undefined) return addNotice(transcript, event);
  return withOpenTurn(transcript, addBlock(turn, { kind: "event", event: plain(event) }));
}

/** Applies the event to its turn when that is open, else adds a notice. */
export function changeTurnOrNotice<Event extends SessionEvent>(
  transcript: Transcript,
  event: Event,
  change: (turn: TurnMessage, event: Event) => TurnMessage,
): Transcript {
  const turn = openTurn(transcript, event.turnId);
  return turn === undefined ? addNotice(transcript, event) : withOpenTurn(transcript, change(turn, event));
}
