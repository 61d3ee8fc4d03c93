/**
 * Executes commands and acknowledges them. Only dispatches: decisions are in the functions it calls. Never rejects. An
 * acknowledgement comes after its effect is durable. Messages are handled in order; interrupts and answers never wait
 * behind them.
 */

import {
  RoundtableError,
  toAnswerError,
  type Ack,
  type Command,
  type CommandOf,
  type CommandResults,
  type Json,
} from "../protocol/index.ts";
import { unknownMentionIn, fileMentionIn } from "./delivery/addressing.ts";
import { refuseWhileArchived, clearSession, decidePlan, pinMessage, setSettings } from "./session-commands.ts";
import { forkSession, type Fork } from "./fork/command.ts";
import { compact, undoCompaction } from "./context/compactions.ts";
import { addRounds, continueDiscussion } from "./council/continue.ts";
import { interrupt } from "./turn/interrupt.ts";
import { addMember, muteMember, removeMember, switchEffort, switchModel, unmuteMember } from "./members.ts";
import { acceptMessage, promoteItem } from "./delivery/messages.ts";
import { requestMinutes } from "./council/minutes/command.ts";
import { listPermissions, revokePermission } from "./approvals/permissions.ts";
import { editItem, removeItem, reorderQueue } from "./delivery/queue.ts";
import { planRetries } from "./turn/retry.ts";
import { checkStore } from "./recovery/store-watch.ts";
import { allMemberNames, type SessionState } from "./state.ts";

/** Names relative to `cwd`, best match first. */
export type ListFiles = (cwd: string, query: string, limit: number) => Promise<readonly string[]>;

export interface Controller {
  command(command: Command, clientId: string): Promise<Ack>;
  /** A command is not acknowledged yet. */
  readonly isBusy: boolean;
  /** A message or queue change is being handled. */
  readonly isAccepting: boolean;
}

interface Done {
  readonly seq?: number;
  readonly result?: CommandResults[keyof CommandResults];
}

const NOTHING: Done = {};

/** Operations that the session delegates. */
export interface ControllerDeps {
  readonly listFiles?: ListFiles | undefined;
  readonly fork?: Fork | undefined;
}

export function createController(state: SessionState, deps: ControllerDeps): Controller {
  const serialQueue = createSerialQueue();
  let inFlight = 0;

  return {
    get isBusy() {
      return inFlight > 0;
    },
    get isAccepting() {
      return serialQueue.isBusy;
    },
    async command(command, clientId) {
      const { commandId } = command;
      inFlight += 1;
      try {
        const done = await execute({ state, serialQueue, ...deps }, command, clientId);
        const seq = done.seq ?? state.ledger.seq;
        await state.ledger.committed().catch((cause: unknown) => {
          throw new RoundtableError("closed", "The session was closed before this was on disk.", { cause });
        });
        return { commandId, ok: true, seq, ...(done.result === undefined ? {} : { result: done.result as Json }) };
      } catch (thrown) {
        if (!(thrown instanceof RoundtableError)) reportInternalError(state, command, thrown);
        return { commandId, ok: false, error: toAnswerError(thrown) };
      } finally {
        inFlight -= 1;
      }
    },
  };
}

interface CommandDeps extends ControllerDeps {
  readonly state: SessionState;
  readonly serialQueue: SerialQueue;
}

function checkAccepts(state: SessionState, { type }: Command): void {
  if (state.isClosed) throw new RoundtableError("closed", "The session is closed.");
  checkStore(state, type);
  refuseWhileArchived(state, type);
}

function execute(deps: CommandDeps, command: Command, clientId: string): Done | Promise<Done> {
  const { state, serialQueue, listFiles, fork } = deps;
  checkAccepts(state, command);
  switch (command.type) {
    case "send":
    case "steer":
    case "queue_add":
      return serialQueue.run(() =>
        withFile(deps, command, (file) => acceptMessage(state, command, { clientId, file })),
      );
    case "queue_edit":
    case "queue_reorder":
    case "queue_remove":
    case "queue_promote":
      return serialQueue.run(() => changeQueue(deps, command, clientId));
    case "interrupt":
      return interruptInOrder(deps, command, clientId);
    case "answer":
      state.requests.answer(command, clientId);
      return NOTHING;
    case "retry":
      return { result: planRetries(state, command) };
    case "continue":
      return { result: continueDiscussion(state, clientId) };
    case "round":
      return { result: addRounds(state, command, clientId) };
    case "minutes":
      return { result: requestMinutes(state, command, clientId) };
    case "list_files":
      return filesFor(state, command, listFiles);
    case "list_permissions":
      return { result: listPermissions(state) };
    case "revoke_permission":
      return revokePermission(state, command, clientId).then((result) => ({ result }));
    case "fork":
      return forkSession(state, command, fork).then((result) => ({ result }));
    case "pin":
      return pinMessage(state, command).then(() => NOTHING);
    case "mute":
    case "unmute":
    case "add_member":
    case "remove_member":
    case "switch_model":
    case "switch_effort":
      return inFull(state, () => changeMembers(state, command));
    case "clear":
    case "archive":
    case "rename":
    case "set_settings":
    case "plan_decision":
      return inFull(state, () => noteFact(state, command, clientId));
    case "compact":
      return { result: compact(state, command, clientId) };
    case "compact_undo":
      return { result: undoCompaction(state, command, clientId) };
    default:
      throw new RoundtableError("bad_command", "There is no such command.");
  }
}

