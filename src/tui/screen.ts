/**
 * A bare terminal screen on one session: the log grows above, the draft stands below, Enter sends. Everything printed
 * is the printer's picture of the transcript; keys become commands and nothing else.
 */
import type { ReadStream, WriteStream } from "node:tty";
import { followSession, type Client, type FollowedSession } from "../client/index.ts";
import { newId } from "../kit/ids.ts";
import { terminalSafeLine } from "../kit/terminal-safe.ts";
import { empty, fold, fromSnapshot, isRunning, PAGE_SIZE, type Transcript } from "../transcript/index.ts";
import { edit, emptyDraft, insert, type Draft } from "./draft.ts";
import { drawFooter, statusLine, type FooterStyle } from "./footer.ts";
import { listenForKeys, type KeyMeaning } from "./keys.ts";
import { LiveArea } from "./live-area.ts";
import { takeTerminal } from "./terminal-modes.ts";

export interface ScreenOptions {
  readonly client: Client;
  /** Absent for a session that begins with the first message. */
  readonly sessionId: string | undefined;
  readonly createSession: (firstText: string) => Promise<string>;
  /** Prints a transcript append-only; `write` takes text that is safe for a terminal. */
  readonly createPrinter: (write: (text: string) => void) => { show(transcript: Transcript): void };
  readonly style: FooterStyle & { readonly bad: (text: string) => string };
  /** Where the session lives, in a few words. */
  readonly place: string;
  /** Who would answer in a new session. */
  readonly seated: readonly string[];
  /** True when turns go on after the screen has gone. */
  readonly outlivesScreen: boolean;
  readonly input: ReadStream;
  readonly output: WriteStream;
  /** Ends the screen from outside. */
  readonly signal: AbortSignal;
}

/** Resolves when the user has left; the terminal is as it was. Rejects when the host is gone. */
export async function runScreen(options: ScreenOptions): Promise<void> {
  const screen = new Screen(options);
  await screen.run();
}

const transcriptFold = {
  empty,
  fromSnapshot,
  fold,
  cursorOf: ({ head }: Transcript) => ({ epoch: head.epoch, seq: head.seq }),
};

const HELP = [
  "Enter sends, Ctrl+J makes a new line, @name at the start asks one member.",
  "Escape interrupts the turns your messages started; /interrupt all stops everything.",
  "Ctrl+C empties the draft, else interrupts, else quits. Ctrl+D or /quit quits.",
];

class Screen {
  readonly #options: ScreenOptions;
  readonly #area: LiveArea;
  readonly #printer: { show(transcript: Transcript): void };
  readonly #over = Promise.withResolvers<void>();
  #sessionId: string | undefined;
  #opening: Promise<string> | undefined;
  #session: FollowedSession<Transcript> | undefined;
  #transcript: Transcript | undefined;
  #draft: Draft = emptyDraft;
  #hasInterrupted = false;

  constructor(options: ScreenOptions) {
    this.#options = options;
    this.#sessionId = options.sessionId;
    const { output, style, place } = options;
    const terminal = {
      get columns() {
        return output.columns;
      },
      get rows() {
        return output.rows;
      },
      write: (text: string) => void output.write(text),
    };
    this.#area = new LiveArea(terminal, (columns) =>
      drawFooter({ draft: this.#draft, status: statusLine(this.#transcript, { place }) }, columns, style),
    );
    this.#printer = options.createPrinter((text) => this.#area.append(text));
    // It may fail while nobody waits yet; `run` reports it.
    this.#over.promise.catch(() => {});
  }

  async run(): Promise<void> {
    const { client, input, output, signal } = this.#options;
    const restore = takeTerminal(input, output);
    const stopKeys = listenForKeys(input, (key) => this.#press(key));
    const redraw = () => this.#area.redraw();
    const leave = () => this.#over.resolve();
    output.on("resize", redraw);
    input.once("end", leave);
    signal.addEventListener("abort", leave);
    client.onClose((reason) => this.#over.reject(new Error(`the host went away: ${reason}`)));
    try {
      this.#greet();
      if (this.#sessionId !== undefined) await this.#follow(this.#sessionId);
      await this.#over.promise;
    } finally {
      stopKeys();
      output.off("resize", redraw);
      input.off("end", leave);
      this.#session?.close();
      this.#sayFarewell();
      this.#area.close();
      restore();
    }
  }

  #greet(): void {
    if (this.#sessionId !== undefined) return this.#area.redraw();
    const names = this.#options.seated.join(", ");
    this.#note(`A new session. At the table: ${names}. Write something.`);
  }

  async #follow(sessionId: string): Promise<void> {
    this.#session = await followSession(this.#options.client, sessionId, {
      fold: transcriptFold,
      onChange: (transcript) => this.#show(transcript),
      onLost: (error) => this.#over.reject(error),
    });
  }

  #show(transcript: Transcript): void {
    const isFirst = this.#transcript === undefined;
    this.#transcript = transcript;
    const earlier = transcript.frozen.filter((page) => page === undefined).length * PAGE_SIZE;
    if (isFirst && earlier > 0) this.#note(`${earlier} earlier messages: roundtable sessions show ${this.#sessionId}`);
    if (!isRunning(transcript.head)) this.#hasInterrupted = false;
    this.#printer.show(transcript);
    this.#area.redraw();
  }

