/**
 * The conversation for screen readers and pipes: lines are appended and never rewritten, and no terminal mode is
 * changed. Members are announced at the start and end of their turns, and their text is read when complete.
 */
import { type Clock, systemClock } from "../../kit/clock.ts";
import { formatList, plural } from "../../kit/text/format.ts";
import { type Json, safeDefault } from "../../protocol/index.ts";
import type { Transcript } from "../../transcript/index.ts";
import { AttachedFiles } from "../app/session/attached-files.ts";
import { Conversation } from "../app/session/conversation.ts";
import { formatDelivery } from "../app/session/format-outcome.ts";
import { exitMessage, missingDirectoryWarning } from "../app/session/leaving.ts";
import { runCommandLine } from "../commands/run-command.ts";
import { Announcer } from "./announcer.ts";
import { spokenList } from "./format-session.ts";
import { createLineOutput, type LineInput, type LineOutput, listenForLines } from "./terminal-lines.ts";
import { TypedLines } from "./typed-lines.ts";
import { LongWaits } from "./long-waits.ts";
import { OwnQuestions } from "./own-questions.ts";
import { PendingRequests } from "./pending-requests.ts";
import type { ReaderOptions } from "./reader-options.ts";
import { ReaderScreen } from "./reader-screen.ts";

/** Silence after which all output counts as complete. */
const QUIET_MS = 500;

const WRITABLE = "Writable: members can edit files and run commands here; you are asked unless a rule allows it.";

const READ_ONLY = "Read-only: members only read and advise.";

/** Poll interval for stopped members. */
const STOPPED_POLL_MS = 100;

