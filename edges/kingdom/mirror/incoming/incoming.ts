/**
 * Imports messages of other programs into the session, by number.
 * A message of the king goes to the members that no other program asks; members run elsewhere are shown as turns. One
 * for a single member is left to the program that wrote it while that may still answer.
 * Messages from before the mirror started, or while it was off, are history: they are shown and start no turn.
 */
import { createHash } from "node:crypto";
import path from "node:path";
import { newId } from "../../../../src/kit/ids.ts";
import * as kingdom from "../../format/kingdom.ts";
import { isBusyElsewhere } from "./busy-elsewhere.ts";
import type { MirrorContext } from "../mirror-context.ts";
import type { ExternalSpeakers } from "./external-speakers.ts";
import { isWaitOver } from "./grace.ts";
import { DelegatedMessages, type DelegatedMessage } from "./delegated-messages.ts";
import { readMessageFile, type MessageOnDisk } from "../files/read-message.ts";
import type { MessageEntry, ThreadScan } from "../files/thread-directory.ts";
import { UnreadableFile } from "../files/tree-file.ts";

/** Kingdom's programs do not write atomically: a file counts once it has been unchanged this long. */
const SETTLE_MS = 60;
const SURELY_SETTLED_MS = 1_000;
/** A message that cannot be read for this long is reported as unreadable until the next start. */
const REFUSED_MS = 10_000;
/** Default of kingdom. */
const TIMEOUT_SECONDS = 600;
const CLIENT_ID = "kd";
const LATER = Symbol("later");

interface Sighting {
  readonly size: number;
  readonly mtimeMs: number;
  readonly sinceMs: number;
}

interface Waiting {
  readonly file: string;
  readonly sinceMs: number;
  firstBusyMs: number | undefined;
}

export interface IncomingOptions {
  readonly context: MirrorContext;
  readonly speakers: ExternalSpeakers;
  readonly isOurs: (file: string) => boolean;
  readonly graceMs: number;
  /** Whom their programs ask, as files call them. */
  readonly council: ReadonlySet<string>;
}

export class Incoming {
  readonly #options: IncomingOptions;
  readonly #sightings = new Map<string, Sighting>();
  /** Imported but not yet confirmed by the log, or given up. */
  readonly #imported = new Set<string>();
  /** Time of the first read error. */
  readonly #refused = new Map<string, number>();
  readonly #delegated: DelegatedMessages;
  #history: ReadonlySet<string> | undefined;
  #waiting: Waiting | undefined;

  constructor(options: IncomingOptions) {
    this.#options = options;
    const { clock, location, session } = options.context;
    const timeoutMs = () => (session.transcript.head.settings?.timeout ?? TIMEOUT_SECONDS) * 1_000;
    this.#delegated = new DelegatedMessages({ clock, project: path.dirname(location.kd), timeoutMs });
  }

  /** True while a file is being watched closely, so that the next look should come soon. */
  get isWaiting(): boolean {
    return this.#sightings.size > 0 || this.#refused.size > 0 || this.#waiting !== undefined;
  }

