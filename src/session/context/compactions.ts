/**
 * Compaction of a member's context, and undo. The log keeps everything, so an undone compaction leaves nothing behind.
 * A compaction between turns ends on its own, by an interrupt or at its timeout, and reports how; a turn that arrives
 * meanwhile waits for it.
 */
import type { CompactedEvent } from "../../agents/index.ts";
import { RoundtableError, type CommandOf, type DraftOf, type ResultOf } from "../../protocol/index.ts";
import { unknownMember } from "../delivery/addressing.ts";
import { fitEvents } from "../fit-event.ts";
import { COMPACT_MS, FOCUS_CHARS_MAX } from "../limits.ts";
import { readHistory } from "./read-history.ts";
import { memberOf, joinedMembers, type RunningCompaction, type SessionState } from "../state.ts";

/** Without a name: every capable member that is not in a turn. The outcome is in the log. */
export function compact(
  state: SessionState,
  { member, focus }: CommandOf<"compact">,
  clientId: string,
): ResultOf<"compact"> {
  if ((focus?.length ?? 0) > FOCUS_CHARS_MAX) {
    throw new RoundtableError("too_large", `The focus of a compaction is limited to ${FOCUS_CHARS_MAX} characters.`);
  }
  const names = member === undefined ? joinedMembers(state).map(({ name }) => name) : [named(state, member)];
  const refused = names.flatMap((name) => {
    const why = whyNot(state, name);
    return why === undefined ? [] : [{ member: name, why }];
  });
  const started = names.filter((name) => !refused.some((one) => one.member === name));
  if (started.length === 0) throw noneStarted(refused);
  for (const name of started) begin(state, name, { focus, clientId });
  return { started, refused };
}

/** Stops running compactions: all, one member's, or those of this client. */
export function stopCompactions(
  state: SessionState,
  whose: { readonly member?: string | undefined; readonly clientId?: string },
  reason: string,
): number {
  let stopped = 0;
  for (const [member, running] of state.compactions) {
    if (whose.member !== undefined && whose.member !== member) continue;
    if (whose.clientId !== undefined && whose.clientId !== running.clientId) continue;
    stopped += 1;
    running.end(reason);
    state.runtimeOf(member).interrupt();
  }
  return stopped;
}

/** A compaction reported by an agent, in a turn or between turns. */
export function noteCompacted(state: SessionState, member: string, event: CompactedEvent, turnId?: string): void {
  const running = state.compactions.get(member);
  if (event.native !== true && running === undefined && turnId === undefined) {
    // It was stopped at the same moment, and the log says so: the log is right.
    state.staleContexts.add(member);
    return;
  }
  const context = memberOf(state, member)?.context;
  const { type: _type, before = context?.used ?? 0, after = 0, summary = "", ...facts } = event;
  const draft: DraftOf<"compaction"> = {
    type: "compaction",
    ...(turnId === undefined ? {} : { turnId }),
    member,
    summary,
    before,
    after,
    firstKeptSeq: Math.max(1, state.ledger.seq),
    ...(running?.focus === undefined ? {} : { focus: running.focus }),
    ...(running === undefined ? { automatic: true } : {}),
    ...facts,
  };
  state.ledger.append(fitEvents(draft));
  if (context !== undefined && after > 0) {
    state.ledger.append([
      { type: "context_update", member, ...context, used: after, measured: event.measured === true },
    ]);
  }
  running?.end();
}

/** The agent failed to compact. */
export function noteCompactFailed(state: SessionState, member: string, message: string): void {
  state.compactions.get(member)?.end(message);
}

export function undoCompaction(
  state: SessionState,
  { member }: CommandOf<"compact_undo">,
  clientId: string,
): ResultOf<"compact_undo"> {
  const name = member === undefined ? lastCompacted(state) : named(state, member);
  const compaction = name === undefined ? undefined : state.ledger.memory.contexts.of(name)?.frame.compaction;
  if (name === undefined || compaction === undefined) throw nothingToUndo(state, name);
  if (state.turns.has(name) || state.compactions.has(name)) throw busy(state, name);
  const { used, window } = wouldUse(state, name, compaction);
  if (window !== undefined && used > window * UNDO_FILL_MAX) {
    const message = `The compaction of ${name} cannot be undone: its context would have about ${used} tokens, and its model takes ${window}.`;
    throw new RoundtableError("too_large", message, {
      hint: "The folded messages are in the log; the member can find them with history_search.",
    });
  }
  state.ledger.append([{ type: "compaction_undone", member: name, compactionId: compaction.id, clientId }]);
  const context = memberOf(state, name)?.context;
  if (context !== undefined) {
    state.ledger.append([{ type: "context_update", member: name, ...context, used, measured: false }]);
  }
  state.staleContexts.add(name);
  return { member: name, compactionId: compaction.id };
}

