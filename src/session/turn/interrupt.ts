/**
 * Interrupts. The log shows the stop at once, before any agent confirms: requests cancelled, partial text kept, tools
 * settled, turn ended, then one `output_cancelled`. Queue and pending messages stay. Nothing starts because of it: the
 * members are held until a message addresses them.
 */
import { RoundtableError, type CommandOf, type OtherTurn, type ResultOf } from "../../protocol/index.ts";
import { endTurn, timedOut } from "./run-turn.ts";
import { stopCompactions } from "../context/compactions.ts";
import { isOfDiscussion, settleDiscussion } from "../council/council.ts";
import { stopExchanges, withAnswering, type StopScope } from "../council/exchanges/exchanges.ts";
import { isSequential, memberOf, noSuchMember, joinedMembers, type RunningTurn, type SessionState } from "../state.ts";

export function interrupt(
  state: SessionState,
  command: CommandOf<"interrupt">,
  clientId: string,
): ResultOf<"interrupt"> {
  const targets = withAnswering(state, targetsOf(state, command, clientId));
  const endsDiscussion = isOfDiscussion(state, targets) || isDiscussionStopped(state, command, clientId);
  // With nothing running there is nothing to hold, and no event would record it.
  const isUnderWay = targets.length > 0 || state.retries.size > 0;
  const compactions = stopCompactions(state, whoseCompactions(command, clientId), "interrupted");
  stop(state, targets, "interrupted", command.timeoutMs);
  if (command.scope === "all" && isUnderWay) {
    state.retries.clear();
    for (const { name } of joinedMembers(state)) state.held.add(name);
  }
  stopExchanges(state, stopScope(command, clientId));
  if (targets.length > 0) {
    const { scope, audioTruncatedAtMs, audioTurnId } = command;
    state.ledger.append([
      {
        type: "output_cancelled",
        by: clientId,
        scope,
        turnIds: targets.map((running) => running.turn.identity.turnId),
        ...(audioTruncatedAtMs === undefined ? {} : { audioTruncatedAtMs }),
        ...(audioTurnId === undefined ? {} : { audioTurnId }),
      },
    ]);
  }
  if (endsDiscussion) settleDiscussion(state, "interrupted");
  interruptAgents(state, targets);
  stopBackground(state, command, targets);
  return {
    stopped: targets.length + compactions,
    members: [...new Set(targets.map(({ turn }) => turn.identity.member))],
    othersRunning: state.turns.size,
    others: [...state.turns.values()].map(({ turn }) => otherTurn(turn.identity)),
  };
}

function otherTurn({ turnId, member, clientId }: RunningTurn["turn"]["identity"]): OtherTurn {
  return clientId === undefined ? { turnId, member } : { turnId, member, clientId };
}

/** A member between turns may have left background commands running; stopping it, or everybody, stops them too. */
function stopBackground(
  state: SessionState,
  { scope, member }: CommandOf<"interrupt">,
  stopped: readonly RunningTurn[],
): void {
  if (scope === "own") return;
  const busy = new Set([...state.turns.keys(), ...stopped.map(({ turn }) => turn.identity.member)]);
  const idle = joinedMembers(state).filter(({ name }) => !busy.has(name) && (scope === "all" || name === member));
  for (const { name } of idle) state.runtimeOf(name).interrupt();
}

/** Stops everything for an internal reason: store failure or close. */
export function stopAll(state: SessionState, reason: string): void {
  const targets = [...state.turns.values()];
  stop(state, targets, reason);
  stopExchanges(state, { scope: "all" });
  interruptAgents(state, targets);
}

/** Stops the turn of a member that leaves; in sequential mode the next one may start. */
export function stopLeaving(state: SessionState, running: RunningTurn): void {
  endTurn(state, running, { outcome: "interrupted", reason: "member_left" });
  interruptAgents(state, [running]);
}

/** A discussion can be stopped between two turns too: by its own client, or with everything. */
function isDiscussionStopped(state: SessionState, { scope }: CommandOf<"interrupt">, clientId: string): boolean {
  if (scope === "member") return false;
  return scope === "all" || state.ledger.memory.council.clientId === clientId;
}

function whoseCompactions(
  { scope, member }: CommandOf<"interrupt">,
  clientId: string,
): { member?: string; clientId?: string } {
  if (scope === "own") return { clientId };
  return scope === "member" && member !== undefined ? { member } : {};
}

function stopScope({ scope, member }: CommandOf<"interrupt">, clientId: string): StopScope {
  if (scope === "own") return { scope, clientId };
  return scope === "member" && member !== undefined ? { scope, member } : { scope: "all" };
}

function targetsOf(state: SessionState, command: CommandOf<"interrupt">, clientId: string): RunningTurn[] {
  const running = [...state.turns.values()];
  if (command.scope === "all") return running;
  if (command.scope === "own") return running.filter(({ turn }) => turn.identity.clientId === clientId);
  const { member } = command;
  if (member === undefined) {
    throw new RoundtableError("bad_command", 'An interrupt of scope "member" must name the member.');
  }
  if (memberOf(state, member) === undefined) {
    throw noSuchMember(state, member);
  }
  return running.filter(({ turn }) => turn.identity.member === member);
}

function stop(state: SessionState, targets: readonly RunningTurn[], reason: string, timeoutMs?: number): void {
  for (const running of targets) {
    const { member } = running.turn.identity;
    state.retries.delete(member);
    endTurn(state, running, timeoutMs === undefined ? { outcome: "interrupted", reason } : timedOut(member, timeoutMs));
    // An interrupted member must not start anything on its own.
    state.held.add(member);
  }
  if (targets.length > 0 && isSequential(state)) holdWaiting(state);
}

/** In sequential mode the next member would start because this one stopped. */
function holdWaiting(state: SessionState): void {
  state.retries.clear();
  for (const { name } of joinedMembers(state)) {
    if (!state.turns.has(name)) state.held.add(name);
  }
}

function interruptAgents(state: SessionState, targets: readonly RunningTurn[]): void {
  for (const { turn } of targets) state.runtimeOf(turn.identity.member).interrupt();
}
