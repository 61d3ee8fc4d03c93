/**
 * The editor's lines as messages for the ACP library, in both directions.
 * Promises: no line ends the connection; memory is bounded, since oversized lines are never buffered whole and nothing
 * is read while an error response is being written; requests from before the end of input are answered, except prompts,
 * which end with it.
 */
import { methods, type AnyMessage, type AnyRequest } from "@agentclientprotocol/sdk";
import * as acpAgent from "./format/acp-agent.ts";
import { createLineSplitter, formatLeftOut } from "../../src/kit/io/stdin-lines.ts";

/** Limits on open requests and their total size; the next one is rejected. */
const OPEN_REQUESTS_MAX = 1_024;
const OPEN_CHARS_MAX = 64 * 1024 * 1024;
/** Time for the last responses after the end of input. */
const LAST_ANSWERS_MS = 5_000;

export class EditorStream {
  readonly readable: ReadableStream<AnyMessage>;
  readonly writable: WritableStream<AnyMessage>;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #encoder = new TextEncoder();
  readonly #received: { readonly line: acpAgent.EditorLine; readonly chars: number }[] = [];
  readonly #open: { readonly request: AnyRequest; readonly chars: number }[] = [];
  readonly #answered = Promise.withResolvers<void>();
  #isOver = false;
  #isGivenUp = false;

  constructor(output: WritableStream<Uint8Array>, input: ReadableStream<Uint8Array>) {
    this.#writer = output.getWriter();
    this.#reader = input.getReader();
    const lines = createLineSplitter({
      onLine: (line) => this.#received.push({ line: acpAgent.readEditorLine(line), chars: line.length }),
      onLeftOut: (line) => this.#received.push({ line: acpAgent.readLeftOutLine(line, formatLeftOut(line)), chars: 0 }),
    });
    const read = async (): Promise<void> => {
      const { value, done } = await this.#reader.read();
      this.#isOver = done;
      if (done) lines.end();
      else lines.push(value);
    };
    this.readable = new ReadableStream<AnyMessage>(
      {
        pull: async (controller) => {
          const message = await this.#next(read);
          if (message === undefined) controller.close();
          else controller.enqueue(message);
        },
        cancel: async (reason) => {
          this.#isGivenUp = true;
          this.#answered.resolve();
          await this.#reader.cancel(reason);
        },
      },
      // No read-ahead.
      { highWaterMark: 0 },
    );
    this.writable = new WritableStream<AnyMessage>({ write: (message) => this.#send(message) });
  }

  /** True when the editor closed the connection, not us. */
  get hasEnded(): boolean {
    return this.#isOver && !this.#isGivenUp;
  }

  /** The next message; undefined at the end of input. */
  async #next(read: () => Promise<void>): Promise<AnyMessage | undefined> {
    for (;;) {
      const received = this.#received.shift();
      if (received?.line.kind === "refused") await this.#refuse(received.line.refused);
      if (received?.line.kind === "message") {
        const { message } = received.line;
        if (!isRequest(message)) return message;
        if (this.#isRoomFor(received.chars)) {
          this.#open.push({ request: message, chars: received.chars });
          return message;
        }
        await this.#refuse(tooMany(message.id));
      }
      if (received !== undefined) continue;
      if (this.#isOver) return await this.#lastAnswers();
      await read();
    }
  }

  #isRoomFor(chars: number): boolean {
    const openChars = this.#open.reduce((sum, one) => sum + one.chars, chars);
    return this.#open.length < OPEN_REQUESTS_MAX && openChars <= OPEN_CHARS_MAX;
  }

  async #lastAnswers(): Promise<undefined> {
    if (this.#areAllAnswered) return;
    const timer = setTimeout(this.#answered.resolve, LAST_ANSWERS_MS);
    await this.#answered.promise;
    clearTimeout(timer);
  }

  get #areAllAnswered(): boolean {
    return this.#open.every(({ request }) => request.method === methods.agent.session.prompt);
  }

  async #send(message: AnyMessage): Promise<void> {
    await this.#write(message);
    if ("method" in message) return;
    const at = this.#open.findIndex(({ request }) => request.id === message.id);
    if (at !== -1) this.#open.splice(at, 1);
    if (this.#isOver && this.#areAllAnswered) this.#answered.resolve();
  }

  async #refuse({ id, code, message }: acpAgent.RefusedLine): Promise<void> {
    await this.#write({ jsonrpc: "2.0", id, error: { code, message } });
  }

  async #write(message: object): Promise<void> {
    await this.#writer.write(this.#encoder.encode(`${JSON.stringify(message)}\n`));
  }
}

function isRequest(message: AnyMessage): message is AnyRequest {
  return "method" in message && "id" in message;
}

function tooMany(id: acpAgent.RefusedLine["id"]): acpAgent.RefusedLine {
  const message = `Invalid request: ${OPEN_REQUESTS_MAX} requests, or fewer long ones, are already open. Wait for some of the answers`;
  return { id, code: -32_600, message };
}