  #press(key: KeyMeaning): void {
    switch (key.kind) {
      case "text":
        this.#draft = insert(this.#draft, key.text);
        break;
      case "edit":
        this.#draft = edit(this.#draft, key.edit);
        break;
      case "send":
        this.#submit();
        break;
      case "escape":
        this.#interrupt("own");
        break;
      case "interrupt":
        this.#interruptOrQuit();
        break;
      case "end-of-input":
        if (this.#draft.text === "") this.#over.resolve();
        else this.#draft = edit(this.#draft, "delete");
        break;
    }
    this.#area.redraw();
  }

  #interruptOrQuit(): void {
    if (this.#draft.text !== "") this.#draft = emptyDraft;
    else if (this.#isRunning() && !this.#hasInterrupted) this.#interrupt("own");
    else this.#over.resolve();
  }

  #submit(): void {
    const text = this.#draft.text.trim();
    this.#draft = emptyDraft;
    if (text === "") return;
    switch (text) {
      case "/quit":
      case "/exit":
        return this.#over.resolve();
      case "/help":
        return HELP.forEach((line) => this.#note(line));
      case "/interrupt":
        return this.#interrupt("own");
      case "/interrupt all":
        return this.#interrupt("all");
      default:
        return void this.#send(text).catch((error: unknown) => this.#fail(error));
    }
  }

  async #send(text: string): Promise<void> {
    // Two messages in a row before the first is through must not make two sessions.
    this.#opening ??= this.#sessionId === undefined ? this.#open(text) : Promise.resolve(this.#sessionId);
    const sessionId = await this.#opening.catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    const ack = await this.#options.client.command(sessionId, { type: "send", text, clientMessageId: newId() });
    if (!ack.ok) this.#fail(new Error([ack.error.message, ack.error.hint].filter(Boolean).join(" ")));
  }

  async #open(text: string): Promise<string> {
    const sessionId = await this.#options.createSession(text);
    this.#sessionId = sessionId;
    await this.#follow(sessionId);
    return sessionId;
  }

  #interrupt(scope: "own" | "all"): void {
    const sessionId = this.#sessionId;
    if (sessionId === undefined || !this.#isRunning()) return;
    this.#hasInterrupted = true;
    this.#options.client.command(sessionId, { type: "interrupt", scope }).then(
      (ack) => {
        if (!ack.ok) return this.#fail(new Error(ack.error.message));
        const { stopped, othersRunning } = ack.result as { stopped: number; othersRunning: number };
        if (stopped > 0 || othersRunning === 0) return;
        this.#hasInterrupted = false;
        this.#note("What runs was started elsewhere; /interrupt all stops it.");
      },
      (error: unknown) => this.#fail(error),
    );
  }

  #isRunning(): boolean {
    return this.#transcript !== undefined && isRunning(this.#transcript.head);
  }

  #sayFarewell(): void {
    if (!this.#isRunning()) return;
    this.#note(this.#options.outlivesScreen ? "Detached; the members go on." : "The members are interrupted.");
  }

  #note(text: string): void {
    this.#area.note(this.#options.style.dim(terminalSafeLine(text)));
  }

  #fail(error: unknown): void {
    const text = error instanceof Error ? error.message : String(error);
    this.#area.note(this.#options.style.bad(terminalSafeLine(`! ${text}`)));
  }
}