class Reader {
  readonly #options: ReaderOptions;
  readonly #clock: Clock;
  readonly #lines: LineOutput;
  readonly #conversation: Conversation;
  readonly #attached: AttachedFiles;
  readonly #questions: OwnQuestions;
  readonly #requests: PendingRequests;
  readonly #waits: LongWaits;
  readonly #screen: ReaderScreen;
  readonly #typed: TypedLines;
  readonly #over = Promise.withResolvers<void>();
  readonly #declined = new Set<string>();
  #input: LineInput | undefined;
  #announcer: Announcer | undefined;
  #shown: Transcript | undefined;
  #begunHere: string | undefined;
  #isOnline = true;
  #hasBegun = false;
  #isLeaving = false;
  /** Closes when members are done. */
  #isFinishing = false;
  #hasInterrupted = false;
  #inputEnded = false;
  #cancelQuiet: (() => void) | undefined;
  /** The newest acknowledged seq: until the transcript has it, work may be under way that is not visible yet. */
  #acked: { readonly sessionId: string | undefined; readonly seq: number } = { sessionId: undefined, seq: 0 };

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#lines = createLineOutput((text) => {
      this.#waits.spoke();
      options.write(text);
    });
    this.#waits = new LongWaits({ clock: this.#clock, write: (text) => this.#lines.write(text) });
    this.#conversation = new Conversation({
      ...options,
      onChange: () => this.#changed(),
      onError: (message) => this.#lines.write(message),
      onBegun: (sessionId) => {
        this.#begunHere = sessionId;
        this.#attached.adopt(sessionId);
      },
      onLost: (error) => this.#over.reject(error),
    });
    this.#attached = new AttachedFiles({
      files: options.files,
      sessionId: () => this.#conversation.sessionId,
      cwd: () => this.#conversation.transcript?.head.cwd,
    });
    this.#questions = new OwnQuestions(this.#lines, () => this.#onQuestionsChanged());
    this.#screen = this.#createScreen();
    this.#requests = new PendingRequests({
      lines: this.#lines,
      theme: this.#screen.theme,
      now: () => this.#clock.now(),
      mayAsk: () => !this.#questions.isAsking,
      answer: (...given) => this.#answer(...given),
      offerMessage: (text) => void this.#offerMessage(text),
    });
    this.#typed = new TypedLines({
      clock: this.#clock,
      screen: this.#screen,
      questions: this.#questions,
      requests: this.#requests,
      onLineHandled: () => this.#onLineHandled(),
    });
    // May reject before anyone awaits it; `run` reports it.
    this.#over.promise.catch(() => {});
  }

  #createScreen(): ReaderScreen {
    return new ReaderScreen({
      options: this.#options,
      conversation: this.#conversation,
      attached: this.#attached,
      lines: this.#lines,
      questions: this.#questions,
      now: () => this.#clock.now(),
      send: (text, how) => this.#send(text, how),
      openSession: (sessionId) => this.#open(sessionId),
      readRequest: (requestId) => this.#requests.pick(requestId),
      quit: (how) => (how === "stop" ? this.#quit(how) : this.#leaveWhenQuiet()),
    });
  }

  /** Resolves when the user has left or the input has ended, and everything was announced. */
  async run(): Promise<void> {
    const { signal, input, isTyped, onInterrupt } = this.#options;
    const leave = () => this.#over.resolve();
    signal.addEventListener("abort", leave);
    const release = onInterrupt(() => this.#interrupted());
    this.#input = listenForLines(input, {
      stamp: () => (this.#questions.isAsking ? undefined : this.#requests.meant),
      onMessage: (text, meant) => this.#typed.push(text, meant),
      onTooLong: () => this.#lines.write("That message is too long and was not sent; put it into a file."),
      onEnd: () => (isTyped ? this.#quit("detach") : this.#endInput()),
      waitingCount: () => this.#typed.waitingCount,
    });
    try {
      void this.#begin().catch((error: unknown) => this.#over.reject(error));
      await this.#over.promise;
    } finally {
      signal.removeEventListener("abort", leave);
      release();
      this.#input.stop();
      this.#waits.stop();
      this.#cancelQuiet?.();
      this.#screen.stopOutput();
      this.#questions.leaveAll();
      this.#options.write(exitMessage(this.#conversation));
      this.#conversation.close();
    }
  }

  async #begin(): Promise<void> {
    this.#lines.write(
      "Roundtable, in plain lines. Type a message and press Enter; /help lists the commands, /quit leaves.",
    );
    const client = await this.#conversation.connect();
    const { warning } = this.#conversation.host ?? {};
    if (warning !== undefined) this.#lines.write(`Warning: ${warning}.`);
    const choice = await this.#options.choose(client);
    if ("pick" in choice) await runCommandLine(this.#screen, "/sessions");
    if (!("pick" in choice)) await this.#open(choice.sessionId);
    // Closing the list without a choice means a new session.
    else if (this.#conversation.sessionId === undefined) await this.#conversation.open(undefined);
    await this.#introduce();
    this.#hasBegun = true;
    this.#changed();
  }

  async #open(sessionId: string | undefined): Promise<void> {
    await this.#conversation.open(sessionId);
    const lost = missingDirectoryWarning(this.#options, this.#conversation.transcript);
    if (lost !== undefined) this.#lines.write(`Warning: ${lost}`);
  }

  async #introduce(): Promise<void> {
    const lines = await this.#conversation.introduce();
    const members = this.#conversation.planned?.members.map(({ name }) => name) ?? [];
    for (const line of lines) this.#lines.quote(line);
    if (this.#conversation.sessionId === undefined) {
      this.#lines.write(`A new session. At the table: ${spokenList(members)}.`);
    }
  }

  #changed(): void {
    this.#announceConnection();
    const { transcript } = this.#conversation;
    if (transcript !== undefined && transcript !== this.#shown) this.#show(transcript);
    if (transcript === undefined && this.#shown !== undefined) this.#forget();
    if (!this.#mayRun) this.#hasInterrupted = false;
    this.#leaveWhenDone();
  }

  #show(transcript: Transcript): void {
    const { head } = transcript;
    const before = this.#shown;
    const isSame = before?.head.sessionId === head.sessionId;
    this.#shown = transcript;
    if (!isSame) this.#announcer = this.#openAnnouncer(transcript);
    const isWritable = head.settings?.writable === true;
    const wasWritable = isSame && before.head.settings?.writable === true;
    if (isWritable !== wasWritable) this.#lines.write(isWritable ? WRITABLE : READ_ONLY);
    this.#announcer?.show(transcript);
    const { editorText } = head.ui;
    if (isSame && editorText !== undefined && editorText.seq !== before.head.ui.editorText?.seq) {
      this.#lines.write("A member suggests this text for your next message:");
      this.#lines.quote(editorText.text);
    }
    if (this.#inputEnded) this.#declineRequests();
    else this.#requests.show(head.requests);
    this.#waits.show(head);
  }

  /** Everything since the user's latest message is announced as new. */
  #openAnnouncer({ head }: Transcript): Announcer {
    this.#requests.clear();
    const isBegunHere = this.#begunHere === head.sessionId;
    const openedAt = isBegunHere ? 0 : head.messageCount;
    const fromPosition = isBegunHere ? 0 : (head.latestUser?.position ?? 0);
    if (!isBegunHere) {
      const earlier =
        fromPosition === 0 ? "" : `; ${plural(fromPosition, "earlier message")} not shown, /save writes everything`;
      this.#lines.write(`Session "${head.title}"${earlier}.`);
    }
    const clientId = this.#conversation.host?.client.clientId;
    return new Announcer({
      lines: this.#lines,
      fromPosition,
      seenAs: () => this.#conversation.seenAs,
      isKnown: (message) => message.clientId === clientId && message.position >= openedAt,
    });
  }

  #forget(): void {
    this.#shown = undefined;
    this.#announcer = undefined;
    this.#requests.clear();
    this.#waits.show(undefined);
  }

  #announceConnection(): void {
    const { host, connection } = this.#conversation;
    if (host === undefined) return;
    const isOnline = connection.state === "online";
    if (isOnline === this.#isOnline) return;
    this.#isOnline = isOnline;
    this.#lines.write(isOnline ? "Reconnected." : `Connection lost: ${connection.reason}. Reconnecting.`);
  }

  #onQuestionsChanged(): void {
    this.#typed.wake();
    if (!this.#questions.isAsking) this.#requests.remind();
  }

  #onLineHandled(): void {
    this.#input?.drained();
    this.#leaveWhenDone();
  }

  async #send(text: string, how: "send" | "queue"): Promise<void> {
    if (!this.#isOnline) this.#lines.write("Not connected; it is sent when the connection is back.");
    const files = this.#attached.consume();
    const ack = await this.#conversation.send(text, how, { upload: files.upload }).catch((error: unknown) => {
      files.putBack();
      throw error;
    });
    if (!ack.ok) files.putBack();
    if (ack.ok) this.#acked = { sessionId: this.#conversation.sessionId, seq: ack.seq };
    const message = formatDelivery(ack);
    if (message !== "") this.#lines.write(ack.ok ? message : `Not sent: ${message}`);
  }

  async #answer(requestId: string, result: Json, reason?: string): Promise<string | undefined> {
    const by = `terminal ${this.#conversation.host?.client.clientId.slice(-4).toLowerCase() ?? ""}`.trim();
    try {
      const why = reason === undefined ? {} : { reason };
      const ack = await this.#conversation.command({ type: "answer", requestId, result, by, ...why });
      return ack.ok ? undefined : ack.error.message;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  async #offerMessage(text: string): Promise<void> {
    const isMessage = await this.#questions.confirm(
      "That request was settled before your answer",
      "Send it as a message?",
    );
    if (!isMessage) return this.#lines.write("It was not sent.");
    await this.#send(text, "send").catch((error: unknown) => this.#reportError(error));
  }

  #reportError(error: unknown): void {
    this.#lines.write(error instanceof Error ? error.message : String(error));
  }

  /** Ctrl+C: the first interrupts turns started here, the next closes. */
  #interrupted(): void {
    if (this.#screen.stopOutput()) return;
    if (this.#questions.isAsking) return this.#questions.leave();
    if (this.#isFinishing) {
      this.#isFinishing = false;
      return this.#quit("stop");
    }
    if (!this.#mayRun || this.#hasInterrupted) return this.#quit("detach");
    this.#hasInterrupted = true;
    this.#lines.write("Stopping. Press Ctrl+C again to leave.");
    void this.#stop().catch((error: unknown) => this.#reportError(error));
  }

  /** A message that was just sent is stopped too. */
  async #stop(): Promise<void> {
    if (!this.#conversation.isRunning) await this.#conversation.underWay;
    await this.#screen.interrupt("own");
  }

  /** A turn runs, or a message that may start one is on its way. */
  get #mayRun(): boolean {
    return this.#conversation.isRunning || this.#conversation.underWay !== undefined;
  }

  /** Waits for turns that would end with this process. */
  #leaveWhenQuiet(): void {
    const { working, host } = this.#conversation;
    if (working.length === 0 || host?.outlivesScreen === true || this.#isFinishing) return this.#quit("detach");
    this.#isFinishing = true;
    const isOne = working.length === 1;
    this.#lines.write(
      `Leaving when ${formatList(working)} ${isOne ? "is" : "are"} done. Ctrl+C stops ${isOne ? "it" : "them"}.`,
    );
    this.#leaveWhenStopped();
  }

  /** Repeated while waiting for members to stop, it closes at once. */
  #quit(how: "detach" | "stop"): void {
    if (how === "detach" || this.#isLeaving || !this.#conversation.isRunning) return this.#over.resolve();
    this.#isLeaving = true;
    this.#hasInterrupted = true;
    void this.#screen
      .interrupt("all")
      .catch((error: unknown) => this.#reportError(error))
      .then(() => this.#leaveWhenStopped());
  }

  #leaveWhenStopped(): void {
    if (!this.#conversation.isRunning) return this.#over.resolve();
    this.#clock.after(STOPPED_POLL_MS, () => this.#leaveWhenStopped());
  }

  #endInput(): void {
    this.#inputEnded = true;
    this.#declineRequests();
    this.#leaveWhenDone();
  }

  /** Nobody can type an answer any more: requests that only this client could answer get their timeout default. */
  #declineRequests(): void {
    const open = this.#conversation.transcript?.head.requests ?? [];
    if (this.#typed.isBusy || this.#conversation.host?.outlivesScreen === true) return;
    for (const { requestId, member, request } of open) {
      if (this.#declined.has(requestId)) continue;
      this.#declined.add(requestId);
      this.#lines.write(`The input has ended; ${member}'s request is left unanswered.`);
      void this.#answer(requestId, safeDefault(request.method)).then((problem) => {
        if (problem !== undefined) this.#lines.write(problem);
      });
    }
  }

  #leaveWhenDone(): void {
    if (!this.#inputEnded) return;
    if (!this.#isQuiet()) {
      this.#cancelQuiet?.();
      this.#cancelQuiet = undefined;
      return;
    }
    this.#cancelQuiet ??= this.#clock.after(QUIET_MS, () => this.#over.resolve());
  }

  #isQuiet(): boolean {
    const { host, sessionId, transcript } = this.#conversation;
    // Until then the session may still be opening.
    if (!this.#hasBegun || this.#typed.isBusy || host === undefined) return false;
    if (sessionId === undefined) return true;
    if (transcript === undefined) return false;
    if (this.#acked.sessionId === sessionId && transcript.head.seq < this.#acked.seq) return false;
    const { openTurns, deliveries, queue, council } = transcript.head;
    const turns = Object.values(openTurns);
    // Other clients may answer at the server; here nobody can.
    const isAsking = ({ turnId }: { turnId: string }) => transcript.head.requests.some((one) => one.turnId === turnId);
    if (turns.length > 0) return host.outlivesScreen && turns.every(isAsking);
    return council.state === "paused" || (queue.length === 0 && Object.keys(deliveries).length === 0);
  }
}

/** Runs the screen reader; resolves when the user has left. */
export async function runReader(options: ReaderOptions): Promise<void> {
  await new Reader(options).run();
}
