/**
 * From the log to the files: complete messages, and streams while members answer.
 * Promises: a message is in a file before the log records it, once; a crash in between is detected by comparison, so
 * nothing is written twice; a message replaces its stream, and both never exist together.
 */
import { createHash } from "node:crypto";
import { unlink } from "node:fs/promises";
import path from "node:path";
import type { SessionEvent } from "../../../src/protocol/index.ts";
import * as kingdom from "../format/kingdom.ts";
import type { MirrorContext } from "./mirror-context.ts";
import { ignoreMissing } from "./files/error-code.ts";
import { OwnStream } from "./own-stream.ts";
import {
  isRace,
  removeOrphanedFiles,
  moveMessage,
  readOwnMessage,
  scanThread,
  writeMessage,
  type MessageEntry,
  type ThreadScan,
} from "./files/thread-directory.ts";
import { hasContent, UnreadableFile } from "./files/tree-file.ts";

/** Limit of stream lines waiting for the disk; the message is complete in any case. */
const WAITING_LINES_MAX = 10_000;

interface Speaking {
  readonly member: string;
  readonly backend: kingdom.Backend;
  /** Undefined until it exists; null when another program streams this member. */
  stream: OwnStream | null | undefined;
  lines: string[];
  segmentId: string | undefined;
}

export class Outgoing {
  readonly #context: MirrorContext;
  readonly #config: string | undefined;
  readonly #speaking = new Map<string, Speaking>();
  /** Written, but not yet confirmed by the log. */
  readonly #written = new Set<number>();
  readonly #names = new Set<string>();
  /** False while files may contain messages that the log does not record: at the start and after a failure. */
  #hasCompared = false;
  #isStopped = false;

  constructor(context: MirrorContext, config: string | undefined) {
    this.#context = context;
    this.#config = config;
  }

  /** True for a file that this process has written, also before the log says so. */
  isOurs(file: string): boolean {
    return this.#names.has(file);
  }