/** Stops what runs at once, and messages that arrived before it but are still being stored as soon as they are. */
function interruptInOrder(
  { state, serialQueue }: CommandDeps,
  command: CommandOf<"interrupt">,
  clientId: string,
): Done {
  const result = interrupt(state, command, clientId);
  if (serialQueue.isBusy) {
    const again = async (): Promise<void> => {
      if (!state.isClosed) interrupt(state, command, clientId);
    };
    void Promise.resolve(serialQueue.run(again)).catch((thrown: unknown) =>
      reportInternalError(state, command, thrown),
    );
  }
  return { result };
}

/** What the log refused did not happen, so it is not acknowledged either. */
function inFull(state: SessionState, act: () => void): Done {
  const { ledger } = state;
  const before = ledger.refused.count;
  act();
  if (ledger.refused.count > before) throw ledger.refused.why;
  return NOTHING;
}

type QueueCommand = CommandOf<"queue_edit" | "queue_reorder" | "queue_remove" | "queue_promote">;

/** Files are searched only when the text begins with an unknown name. */
function withFile<T>(
  { state, listFiles }: CommandDeps,
  message: { readonly text: string; readonly to?: readonly string[] | undefined },
  act: (file?: string) => T | Promise<T>,
): T | Promise<T> {
  const known = allMemberNames(state);
  if (listFiles === undefined || unknownMentionIn(message, known) === undefined) return act();
  const { cwd } = state.ledger.transcript.head;
  return fileMentionIn(message, known, (query, limit) => listFiles(cwd, query, limit)).then(act);
}

function changeQueue(deps: CommandDeps, command: QueueCommand, clientId: string): Done | Promise<Done> {
  const { state } = deps;
  switch (command.type) {
    case "queue_edit":
      return withFile<Done>(deps, command, async (file) => {
        await editItem(state, command, { clientId, file });
        state.schedule();
        return NOTHING;
      });
    case "queue_reorder":
      reorderQueue(state, command);
      return NOTHING;
    case "queue_remove":
      removeItem(state, command);
      return NOTHING;
    default:
      return { result: promoteItem(state, command) };
  }
}

function changeMembers(
  state: SessionState,
  command: CommandOf<"mute" | "unmute" | "add_member" | "remove_member" | "switch_model" | "switch_effort">,
): void {
  switch (command.type) {
    case "mute":
      muteMember(state, command.member);
      state.schedule();
      return;
    case "unmute":
      unmuteMember(state, command.member);
      state.schedule();
      return;
    case "add_member":
      addMember(state, command.spec);
      return;
    case "remove_member":
      removeMember(state, command.member);
      return;
    case "switch_model":
      switchModel(state, command);
      return;
    case "switch_effort":
      switchEffort(state, command);
  }
}

function noteFact(
  state: SessionState,
  command: CommandOf<"clear" | "archive" | "rename" | "set_settings" | "plan_decision">,
  clientId: string,
): void {
  switch (command.type) {
    case "clear":
      clearSession(state, clientId);
      return;
    case "archive":
      state.ledger.append([{ type: "session_archived", archived: command.archived }]);
      return;
    case "rename":
      state.ledger.append([{ type: "session_renamed", title: command.title }]);
      return;
    case "set_settings":
      setSettings(state, command);
      state.schedule();
      return;
    case "plan_decision":
      decidePlan(state, command, clientId);
  }
}

async function filesFor(
  state: SessionState,
  { query, limit }: CommandOf<"list_files">,
  listFiles: ListFiles | undefined,
): Promise<Done> {
  if (listFiles === undefined) throw new RoundtableError("unsupported", "Files cannot be listed here.");
  return { result: { files: [...(await listFiles(state.ledger.transcript.head.cwd, query, limit))] } };
}

/** Records an internal error in the log; the session continues. */
function reportInternalError(state: SessionState, command: Command, thrown: unknown): void {
  if (state.isClosed) return;
  const message = `"${command.type}" failed inside the session: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
  const detail = thrown instanceof Error ? thrown.stack : undefined;
  state.ledger.append([{ type: "error", code: "internal", message, ...(detail === undefined ? {} : { detail }) }]);
}

/** Runs jobs one after another. A synchronous job on an idle queue is done before `run` returns. */
interface SerialQueue {
  run<T>(job: () => T | Promise<T>): T | Promise<T>;
  readonly isBusy: boolean;
}

function createSerialQueue(): SerialQueue {
  let waiting = 0;
  let tail: Promise<unknown> = Promise.resolve();
  return {
    get isBusy() {
      return waiting > 0;
    },
    run<T>(job: () => T | Promise<T>): T | Promise<T> {
      const done = waiting === 0 ? job() : tail.then(job);
      if (!(done instanceof Promise)) return done;
      waiting += 1;
      const over = (): void => {
        waiting -= 1;
      };
      tail = done.then(over, over);
      return done;
    },
  };
}
