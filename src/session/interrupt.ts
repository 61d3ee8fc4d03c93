/**
 * Stopping what runs. The log shows it stopped at once, before any agent has confirmed: requests cancelled, partial
 * text kept in its place, tools settled, turn ended, then one `output_cancelled`. The queue and what is pending stay,
 * and nothing starts because of it: the members are held until a message addresses them.
 */
import { RoundtableError, type CommandOf, type Json } from "../protocol/index.ts";
import { endTurn, timedOut } from "./ask.ts";
import { stopCompactions } from "./compactions.ts";
import { isOfDiscussion, settleDiscussion } from "./council.ts";
import { stopExchanges, withAnswering, type StopScope } from "./exchanges.ts";
import { isSequential, memberOf, noSuchMember, joinedMembers, type RunningTurn, type Table } from "./table.ts";

export function interrupt(table: Table, command: CommandOf<"interrupt">, clientId: string): Json {
  const targets = withAnswering(table, targetsOf(table, command, clientId));
  const endsDiscussion = isOfDiscussion(table, targets) || isDiscussionStopped(table, command, clientId);
  // With nothing under way there is nothing to hold back, and no event would say that somebody is held.
  const isUnderWay = targets.length > 0 || table.retries.size > 0;
  const compactions = stopCompactions(table, whoseCompactions(command, clientId), "interrupted");
  stop(table, targets, "interrupted", command.timeoutMs);
  if (command.scope === "all" && isUnderWay) {
    table.retries.clear();
    for (const { name } of joinedMembers(table)) table.held.add(name);
  }
  stopExchanges(table, stopScope(command, clientId));
  if (targets.length > 0) {
    const { scope, audioTruncatedAtMs, audioTurnId } = command;
    table.ledger.append([
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
  if (endsDiscussion) settleDiscussion(table, "interrupted");
  interruptAgents(table, targets);
  stopBackground(table, command, targets);
  return {
    stopped: targets.length + compactions,
    members: [...new Set(targets.map(({ turn }) => turn.identity.member))],
    othersRunning: table.turns.size,
    others: [...table.turns.values()].map(({ turn }) => otherTurn(turn.identity)),
  };
}

function otherTurn({ turnId, member, clientId }: RunningTurn["turn"]["identity"]): Json {
  return clientId === undefined ? { turnId, member } : { turnId, member, clientId };
}

/** A member between turns may have left commands running on purpose: who stops it, or everybody, means them too. */
function stopBackground(
  table: Table,
  { scope, member }: CommandOf<"interrupt">,
  stopped: readonly RunningTurn[],
): void {
  if (scope === "own") return;
  const busy = new Set([...table.turns.keys(), ...stopped.map(({ turn }) => turn.identity.member)]);
  const idle = joinedMembers(table).filter(({ name }) => !busy.has(name) && (scope === "all" || name === member));
  for (const { name } of idle) table.runtimeOf(name).interrupt();
}

/** Stops everything for a reason of our own: the store fails, the session closes. */
export function stopAll(table: Table, reason: string): void {
  const targets = [...table.turns.values()];
  stop(table, targets, reason);
  stopExchanges(table, { scope: "all" });
  interruptAgents(table, targets);
}

/** Stops the turn of a member that leaves; in sequential mode the next one may go on. */
export function stopLeaving(table: Table, running: RunningTurn): void {
  endTurn(table, running, { outcome: "interrupted", reason: "member_left" });
  interruptAgents(table, [running]);
}

/** Between two turns a discussion can be stopped too: by its own client, or together with everything. */
function isDiscussionStopped(table: Table, { scope }: CommandOf<"interrupt">, clientId: string): boolean {
  if (scope === "member") return false;
  return scope === "all" || table.ledger.memory.council.clientId === clientId;
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

function targetsOf(table: Table, command: CommandOf<"interrupt">, clientId: string): RunningTurn[] {
  const running = [...table.turns.values()];
  if (command.scope === "all") return running;
  if (command.scope === "own") return running.filter(({ turn }) => turn.identity.clientId === clientId);
  const { member } = command;
  if (member === undefined) {
    throw new RoundtableError("bad_command", 'An interrupt of scope "member" names the member.');
  }
  if (memberOf(table, member) === undefined) {
    throw noSuchMember(table, member);
  }
  return running.filter(({ turn }) => turn.identity.member === member);
}

function stop(table: Table, targets: readonly RunningTurn[], reason: string, timeoutMs?: number): void {
  for (const running of targets) {
    const { member } = running.turn.identity;
    table.retries.delete(member);
    endTurn(table, running, timeoutMs === undefined ? { outcome: "interrupted", reason } : timedOut(member, timeoutMs));
    // Somebody wanted it to stop, so nothing starts because of it.
    table.held.add(member);
  }
  if (targets.length > 0 && isSequential(table)) holdWaiting(table);
}

/** In sequential mode the next member would start because this one stopped. */
function holdWaiting(table: Table): void {
  table.retries.clear();
  for (const { name } of joinedMembers(table)) {
    if (!table.turns.has(name)) table.held.add(name);
  }
}

function interruptAgents(table: Table, targets: readonly RunningTurn[]): void {
  for (const { turn } of targets) table.runtimeOf(turn.identity.member).interrupt();
}