/** The rest is for the next question and its answer. */
const UNDO_FILL_MAX = 0.95;

function wouldUse(
  state: SessionState,
  name: string,
  { before, after }: { readonly before: number; readonly after: number },
): { used: number; window: number | undefined } {
  const member = memberOf(state, name);
  const used = Math.max(0, (member?.context?.used ?? after) + before - after);
  return { used, window: member?.context?.window ?? member?.spec.window };
}

function lastCompacted(state: SessionState): string | undefined {
  const seqOf = (name: string): number => state.ledger.memory.contexts.of(name)?.frame.compaction?.seq ?? 0;
  const [last] = joinedMembers(state)
    .map(({ name }) => name)
    .filter((name) => seqOf(name) > 0)
    .sort((one, other) => seqOf(other) - seqOf(one));
  return last;
}

function nothingToUndo(state: SessionState, name: string | undefined): RoundtableError {
  if (name === undefined) {
    return new RoundtableError("conflict", "No member has a compaction that could be undone.");
  }
  if (state.runtimeOf(name).capabilities().compact === "table") {
    return new RoundtableError("conflict", `${name} has no compaction that could be undone.`);
  }
  return new RoundtableError(
    "unsupported",
    `The context of ${name} is managed by its own program; a compaction there cannot be undone.`,
  );
}

function named(state: SessionState, name: string): string {
  const joined = joinedMembers(state).map((one) => one.name);
  if (!joined.includes(name)) throw unknownMember(name, joined);
  return name;
}

function whyNot(state: SessionState, name: string): string | undefined {
  if (state.runtimeOf(name).capabilities().compact === undefined) return `${name} cannot compact its context`;
  if (state.compactions.has(name)) return `the context of ${name} is already being compacted`;
  if (state.turns.has(name)) return `${name} is in a turn`;
  return undefined;
}

function noneStarted(refused: readonly { readonly member: string; readonly why: string }[]): RoundtableError {
  const isBusy = refused.some(({ why }) => !why.endsWith("its context"));
  const message = refused.length === 0 ? "The session has no members." : `${refused.map(({ why }) => why).join("; ")}.`;
  if (!isBusy) return new RoundtableError("unsupported", message);
  return new RoundtableError("busy", message, { hint: "Try again when its turn has ended; /interrupt ends it now." });
}

function busy(state: SessionState, name: string): RoundtableError {
  const what = state.turns.has(name) ? "is in a turn" : "is being compacted";
  return new RoundtableError("busy", `${name} ${what}.`, { hint: "Try again when that has ended." });
}

function begin(state: SessionState, member: string, options: { focus: string | undefined; clientId: string }): void {
  const { focus, clientId } = options;
  const over = Promise.withResolvers<void>();
  let isOver = false;
  const cancel = state.clock.after(COMPACT_MS, () => {
    running.end(`it took longer than ${COMPACT_MS / 1000} s`);
    state.runtimeOf(member).interrupt();
  });
  const running: RunningCompaction = {
    clientId,
    focus,
    done: over.promise,
    get isOver() {
      return isOver;
    },
    end(reason) {
      if (isOver) return;
      isOver = true;
      cancel();
      state.compactions.delete(member);
      if (reason !== undefined) state.ledger.append(fitEvents({ type: "compaction_failed", member, reason }));
      over.resolve();
      if (!state.isClosed) state.schedule();
    },
  };
  state.compactions.set(member, running);
  state.ledger.append([{ type: "compaction_started", member, ...(focus === undefined ? {} : { focus }), clientId }]);
  void run(state, member, running);
}

async function run(state: SessionState, member: string, running: RunningCompaction): Promise<void> {
  const runtime = state.runtimeOf(member);
  try {
    const error = await runtime.ready(() => !running.isOver);
    await state.ledger.committed();
    if (error !== undefined) return running.end(error.message);
    const hasManagedContext = runtime.capabilities().compact === "table";
    const history = hasManagedContext ? await readHistory(state, member) : undefined;
    if (running.isOver) return;
    if (history?.turns.length === 0)
      return running.end(`${member} has not answered yet, so there is nothing to compact`);
    await runtime.compact(running.focus, history);
    // The outcome was reported before; an agent that is gone reports nothing more.
    running.end("its agent was closed before it was done");
  } catch (thrown) {
    running.end(thrown instanceof Error ? thrown.message : String(thrown));
  }
}
