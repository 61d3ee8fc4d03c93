/** Endpoint of a stored session for one client: events come from the store, commands go through the inbox. */
import { HEARTBEAT_MS, type EndpointSink, type SessionEndpoint } from "../../host/index.ts";
import type { Clock } from "../../kit/clock.ts";
import { RoundtableError, toAnswerError, type Ack, type Command, type Cursor } from "../../protocol/index.ts";
import { senderFor } from "../people/live-people.ts";
import { commandAction } from "../people/may.ts";
import { asAnswer, TeamStoreError, type PostedCommand } from "../store/team-store.ts";
import type { PostgresStore } from "../store/postgres/open-store.ts";
import type { Rights } from "./rights.ts";

/** A runner that does not acknowledge within this time may still do it; the client is told so. */
const ANSWER_MS = 30_000;

export interface StoredSessionOptions {
  readonly sessionId: string;
  readonly store: PostgresStore;
  readonly rights: Rights;
  readonly clock: Clock;
  readonly sink: EndpointSink;
}

export class StoredSession implements SessionEndpoint {
  readonly #options: StoredSessionOptions;
  readonly #over = new AbortController();
  /** Acknowledgements of what the client has not seen yet. */
  readonly #held = new Set<{ readonly seq: number; readonly release: () => void }>();
  #following: AbortController | undefined;
  #deliveredSeq = 0;

  constructor(options: StoredSessionOptions) {
    this.#options = options;
  }

  command(command: Command): void {
    void runCommand(this.#options, command, this.#over.signal).then((ack) => {
      if (ack !== undefined && !this.isOver) this.#acknowledge(ack);
    });
  }

  async subscribe(cursor: Cursor, onReady: (head: Cursor) => void): Promise<void> {
    const { sessionId, store, rights, sink } = this.#options;
    this.unsubscribe();
    await rights.expect("read", sessionId);
    const head = (await asAnswer(store.head(sessionId)))?.head;
    if (head === undefined) throw new RoundtableError("unknown_session", `There is no session ${sessionId}.`);
    const mine = new AbortController();
    this.#following = mine;
    this.#deliveredSeq = cursor.seq;
    onReady(head);
    this.#watch(head, mine.signal, 0);
    this.#follow(cursor, AbortSignal.any([mine.signal, this.#over.signal])).catch((error: unknown) => {
      if (mine.signal.aborted || this.isOver) return;
      this.unsubscribe();
      sink.resync(error instanceof TeamStoreError ? error.message : "the session cannot be read");
    });
  }

  unsubscribe(): void {
    this.#following?.abort();
    this.#following = undefined;
    this.#releaseUpTo(Infinity);
  }

  leave(): void {
    this.unsubscribe();
    this.#over.abort();
  }

  get isOver(): boolean {
    return this.#over.signal.aborted;
  }

  async #follow(cursor: Cursor, signal: AbortSignal): Promise<void> {
    const { sessionId, store, rights, sink } = this.#options;
    for await (const events of store.tail(sessionId, cursor, signal)) {
      if (!rights.mayStillRead(sessionId)) return this.#revoke();
      const drained = sink.events(events);
      this.#deliveredSeq = events.at(-1)?.seq ?? this.#deliveredSeq;
      this.#releaseUpTo(this.#deliveredSeq);
      if (drained !== undefined) await drained;
      if (signal.aborted) return;
    }
  }

  /** A session in which nothing happens is taken away too. */
  #watch(head: Cursor, signal: AbortSignal, checks: number): void {
    const { sessionId, rights, clock, sink } = this.#options;
    const cancel = clock.after(RECHECK_MS, () => {
      if (!rights.mayStillRead(sessionId)) return this.#revoke();
      if ((checks * RECHECK_MS) % HEARTBEAT_MS === 0) sink.heartbeat(head);
      return this.#watch(head, signal, checks + 1);
    });
    signal.addEventListener("abort", cancel, { once: true });
  }

  #revoke(): void {
    this.unsubscribe();
    this.#options.sink.resync("you no longer have access to this session");
  }

  /** Clients see the effects of a command before its acknowledgement, unless they take too long. */
  #acknowledge(ack: Ack): void {
    const { clock, sink } = this.#options;
    const seq = ack.ok ? ack.seq : 0;
    const release = (): void => {
      cancel();
      this.#held.delete(one);
      if (!this.isOver) sink.acked(ack);
    };
    const one = { seq, release };
    const cancel = clock.after(EFFECT_MS, release);
    this.#held.add(one);
    if (this.#following === undefined || seq <= this.#deliveredSeq) release();
  }

  #releaseUpTo(seq: number): void {
    for (const one of this.#held) if (one.seq <= seq) one.release();
  }
}

/** How long an acknowledgement waits for the events of its command. */
const EFFECT_MS = 2_000;
/** How often rights are checked for a session in which nothing happens. */
const RECHECK_MS = 1_000;

export type CommandDeps = Pick<StoredSessionOptions, "store" | "rights" | "clock">;

/** Undefined when the client has left. */
async function runCommand(
  { sessionId, ...deps }: StoredSessionOptions,
  command: Command,
  signal: AbortSignal,
): Promise<Ack | undefined> {
  try {
    const { runnerId } = await deps.rights.expect(commandAction(command), sessionId);
    return await askRunner(deps, { runnerId, sessionId, command }, signal);
  } catch (error) {
    return { commandId: command.commandId, ok: false, error: toAnswerError(error) };
  }
}

/** Sends a command in the name of the person. Undefined when the signal is aborted first. */
export async function askRunner(
  { store, rights, clock }: CommandDeps,
  sent: Omit<PostedCommand, "sender">,
  signal: AbortSignal,
): Promise<Ack | undefined> {
  const { people, principal } = rights;
  const { runnerId } = sent;
  if (!people.isConnected(runnerId)) throw notConnected(people.records.runners.get(runnerId)?.name ?? "its machine");
  const late = new AbortController();
  const cancel = clock.after(ANSWER_MS, () => late.abort());
  try {
    const posted: PostedCommand = { ...sent, sender: senderFor(principal, people.records) };
    await asAnswer(store.inbox.post(posted));
    const ack = await asAnswer(store.inbox.answer(posted, AbortSignal.any([signal, late.signal])));
    if (ack !== undefined || signal.aborted) return ack;
    throw new RoundtableError("store_unavailable", `The machine did not answer within ${ANSWER_MS / 1_000} seconds.`, {
      hint: "It may still take effect. Check the session before you try again.",
    });
  } finally {
    cancel();
  }
}

function notConnected(name: string): RoundtableError {
  return new RoundtableError("locked", `${name} is not connected, so nothing was sent.`, {
    hint: "You can still read, search and export the session. To connect the machine, run roundtable join on it.",
  });
}