  async pass(scan: ThreadScan): Promise<void> {
    const { context, isOurs } = this.#options;
    for (const { text, member, origin } of await this.#delegated.due((one) => this.#isAnswered(one, scan)))
      await this.#send(text, [member], origin);
    const known = context.index.filesOf(context.location.thread);
    const unknown = scan.messages.filter(({ file }) => !known.has(file) && !isOurs(file) && !this.#imported.has(file));
    // A new thread has no history.
    this.#history ??= new Set(context.location.isNew ? [] : unknown.map(({ file }) => file));
    for (const file of this.#sightings.keys())
      if (!unknown.some((one) => one.file === file)) this.#sightings.delete(file);
    for (const entry of unknown) if (!(await this.#importMessage(entry, scan))) return;
  }

  /** False when this message, and so everything after it, has to wait. */
  async #importMessage(entry: MessageEntry, scan: ThreadScan): Promise<boolean> {
    const { location, warn } = this.#options.context;
    const onDisk = await this.#read(entry.file);
    if (onDisk === LATER) return false;
    if (onDisk === undefined) return true;
    if (typeof onDisk === "string") {
      this.#imported.add(entry.file);
      warn(`${location.thread}/${entry.file} cannot be read (${onDisk}) and is not shown.`);
      return true;
    }
    if (!this.#isSettled(entry.file, onDisk)) return false;
    const isImported =
      entry.sender === kingdom.KING
        ? await this.#importKingMessage(entry, onDisk, scan)
        : await this.#importTurn(entry, onDisk);
    if (!isImported) return false;
    this.#sightings.delete(entry.file);
    this.#imported.add(entry.file);
    const { damage } = onDisk.read;
    if (damage !== undefined) warn(`${location.thread}/${entry.file} is damaged: ${damage}.`);
    return true;
  }

  /** A disk error may be transient: this message and the following ones wait, for a limited time. */
  async #read(file: string): Promise<MessageOnDisk | string | undefined | typeof LATER> {
    const { location, clock } = this.#options.context;
    try {
      const onDisk = await readMessageFile(location.dir, file);
      this.#refused.delete(file);
      return onDisk;
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      const nowMs = clock.monotonic();
      const sinceMs = this.#refused.get(file) ?? nowMs;
      this.#refused.set(file, sinceMs);
      if (nowMs - sinceMs < REFUSED_MS) return LATER;
      this.#refused.delete(file);
      return error.message;
    }
  }

  #isSettled(file: string, { size, mtimeMs, read }: MessageOnDisk): boolean {
    const { clock } = this.#options.context;
    if (clock.now() - mtimeMs > SURELY_SETTLED_MS) return true;
    const before = this.#sightings.get(file);
    const nowMs = clock.monotonic();
    if (before === undefined || before.size !== size || before.mtimeMs !== mtimeMs) {
      this.#sightings.set(file, { size, mtimeMs, sinceMs: nowMs });
      return false;
    }
    return nowMs - before.sinceMs >= (read.damage === undefined ? SETTLE_MS : SURELY_SETTLED_MS);
  }

  async #importKingMessage(entry: MessageEntry, { read, mtimeMs }: MessageOnDisk, scan: ThreadScan): Promise<boolean> {
    const { context } = this.#options;
    const origin = kingdom.threadOrigin(context.location.thread, entry.file);
    if (this.#history?.has(entry.file) === true) {
      await context.session.externalTurns.addMessage({ text: read.body, origin });
      return true;
    }
    const wanted = this.#addressees(read.to);
    const there = await this.#busyElsewhere(wanted, { number: entry.number, mtimeMs }, scan);
    const isForAll = read.to.includes("all") || read.to.length === 0;
    const [only, ...more] = wanted;
    const isForOne = !isForAll && only !== undefined && more.length === 0 && there.length === 0;
    if (isForOne && (await this.#delegate({ ...entry, member: only, text: read.body, origin }))) return true;
    if (!this.#isDecided(entry.file, wanted, there)) return false;
    this.#waiting = undefined;
    const ask = wanted.filter((member) => !there.includes(member));
    const to = isForAll && there.length === 0 ? ["all"] : ask;
    const isSent = ask.length > 0 && (await this.#send(read.body, to, origin));
    if (!isSent) await context.session.externalTurns.addMessage({ text: read.body, origin });
    return true;
  }

  /** Shown immediately; its writer may wait for the answer without a trace in the files. */
  async #delegate(message: DelegatedMessage): Promise<boolean> {
    // One scan per message: a writer still runs or has left a trace, and none starts later.
    if (this.#waiting?.file === message.file) return false;
    if (!(await this.#delegated.delegate(message))) return false;
    const { text, origin } = message;
    await this.#options.context.session.externalTurns.addMessage({ text, origin });
    return true;
  }

  #isAnswered({ member, number }: DelegatedMessage, { messages }: ThreadScan): boolean {
    const { context, speakers, isOurs } = this.#options;
    const sender = context.index.nameOf(member);
    const isWritten = messages.some((one) => one.sender === sender && one.number > number && !isOurs(one.file));
    return isWritten || speakers.isSpeaking(sender);
  }

  /** Members of this session whom the message is for, and who can be asked at all. */
  #addressees(to: readonly string[]): string[] {
    const { index, session } = this.#options.context;
    const askable = Object.values(session.transcript.head.members).filter(({ seated, muted }) => seated && !muted);
    const names = askable.map(({ name }) => name);
    if (to.includes("all") || to.length === 0) return names;
    return names.filter((name) => to.includes(index.nameOf(name)));
  }

  /** A chat screen asks one member after the other: once it has begun, all whom it knows are its own. */
  async #busyElsewhere(
    wanted: readonly string[],
    prompt: { readonly number: number; readonly mtimeMs: number },
    { messages }: ThreadScan,
  ): Promise<string[]> {
    const { context, speakers, isOurs, council } = this.#options;
    const { branchDir, thread } = context.location;
    const begun = new Set<string>();
    for (const sender of wanted.map((member) => context.index.nameOf(member))) {
      const isBusy =
        speakers.isSpeaking(sender) ||
        messages.some((one) => one.sender === sender && one.number > prompt.number && !isOurs(one.file)) ||
        (await isBusyElsewhere({ branchDir, thread, sender, sinceMs: prompt.mtimeMs }));
      if (isBusy) begun.add(sender);
    }
    return wanted.filter((member) => {
      const sender = context.index.nameOf(member);
      return begun.has(sender) || (begun.size > 0 && council.has(sender));
    });
  }

  #isDecided(file: string, wanted: readonly string[], there: readonly string[]): boolean {
    const { context, graceMs, speakers, council } = this.#options;
    const nowMs = context.clock.monotonic();
    if (this.#waiting?.file !== file) this.#waiting = { file, sinceMs: nowMs, firstBusyMs: undefined };
    if (there.length === wanted.length) return true;
    if (there.length > 0) this.#waiting.firstBusyMs ??= nowMs;
    const isBesideChat =
      speakers.hasFinishedStream && wanted.some((member) => council.has(context.index.nameOf(member)));
    return isWaitOver({ ...this.#waiting, nowMs, graceMs, isBesideChat });
  }

  /** False when no member could be asked; the message is then only recorded. */
  async #send(text: string, to: readonly string[], origin: string): Promise<boolean> {
    const { session, warn } = this.#options.context;
    const clientMessageId = createHash("sha256").update(origin).digest("hex");
    const ack = await session.command(
      { type: "send", commandId: newId(), text, to: [...to], clientMessageId, origin },
      CLIENT_ID,
    );
    if (!ack.ok) warn(`A message from ${origin} is shown, but was not sent to any member: ${ack.error.message}`);
    return ack.ok;
  }

  async #importTurn(entry: MessageEntry, { read, bytes }: MessageOnDisk): Promise<boolean> {
    const { context, speakers } = this.#options;
    const { session, index, location } = context;
    const member = index.memberOf(entry.sender);
    const turnBody = kingdom.decodeTurnBody(read.body, read.status);
    const hash = createHash("sha256").update(bytes).digest("hex");
    const { number } = entry;
    const before = index.unlinked(location.thread).find((one) => one.member === member && isSame(one, turnBody));
    if (before !== undefined) {
      await session.externalTurns.note({ type: "mirrored", eventSeq: before.eventSeq, number, hash });
      return true;
    }
    const end = {
      text: turnBody.text,
      outcome: turnBody.outcome,
      ...(turnBody.error === undefined ? {} : { error: turnBody.error }),
    };
    const streaming = await speakers.finish(entry.sender);
    if (streaming !== undefined) {
      const eventSeq = session.externalTurns.endTurn(streaming, end);
      if (eventSeq !== undefined) await session.externalTurns.note({ type: "mirrored", eventSeq, number, hash });
      return true;
    }
    const origin = kingdom.threadOrigin(location.thread, entry.file);
    const cut = index.cutTurnOf(member, origin);
    const replaces = cut === undefined ? {} : { replaces: cut.turnId };
    const turnId = session.externalTurns.startTurn({ member, origin, ...replaces });
    if (turnId !== undefined) session.externalTurns.endTurn(turnId, end);
    return true;
  }
}

/** The timeout is irrelevant: both use the same marker. */
function isSame({ message }: kingdom.DueMessage, turnBody: kingdom.TurnBody): boolean {
  return message.body === kingdom.encodeTurnBody(turnBody, 0);
}
