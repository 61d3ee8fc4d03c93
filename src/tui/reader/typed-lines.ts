/**
 * Processes typed lines in order. A line goes to a question of the program, to the request it was typed for, to a
 * command, or to the session. A command holds the lines after it until it is done, asks something, or takes too long.
 */
import type { Clock } from "../../kit/clock.ts";
import { runCommandLine } from "../commands/run-command.ts";
import { parseCommandLine } from "../../kit/text/command-line.ts";
import type { CommandScreen } from "../commands/command.ts";
import type { PendingRequests } from "./pending-requests.ts";
import type { OwnQuestions } from "./own-questions.ts";
import { withoutMeaning } from "./reader-screen.ts";
import type { RequestReading } from "./request-reading.ts";

/** A command that waits for an offline host must not keep the user from leaving. */
const COMMAND_HOLDS_MS = 2_000;

interface TypedLinesOptions {
  readonly clock: Clock;
  readonly screen: CommandScreen;
  readonly questions: OwnQuestions;
  readonly requests: PendingRequests;
  readonly onLineHandled: () => void;
}

export class TypedLines {
  readonly #options: TypedLinesOptions;
  readonly #waiting: { readonly text: string; readonly meant: RequestReading | undefined }[] = [];
  #isPumping = false;
  #running = 0;
  #wake: (() => void) | undefined;

  constructor(options: TypedLinesOptions) {
    this.#options = options;
  }

  get waitingCount(): number {
    return this.#waiting.length;
  }

  get isBusy(): boolean {
    return this.#waiting.length > 0 || this.#running > 0;
  }

  push(text: string, meant: RequestReading | undefined): void {
    this.#waiting.push({ text, meant });
    if (!this.#isPumping) void this.#pump();
  }

  /** The program asks something: the next line may be handled. */
  wake(): void {
    this.#wake?.();
  }

  async #pump(): Promise<void> {
    this.#isPumping = true;
    try {
      for (let line = this.#waiting.shift(); line !== undefined; line = this.#waiting.shift()) {
        await this.#handle(line.text, line.meant);
        this.#options.onLineHandled();
      }
    } finally {
      this.#isPumping = false;
    }
  }

  async #handle(text: string, meant: RequestReading | undefined): Promise<void> {
    const { questions, requests, screen } = this.#options;
    const isCommand = parseCommandLine(text).kind === "command";
    if (questions.isAsking && !isCommand) {
      questions.handleLine(text);
      return await this.#holdWhileRunning();
    }
    if (isCommand) return await this.#run(text);
    if (meant !== undefined && requests.handleLine(text, meant)) return;
    if (text.trim() === "") return;
    void this.#track(screen.send(text, "send"));
  }

  async #run(text: string): Promise<void> {
    const why = withoutMeaning(text);
    if (why !== undefined) return this.#options.screen.notify(why);
    void this.#track(runCommandLine(this.#options.screen, text));
    await this.#holdWhileRunning();
  }

  async #track(work: Promise<unknown>): Promise<void> {
    this.#running += 1;
    try {
      await work;
    } catch (error) {
      this.#options.screen.notify(error instanceof Error ? error.message : String(error));
    } finally {
      this.#running -= 1;
      this.#wake?.();
      this.#options.onLineHandled();
    }
  }

  async #holdWhileRunning(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#options.clock.after(COMMAND_HOLDS_MS, resolve);
    this.#wake = () => {
      if (this.#running === 0 || this.#options.questions.isAsking) resolve();
    };
    // The last question may just have been answered; let its continuation run first.
    queueMicrotask(() => this.#wake?.());
    await promise;
    this.#wake = undefined;
    cancel();
  }
}
