/** What has no better place: drawn by its event, so that nothing the log holds is dropped in silence. */
import type { SessionEvent, UnknownEvent } from "../../protocol/index.ts";
import type { Transcript, TurnMessage } from "../model.ts";
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

/** In the turn it belongs to when that is open, as a notice otherwise. */
export function addToTurn(transcript: Transcript, event: SessionEvent | UnknownEvent): Transcript {
  const turn = openTurn(transcript, event.turnId);
  if (turn === undefined) return addNotice(transcript, event);
  return withOpenTurn(transcript, addBlock(turn, { kind: "event", event: plain(event) }));
}

/** What an event does to its turn when that is open; a notice otherwise. */
export function changeTurnOrNotice<Event extends SessionEvent>(
  transcript: Transcript,
  event: Event,
  change: (turn: TurnMessage, event: Event) => TurnMessage,
): Transcript {
  const turn = openTurn(transcript, event.turnId);
  return turn === undefined ? addNotice(transcript, event) : withOpenTurn(transcript, change(turn, event));
}
