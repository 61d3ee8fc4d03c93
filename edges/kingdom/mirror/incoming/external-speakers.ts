/**
 * Members run by other programs: their streams, shown as turns that cannot be stopped here.
 * A turn lasts until the member's message is written, not until its stream goes away; one that says nothing for very
 * long is ended, because its program may have died.
 */
import { stat } from "node:fs/promises";
import path from "node:path";
import * as kingdom from "../../format/kingdom.ts";
import type { MirrorContext } from "../mirror-context.ts";
import { ignoreMissing } from "../files/error-code.ts";
import { ExternalStream, type StreamUpdate } from "./external-stream.ts";
import { streamOwner } from "../own-stream.ts";
import type { ThreadScan } from "../files/thread-directory.ts";
import { UnreadableFile } from "../files/tree-file.ts";

/** As long as their own programs wait for an answer. */
const QUIET_MS = 600_000;
/** Read and not shown yet, because earlier messages wait; reading resumes once it is shown. */
const UNSHOWN_CHARS_MAX = 4 * 1024 * 1024;

interface Speaker {
  readonly stream: ExternalStream;
  turnId: string | undefined;
  /** Its message is written; further stream output is another turn. */
  isFinished: boolean;
  grewAtMs: number;
}

export class ExternalSpeakers {
  readonly #context: MirrorContext;
  readonly #speakers = new Map<string, Speaker>();
  /** Members whose invalid stream was reported. */
  readonly #unreadable = new Set<string>();
  #hasScanned = false;

  constructor(context: MirrorContext) {
    this.#context = context;
  }

  isSpeaking(sender: string): boolean {
    const speaker = this.#speakers.get(sender);
    return speaker !== undefined && !speaker.isFinished;
  }

  get isAnySpeaking(): boolean {
    return [...this.#speakers.values()].some((one) => !one.isFinished);
  }

  /** True when streams exist whose messages are already written: a chat screen keeps them open. */
  get hasFinishedStream(): boolean {
    return [...this.#speakers.values()].some((one) => one.isFinished);
  }

  /** Must run before messages are imported, so that speakers are known. */
  async readStreams(scan: ThreadScan): Promise<void> {
    for (const [sender, file] of scan.streams)
      if (!this.#unreadable.has(sender)) await this.#readStream(sender, file, scan);
    this.#hasScanned = true;
    for (const sender of this.#unreadable) if (!scan.streams.has(sender)) this.#unreadable.delete(sender);
    for (const [sender, speaker] of this.#speakers) {
      // Removed before each retry and after the message: the turn still waits for the message.
      if (!scan.streams.has(sender) && speaker.isFinished) this.#speakers.delete(sender);
      else this.#endIfQuiet(sender, speaker);
    }
  }

  /** An invalid stream file must not block the messages. */
  async #readStream(sender: string, file: string, scan: ThreadScan): Promise<void> {
    const { location, warn } = this.#context;
    if ((this.#unshownText.get(sender)?.length ?? 0) > UNSHOWN_CHARS_MAX) return;
    try {
      const speaker = this.#speakers.get(sender) ?? (await this.#meet(sender, path.join(location.dir, file), scan));
      if (speaker === undefined) return;
      this.#speakers.set(sender, speaker);
      const update = await speaker.stream.read();
      if (update !== undefined) this.#onStreamRead(speaker, update);
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      // Read again later; the message, if it comes first, is complete.
      if (error.isPassing) return;
      this.#unreadable.add(sender);
      warn(`${location.thread}/${file} cannot be read (${error.message}) and is not shown.`);
    }
  }

  /** Emits streamed text; called once earlier messages are in the session. */
  show(): void {
    for (const [sender, speaker] of this.#speakers) {
      if (speaker.isFinished) continue;
      const text = this.#unshownText.get(sender) ?? "";
      this.#unshownText.delete(sender);
      speaker.turnId ??= this.#start(sender);
      if (speaker.turnId !== undefined && text !== "")
        this.#context.session.externalTurns.addText(speaker.turnId, text);
    }
  }

  readonly #unshownText = new Map<string, string>();

  /** The member's message is written. The turn that showed its stream, if any, is the caller's to end. */
  async finish(sender: string): Promise<string | undefined> {
    const speaker = this.#speakers.get(sender);
    if (speaker === undefined) return undefined;
    const { turnId } = speaker;
    // Reported at the next poll.
    await speaker.stream.skip().catch(() => undefined);
    this.#unshownText.delete(sender);
    speaker.turnId = undefined;
    speaker.isFinished = true;
    return turnId;
  }

  /** Undefined for a stream of this session. */
  async #meet(sender: string, file: string, scan: ThreadScan): Promise<Speaker | undefined> {
    if ((await streamOwner(file)) === this.#context.session.sessionId) return undefined;
    const { clock } = this.#context;
    const speaker: Speaker = {
      stream: new ExternalStream(file),
      turnId: undefined,
      isFinished: false,
      grewAtMs: clock.monotonic(),
    };
    const stats = await stat(file).catch(ignoreMissing);
    const isOld = stats === undefined || clock.now() - stats.mtimeMs > QUIET_MS;
    if (!this.#hasScanned && (isOld || hasAnswered(scan, sender))) {
      await speaker.stream.skip();
      speaker.isFinished = true;
    }
    return speaker;
  }

  #onStreamRead(speaker: Speaker, update: StreamUpdate): void {
    const { clock, session } = this.#context;
    const sender = [...this.#speakers].find(([, one]) => one === speaker)?.[0] ?? "";
    if (update.hasRestarted) {
      this.#unshownText.delete(sender);
      if (speaker.turnId !== undefined) session.externalTurns.retract(speaker.turnId);
    }
    if (!update.hasGrown && !update.hasRestarted) return;
    speaker.isFinished = false;
    speaker.grewAtMs = clock.monotonic();
    if (update.text !== "") this.#unshownText.set(sender, (this.#unshownText.get(sender) ?? "") + update.text);
  }

  #endIfQuiet(sender: string, speaker: Speaker): void {
    const { clock, session } = this.#context;
    if (speaker.isFinished || clock.monotonic() - speaker.grewAtMs < QUIET_MS) return;
    if (speaker.turnId !== undefined)
      session.externalTurns.endTurn(speaker.turnId, { outcome: "interrupted", reason: "quiet" });
    this.#unshownText.delete(sender);
    speaker.turnId = undefined;
    speaker.isFinished = true;
  }

  #start(sender: string): string | undefined {
    const { session, location, index } = this.#context;
    const member = index.memberOf(sender);
    const origin = kingdom.threadOrigin(location.thread, kingdom.streamFileName(sender));
    const cut = index.cutTurnOf(member, origin);
    return session.externalTurns.startTurn({ member, origin, ...(cut === undefined ? {} : { replaces: cut.turnId }) });
  }
}

/** Already answered the king's last message: a remaining stream is a leftover. */
function hasAnswered({ messages }: ThreadScan, sender: string): boolean {
  const promptNumber = messages.findLast((one) => one.sender === kingdom.KING)?.number ?? 0;
  return messages.some((one) => one.sender === sender && one.number > promptNumber);
}
