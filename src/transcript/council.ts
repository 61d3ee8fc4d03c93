/** Rounds and the discussion they make up. `turn_start.round` is the fact; a round is never inferred from text. */
import type { EventOf } from "../protocol/index.ts";
import type { Head, RoundState, TurnMessage, Transcript } from "./model.ts";
import { keepNotice } from "./notices.ts";
import { patchHead } from "./pages.ts";

/** A turn of an earlier round of the same discussion is a retry: it does not turn the round back. */
export function joinRound(head: Head, turn: TurnMessage): Head {
  const { round: number, rootMessageId, member } = turn;
  if (number === undefined || rootMessageId === undefined || turn.depth > 0) return head;
  const council: Head["council"] = { state: "running" };
  const now = head.round?.rootMessageId === rootMessageId ? head.round : undefined;
  if (now !== undefined && number < now.number) return { ...head, council };
  const same = now?.number === number ? now : { number, rootMessageId, running: [], settled: [] };
  const round: RoundState = {
    number,
    rootMessageId,
    running: [...without(same.running, member), member],
    settled: without(same.settled, member),
  };
  return { ...head, council, round };
}

export function leaveRound(head: Head, turn: TurnMessage): Head {
  const { round } = head;
  if (round === undefined || turn.depth > 0) return head;
  if (turn.round !== round.number || turn.rootMessageId !== round.rootMessageId) return head;
  const settled = [...without(round.settled, turn.member), turn.member];
  return { ...head, round: { ...round, running: without(round.running, turn.member), settled } };
}

export function settleCouncil(transcript: Transcript, event: EventOf<"council_settled">): Transcript {
  return keepNotice(patchHead(transcript, { council: { state: "settled", why: event.why } }), event);
}

export function pauseCouncil(transcript: Transcript, event: EventOf<"council_paused">): Transcript {
  const { why, message } = event;
  return keepNotice(patchHead(transcript, { council: { state: "paused", why, message } }), event);
}

function without(names: readonly string[], name: string): readonly string[] {
  return names.filter((one) => one !== name);
}
