/**
 * Messages for one member that another program has put into the thread, and whose answer is left to that program: its
 * own commands write no stream while they wait. When it ends without an answer, or where it cannot be seen and takes
 * longer than a turn may, the member is asked here.
 */
import type { Clock } from "../../../../src/kit/clock.ts";
import { findOtherPrograms } from "./other-programs.ts";

/** Minimum time between scans of all processes. */
const PROBE_INTERVAL_MS = 1_000;
/** Delay after a program's exit, so that its last output has been read. */
const SETTLE_MS = 500;

export interface DelegatedMessage {
  readonly file: string;
  readonly number: number;
  readonly member: string;
  readonly text: string;
  readonly origin: string;
}

interface PendingDelegation extends DelegatedMessage {
  readonly sinceMs: number;
  /** Of one of kingdom's own programs, which ends when it has waited long enough. */
  readonly isKingdoms: boolean;
  /** Processes that may have written it. */
  readonly writers: readonly number[];
  probedMs: number;
  goneMs: number | undefined;
}

export interface DelegatedMessagesOptions {
  readonly clock: Clock;
  /** The directory that holds the tree. */
  readonly project: string;
  /** How long a turn may take. */
  readonly timeoutMs: () => number;
}

export class DelegatedMessages {
  readonly #options: DelegatedMessagesOptions;
  #pending: PendingDelegation[] = [];

  constructor(options: DelegatedMessagesOptions) {
    this.#options = options;
  }

  /** False when no program can be waiting for the answer. */
  async delegate(message: DelegatedMessage): Promise<boolean> {
    const { clock, project } = this.#options;
    const programs = await findOtherPrograms(project);
    if (programs !== undefined && programs.kingdom.length + programs.others.length === 0) return false;
    const nowMs = clock.monotonic();
    const isKingdoms = (programs?.kingdom.length ?? 0) > 0;
    const writers = (isKingdoms ? programs?.kingdom : programs?.others) ?? [];
    this.#pending.push({ ...message, sinceMs: nowMs, isKingdoms, writers, probedMs: nowMs, goneMs: undefined });
    return true;
  }

  /** Messages that no other program will answer any more. Answered ones are dropped. */
  async due(isAnswered: (message: DelegatedMessage) => boolean): Promise<DelegatedMessage[]> {
    this.#pending = this.#pending.filter((message) => !isAnswered(message));
    const due: PendingDelegation[] = [];
    for (const message of this.#pending) if (await this.#isDue(message)) due.push(message);
    this.#pending = this.#pending.filter((message) => !due.includes(message));
    return due;
  }

  async #isDue(message: PendingDelegation): Promise<boolean> {
    const { clock, project, timeoutMs } = this.#options;
    const nowMs = clock.monotonic();
    if (message.goneMs !== undefined && nowMs - message.goneMs >= SETTLE_MS) return true;
    // Kingdom's own programs time out themselves.
    if (!message.isKingdoms && nowMs - message.sinceMs >= timeoutMs()) return true;
    if (message.writers.length === 0 || message.goneMs !== undefined || nowMs - message.probedMs < PROBE_INTERVAL_MS)
      return false;
    message.probedMs = nowMs;
    const programs = await findOtherPrograms(project);
    // A command of kingdom's may hand over to another process; any other program must be the same process.
    const alive = message.isKingdoms
      ? programs?.kingdom
      : programs?.others.filter((pid) => message.writers.includes(pid));
    if (alive?.length === 0) message.goneMs = nowMs;
    return false;
  }
}
