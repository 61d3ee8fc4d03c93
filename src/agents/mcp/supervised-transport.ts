/**
 * A tool server that is a program, under the same supervision as the programs of agents: an allow-listed environment,
 * bounded lines, a mark by which it is found, and nothing of it left after `close`.
 */
import {
  deserializeMessage,
  serializeMessage,
  type JSONRPCMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import type { Line } from "../process/lines.ts";
import { processLimits } from "../process/limits.ts";
import { spawnSupervised, type SpawnOptions, type SupervisedProcess } from "../process/supervised-process.ts";

export type ServerProgram = Pick<
  SpawnOptions,
  "member" | "program" | "args" | "cwd" | "env" | "marker" | "table" | "records"
>;

const LINE_BYTES_MAX = 16 * 1024 * 1024;
const CLOSE_LADDER = { interruptMs: 0, sigintMs: 0, sigtermMs: 1_500, goneMs: 1_000 };

export class SupervisedTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #program: ServerProgram;
  #process: SupervisedProcess | null = null;
  #closing: Promise<void> | null = null;

  constructor(program: ServerProgram) {
    this.#program = program;
  }

  /** What it said last on its standard error. */
  get lastWords(): string {
    return this.#process?.stderr ?? "";
  }

  async start(): Promise<void> {
    const spawned = await spawnSupervised({
      ...this.#program,
      limits: { ...processLimits, lineBytesMax: LINE_BYTES_MAX },
      onLine: (line) => this.#hear(line),
    });
    if (!spawned.ok) throw new Error(spawned.message);
    this.#process = spawned.process;
    void Promise.race([spawned.process.done, spawned.process.outputEnded]).then(() => this.close());
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if ((await this.#process?.write(serializeMessage(message))) !== true) throw new Error("it takes no more input");
  }

  close(): Promise<void> {
    this.#closing ??= this.#shut();
    return this.#closing;
  }

  async #shut(): Promise<void> {
    this.#process?.endInput();
    await this.#process?.stop({ isFinal: true, limits: CLOSE_LADDER });
    this.onclose?.();
  }

  #hear(line: Line): void {
    if (line.kind === "oversize") {
      this.onerror?.(new Error(`it wrote a line of ${line.bytes} bytes`));
      // Whoever waits for what was in it would wait in vain.
      void this.close();
      return;
    }
    if (line.text.trim() === "") return;
    try {
      this.onmessage?.(deserializeMessage(line.text));
    } catch (error) {
      // Some servers print to where only messages belong; that line is lost, the next one may be a message.
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