  /** For live events only. */
  onEvent(event: SessionEvent): void {
    if (event.type === "turn_start" && event.depth === 0 && event.cause !== "imported") {
      const backend = kingdom.backendOf(this.#config, this.#context.index.nameOf(event.member));
      this.#speaking.set(event.turnId, {
        member: event.member,
        backend,
        stream: undefined,
        lines: [],
        segmentId: undefined,
      });
    }
    const speaking = this.#speaking.get(event.turnId ?? "");
    if (speaking === undefined) return;
    // This kind of program emits complete texts only, one per line.
    const isWhole = speaking.backend === "codex";
    if (event.type === (isWhole ? "text_done" : "text_delta"))
      this.#addStreamText(speaking, event.segmentId, event.text);
  }

  #addStreamText(speaking: Speaking, segmentId: string, text: string): void {
    if (speaking.lines.length >= WAITING_LINES_MAX) return;
    const isNext = speaking.segmentId !== undefined && speaking.segmentId !== segmentId;
    speaking.segmentId = segmentId;
    speaking.lines.push(kingdom.encodeStreamText(speaking.backend, isNext ? `\n\n${text}` : text));
  }

  /** Throws on a disk error; the next pass then starts as after a crash. */
  async pass(): Promise<void> {
    await this.#guarded(async () => {
      await this.#writeDue();
      await this.#writeStreams();
      await this.#endStreams();
    });
  }

  async #guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#hasCompared = false;
      throw error;
    }
  }

  async #writeDue(): Promise<void> {
    const { index, location, session } = this.#context;
    if (index.mirror?.thread !== location.thread) return;
    let candidates: MessageEntry[] = [];
    if (!this.#hasCompared) {
      await removeOrphanedFiles(location.dir, session.sessionId);
      candidates = await this.#unknownFiles();
      await this.#noteMoved(candidates);
    }
    for (const message of this.#due()) {
      if (this.#isStopped) return;
      const content = await this.#contentOf(message);
      const existing = await this.#claimMatch(candidates, message.message.from, content);
      const written = existing ?? (await this.#write(message, content));
      this.#names.add(written.file);
      this.#written.add(message.eventSeq);
      await this.#note(message.eventSeq, written.number, hashOf(content));
    }
    this.#hasCompared = true;
  }

  #due(): kingdom.DueMessage[] {
    const { index, location } = this.#context;
    return index.due(location.thread).filter(({ eventSeq }) => !this.#written.has(eventSeq));
  }

  /** Files of unknown origin: ours when their bytes equal a message that is due. */
  async #unknownFiles(): Promise<MessageEntry[]> {
    const { location, index } = this.#context;
    const known = index.filesOf(location.thread);
    const { messages } = await scanThread(location.dir);
    return messages.filter(({ file }) => !known.has(file) && !this.#names.has(file));
  }

  /** Messages interrupted while moving to another number: the log names the old one, the new one exists. */
  async #noteMoved(candidates: MessageEntry[]): Promise<void> {
    const { location, index } = this.#context;
    if (candidates.length === 0) return;
    const there = Map.groupBy((await scanThread(location.dir)).messages, ({ number }) => number);
    for (const [file, { isOurs, eventSeq, hash }] of index.filesOf(location.thread)) {
      const from = kingdom.parseMessageFileName(file);
      const shared = there.get(from?.number ?? 0) ?? [];
      if (!isOurs || hash === undefined || from === undefined) continue;
      // Alone under its number, so it was not moving.
      if (shared.length === 1 && shared[0]?.file === file) continue;
      const later = candidates.filter(({ number, sender }) => sender === from.sender && number > from.number);
      const moved = await this.#find(later, async (one) => hashOf(await contentOf(location.dir, one.file)) === hash);
      if (moved === undefined) continue;
      candidates.splice(candidates.indexOf(moved), 1);
      await unlink(path.join(location.dir, file)).catch(ignoreMissing);
      this.#names.add(moved.file);
      await this.#note(eventSeq, moved.number, hash);
    }
  }

  async #find(
    among: readonly MessageEntry[],
    isIt: (one: MessageEntry) => Promise<boolean>,
  ): Promise<MessageEntry | undefined> {
    for (const one of among) if (await isIt(one)) return one;
    return undefined;
  }

  /** Finds the file of this message and removes it from the list. */
  async #claimMatch(candidates: MessageEntry[], sender: string, content: string): Promise<MessageEntry | undefined> {
    const { dir } = this.#context.location;
    const isSame = async (one: MessageEntry): Promise<boolean> =>
      one.sender === sender && (await hasContent(path.join(dir, one.file), content));
    const match = await this.#find(candidates, isSame);
    if (match !== undefined) candidates.splice(candidates.indexOf(match), 1);
    return match;
  }

  async #contentOf({ message, bodyBlob }: kingdom.DueMessage): Promise<string> {
    const whole = bodyBlob === undefined ? undefined : await this.#context.blobs.get(bodyBlob.sha256);
    return kingdom.encodeMessage(
      whole === undefined ? message : { ...message, body: Buffer.from(whole).toString("utf8") },
    );
  }

  async #write({ message, turnId }: kingdom.DueMessage, content: string) {
    const { location, session, clock } = this.#context;
    const stream = this.#speaking.get(turnId ?? "")?.stream;
    return await writeMessage({
      dir: location.dir,
      sender: message.from,
      content,
      owner: session.sessionId,
      clock,
      beforePublish: () => stream?.discard(),
    });
  }

  async #note(eventSeq: number, number: number, hash: string): Promise<void> {
    await this.#context.session.externalTurns.note({ type: "mirrored", eventSeq, number, hash });
  }

  /**
   * Another program took our number at the same moment: our message moves to the end, because kingdom's screens show only
   * one of two that appear at once. One that they have shown for long stays: it would be shown again, out of order.
   */
  async makeRoom({ messages }: ThreadScan): Promise<void> {
    const { index, location } = this.#context;
    const known = index.filesOf(location.thread);
    for (const shared of Map.groupBy(messages, ({ number }) => number).values()) {
      const ours = shared.length < 2 ? undefined : shared.find(({ file }) => known.get(file)?.isOurs === true);
      if (ours === undefined || !(await isRace(location.dir, ours, shared))) continue;
      await this.#guarded(() => this.#moveBehind(ours, known.get(ours.file)?.eventSeq ?? 0));
    }
  }

  async #moveBehind({ file, sender }: MessageEntry, eventSeq: number): Promise<void> {
    const { location, session, clock } = this.#context;
    const moved = await moveMessage({ dir: location.dir, sender, owner: session.sessionId, clock }, file);
    if (moved === undefined) return;
    this.#names.add(moved.file);
    await this.#note(eventSeq, moved.number, hashOf(moved.content));
  }

  /** Exists from the start of a turn, even without text: it marks the member as working. */
  async #writeStreams(): Promise<void> {
    const { location, session, index } = this.#context;
    for (const [turnId, speaking] of this.#speaking) {
      if (!index.openTurns.some((turn) => turn.turnId === turnId)) continue;
      if (speaking.stream === undefined) {
        // Screens show a stream where it appears: not before the message that it answers.
        if (this.#due().length > 0) return;
        const sender = index.nameOf(speaking.member);
        const { sessionId } = session;
        speaking.stream = (await OwnStream.open({ dir: location.dir, sender, sessionId, turnId })) ?? null;
      }
      if (speaking.lines.length === 0 && speaking.stream?.isBroken !== true) continue;
      const lines = speaking.lines.join("");
      speaking.lines = [];
      await speaking.stream?.append(lines);
    }
  }

  /** Streams whose turn has ended and whose message is written. */
  async #endStreams(): Promise<void> {
    const open = new Set(this.#context.index.openTurns.map(({ turnId }) => turnId));
    for (const [turnId, { stream }] of this.#speaking) {
      if (open.has(turnId)) continue;
      await stream?.close();
      this.#speaking.delete(turnId);
    }
  }

  /** Stops following the log; no further message is started. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Writes due messages and removes our streams; later events are written at the next start. */
  async close(): Promise<void> {
    try {
      await this.#writeDue();
    } finally {
      await Promise.allSettled([...this.#speaking.values()].map(async ({ stream }) => await stream?.close()));
      this.#speaking.clear();
    }
  }
}

function hashOf(content: string): string {
  return createHash("sha256").update(content).digest("hex");
}

/** Empty for a missing file or one that is not a message. */
async function contentOf(dir: string, file: string): Promise<string> {
  try {
    return (await readOwnMessage(dir, file)) ?? "";
  } catch (error) {
    if (error instanceof UnreadableFile && !error.isPassing) return "";
    throw error;
  }
}
