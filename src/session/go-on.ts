/**
 * `continue` and `round`: the user lets a discussion go on. A limit that is reached is raised by its own amount again,
 * members that were held may speak, and turns that a restart cut are asked again in their place.
 */
import { RoundtableError, type CommandOf, type DraftOf, type Json } from "../protocol/index.ts";
import { roundView, type Head } from "../transcript/index.ts";
import { raiseReached } from "./council-limits.ts";
import { ROUNDS_MAX } from "./limits.ts";
import { addresseesOf, queueOf } from "./queue.ts";
import { RESTART } from "./restart-facts.ts";
import { retryOf } from "./retry.ts";
import { canBeAsked, joinedMembers, type Table } from "./table.ts";

export function continueDiscussion(table: Table, clientId: string): Json {
  const { head } = table.ledger.transcript;
  checkContinue(table, head);
  requireSpeakers(table, 1);
  const rootMessageId = head.round?.rootMessageId;
  return resumeDiscussion(table, { ...(rootMessageId === undefined ? {} : { rootMessageId }), clientId });
}

/** So many rounds more on the last discussion; one that has ended begins again after the round it had come to. */
export function addRounds(table: Table, { rounds = 1 }: CommandOf<"round">, clientId: string): Json {
  const { round, council } = table.ledger.transcript.head;
  if (round === undefined) {
    throw new RoundtableError("conflict", "There is no discussion that could have another round.", {
      hint: "Send a message to all first.",
    });
  }
  requireSpeakers(table, 2);
  const isOver = council.state === "settled" || council.state === "idle";
  const of = (isOver ? round.number : round.of) + rounds;
  if (of > ROUNDS_MAX) {
    throw new RoundtableError("too_large", `A discussion has at most ${ROUNDS_MAX} rounds; this would make ${of}.`, {
      hint: "Send a new message to all: it begins a new discussion.",
    });
  }
  return resumeDiscussion(table, { rootMessageId: round.rootMessageId, rounds: of, clientId });
}

function resumeDiscussion(table: Table, resumed: Omit<DraftOf<"council_resumed">, "type" | "raised">): Json {
  const raised = raiseReached(table.ledger.transcript.head);
  for (const { name } of joinedMembers(table)) table.held.delete(name);
  for (const turn of cutTurns(table)) table.retries.set(turn.member, retryOf(table, turn));
  table.ledger.append([{ type: "council_resumed", ...resumed, ...(raised.length === 0 ? {} : { raised }) }]);
  table.schedule();
  const view = roundView(table.ledger.transcript.head);
  return {
    ...(view === undefined ? {} : { round: view.number, of: view.of, running: [...view.running] }),
    ...(raised.length === 0 ? {} : { raised }),
  };
}

/** Each member's last turn, where it was cut when the program ended. */
function cutTurns(table: Table) {
  const turns = table.ledger.memory.mailbox.answering();
  return turns
    .filter((turn) => turns.findLast((one) => one.member === turn.member) === turn)
    .filter((turn) => turn.reason === RESTART && canBeAsked(table, turn.member) && !table.turns.has(turn.member));
}

function checkContinue(table: Table, head: Head): void {
  const { state: councilState, why } = head.council;
  if (councilState === "paused" || isStoppedAndOpen(head) || isHolding(table)) return;
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

/** Something waits for members that were stopped. */
function isHolding(table: Table): boolean {
  const { mailbox } = table.ledger.memory;
  const held = [...table.held].filter((name) => canBeAsked(table, name));
  if (held.some((name) => mailbox.pendingOf(name).length > 0)) return true;
  return queueOf(table).some((item) => addresseesOf(table, item).some((name) => held.includes(name)));
}

function requireSpeakers(table: Table, least: number): void {
  const speakers = joinedMembers(table).filter((member) => !member.muted);
  if (speakers.length >= least) return;
  throw new RoundtableError(
    "nobody_to_ask",
    speakers.length === 0
      ? "Every member is muted or has left; nobody can go on."
      : `Only ${speakers[0]?.name ?? "one member"} can speak; a discussion needs two.`,
    { hint: "Unmute a member, or add one." },
  );
}
