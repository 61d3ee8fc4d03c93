/**
 * Requests of members, read out one at a time. A line answers only the request that had been read out when it was
 * typed. If that was settled meanwhile, the line is neither used for another one nor sent, and a notice says so.
 */
import type { Json } from "../../protocol/index.ts";
import { describeRequest, type OpenRequest } from "../../transcript/index.ts";
import type { Theme } from "../theme/theme.ts";
import { createRequestReading, type RequestReading, type LineResult } from "./request-reading.ts";
import type { LineOutput } from "./terminal-lines.ts";

export interface PendingRequestsOptions {
  readonly lines: LineOutput;
  readonly theme: Theme;
  readonly now: () => number;
  /** False while the program asks something itself; requests are read out after that. */
  readonly mayAsk: () => boolean;
  /** Resolves with the reason when the answer was rejected. */
  readonly answer: (requestId: string, result: Json, reason?: string) => Promise<string | undefined>;
  /** Offers the text of an outdated answer as a message. */
  readonly offerMessage: (text: string) => void;
}

export class PendingRequests {
  readonly #options: PendingRequestsOptions;
  #open: readonly OpenRequest[] = [];
  #current: RequestReading | undefined;
  /** Read out and settled elsewhere; the next line may still be meant for it. */
  #lapsed: RequestReading | undefined;
  #announcedNext = false;
  /** Answered here or dismissed; not read out again unless picked. */
  readonly #handled = new Set<string>();

  constructor(options: PendingRequestsOptions) {
    this.#options = options;
  }

  /** The request that a line typed now would answer. */
  get meant(): RequestReading | undefined {
    return this.#current ?? this.#lapsed;
  }

  get isAsking(): boolean {
    return this.#current !== undefined;
  }

  show(open: readonly OpenRequest[]): void {
    this.#open = open;
    const ids = new Set(open.map(({ requestId }) => requestId));
    for (const id of this.#handled) if (!ids.has(id)) this.#handled.delete(id);
    const current = this.#current;
    if (current !== undefined && !ids.has(current.request.requestId)) {
      this.#current = undefined;
      this.#lapsed = current;
      this.#options.lines.write(`${current.request.member} is no longer waiting for your answer.`);
    }
    this.update();
  }

  /** Reads out the next request if allowed. */
  update(): void {
    const next = this.#open.find(({ requestId }) => !this.#handled.has(requestId));
    if (this.#current !== undefined || next === undefined || !this.#options.mayAsk()) return;
    if (this.#lapsed === undefined) return this.#readOut(next);
    // The line being typed was started for the lapsed request.
    if (!this.#announcedNext)
      this.#options.lines.write(`${next.member} is asking you something too; press Enter to hear it.`);
    this.#announcedNext = true;
  }

  /** Reads out this request now, even if dismissed. */
  pick(requestId: string): void {
    const request = this.#open.find((one) => one.requestId === requestId);
    if (request === undefined) return this.#options.lines.write("That request has been settled.");
    this.#handled.delete(requestId);
    this.#lapsed = undefined;
    this.#readOut(request);
  }

  remind(): void {
    const current = this.#current;
    if (current === undefined) return this.update();
    const { what } = describeRequest(current.request);
    this.#options.lines.write(`${current.request.member} is still waiting for your answer: ${what}`);
    current.readChoices(this.#options.lines);
  }

  /** Another session is shown. */
  clear(): void {
    this.#open = [];
    this.#current = undefined;
    this.#lapsed = undefined;
    this.#handled.clear();
  }

  /** False when the line answers nothing. `meant` is the request it was typed for. */
  handleLine(text: string, meant: RequestReading): boolean {
    if (meant === this.#current) {
      this.#handleAnswer(meant, text);
      return true;
    }
    const isLapsed = meant === this.#lapsed;
    if (isLapsed) this.#lapsed = undefined;
    const isHandled = this.#handleLate(meant, text, isLapsed);
    this.update();
    return isHandled;
  }

  #handleAnswer(reading: RequestReading, text: string): void {
    const { lines } = this.#options;
    if (text.trim().toLowerCase() === "later" && !text.startsWith(" ")) return this.#putAside(reading);
    const result = reading.handleLine(text);
    if (result.kind === "answer") return this.#give(reading, result);
    if (result.kind === "no-answer") lines.write(`Not an answer, and not sent. ${result.why}`);
    reading.readChoices(lines);
  }

  #handleLate(meant: RequestReading, text: string, isLapsed: boolean): boolean {
    if (text.trim() === "") return true;
    if (meant.isAnswer(text)) {
      this.#options.lines.write(`Your line was not used: ${meant.request.member}'s request was settled first.`);
      return true;
    }
    if (!isLapsed || !meant.acceptsText) return false;
    this.#options.offerMessage(text);
    return true;
  }

  #putAside({ request }: RequestReading): void {
    this.#handled.add(request.requestId);
    this.#current = undefined;
    this.#options.lines.write(`${request.member}'s request is still open; /inbox reads it again.`);
    this.update();
  }

  #give({ request }: RequestReading, { result, reason }: Extract<LineResult, { kind: "answer" }>): void {
    const { requestId, member } = request;
    this.#handled.add(requestId);
    this.#current = undefined;
    void this.#options.answer(requestId, result, reason).then((problem) => {
      if (problem === undefined) return;
      this.#options.lines.write(`Your answer to ${member} was not accepted: ${problem}`);
      this.#handled.delete(requestId);
      this.update();
    });
    this.update();
  }

  #readOut(request: OpenRequest): void {
    const { lines, theme, now } = this.#options;
    this.#announcedNext = false;
    const reading = createRequestReading(request, theme);
    this.#current = reading;
    const waiting = this.#open.filter((one) => one !== request && !this.#handled.has(one.requestId)).length;
    reading.readOut(lines, now());
    if (waiting > 0)
      lines.write(`${waiting} more ${waiting === 1 ? "request is" : "requests are"} waiting after this one.`);
    reading.readChoices(lines);
  }
}
