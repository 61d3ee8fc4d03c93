/**
 * Commands `continue` and `round`: continue a discussion. A reached limit is raised by its own amount, held members may
 * speak, and turns cut by a restart are retried.
 */
import { RoundtableError, type CommandOf, type DraftOf, type ResultOf } from "../../protocol/index.ts";
import { roundView, type Head } from "../../transcript/index.ts";
import { raiseReached } from "./reached-limits.ts";
import { ROUNDS_MAX } from "../limits.ts";
import { addresseesOf, queueOf } from "../delivery/queue.ts";
import { RESTART } from "../recovery/restart-facts.ts";
import { retryOf } from "../turn/retry.ts";
import { isAvailable, joinedMembers, type SessionState } from "../state.ts";

export function continueDiscussion(state: SessionState, clientId: string): ResultOf<"continue"> {
  const { head } = state.ledger.transcript;
  checkContinue(state, head);
  requireSpeakers(state, 1);
  const rootMessageId = head.round?.rootMessageId;
  return resumeDiscussion(state, { ...(rootMessageId === undefined ? {} : { rootMessageId }), clientId });
}

/** More rounds for the last discussion; an ended one continues after its last round. */
export function addRounds(
  state: SessionState,
  { rounds = 1 }: CommandOf<"round">,
  clientId: string,
): ResultOf<"round"> {
  const { round, council } = state.ledger.transcript.head;
  if (round === undefined) {
    throw new RoundtableError("conflict", "There is no discussion to add a round to.", {
      hint: "Send a message to all first.",
    });
  }
  requireSpeakers(state, 2);
  const isOver = council.state === "settled" || council.state === "idle";
  const of = (isOver ? round.number : round.of) + rounds;
  if (of > ROUNDS_MAX) {
    throw new RoundtableError("too_large", `A discussion has at most ${ROUNDS_MAX} rounds; this would make ${of}.`, {
      hint: "Send a new message to all to start another discussion.",
    });
  }
  return resumeDiscussion(state, { rootMessageId: round.rootMessageId, rounds: of, clientId });
}

function resumeDiscussion(
  state: SessionState,
  resumed: Omit<DraftOf<"council_resumed">, "type" | "raised">,
): ResultOf<"continue"> {
  const raised = raiseReached(state.ledger.transcript.head);
  for (const { name } of joinedMembers(state)) state.held.delete(name);
  for (const turn of cutTurns(state)) state.retries.set(turn.member, retryOf(state, turn));
  state.ledger.append([{ type: "council_resumed", ...resumed, ...(raised.length === 0 ? {} : { raised }) }]);
  state.schedule();
  const view = roundView(state.ledger.transcript.head);
  return {
    ...(view === undefined ? {} : { round: view.number, of: view.of, running: [...view.running] }),
    ...(raised.length === 0 ? {} : { raised }),
  };
}

/** Each member's last turn, where the program ended during it. */
function cutTurns(state: SessionState) {
  const turns = state.ledger.memory.mailbox.answering();
  return turns
    .filter((turn) => turns.findLast((one) => one.member === turn.member) === turn)
    .filter((turn) => turn.reason === RESTART && isAvailable(state, turn.member) && !state.turns.has(turn.member));
}

function checkContinue(state: SessionState, head: Head): void {
  const { state: councilState, why } = head.council;
  if (councilState === "paused" || isStoppedAndOpen(head) || isHolding(state)) return;
  const isOver = councilState === "settled" && why !== "interrupted";
  throw new RoundtableError(
    "conflict",
    isOver
      ? "The discussion has ended; there is nothing to continue."
      : "Nothing is paused; there is nothing to continue.",
    { hint: isOver ? "/round adds a round to it." : "Send a message, or add a round with /round." },
  );
}

function isStoppedAndOpen({ council, round }: Head): boolean {
  return council.state === "settled" && council.why === "interrupted" && round !== undefined && round.number < round.of;
}

/** Something is pending for held members. */
function isHolding(state: SessionState): boolean {
  const { mailbox } = state.ledger.memory;
  const held = [...state.held].filter((name) => isAvailable(state, name));
  if (held.some((name) => mailbox.pendingOf(name).length > 0)) return true;
  return queueOf(state).some((item) => addresseesOf(state, item).some((name) => held.includes(name)));
}

function requireSpeakers(state: SessionState, least: number): void {
  const speakers = joinedMembers(state).filter((member) => !member.muted);
  if (speakers.length >= least) return;
  throw new RoundtableError(
    "nobody_to_ask",
    speakers.length === 0
      ? "Every member is muted or has left; nobody can continue."
      : `Only ${speakers[0]?.name ?? "one member"} can speak; a discussion needs two.`,
    { hint: "Unmute a member, or add one." },
  );
}
