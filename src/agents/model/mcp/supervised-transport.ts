/**
 * Transport of an MCP server process under our process supervision: allow-listed environment, bounded lines, a marker,
 * and nothing left after `close`.
 */
import {
  deserializeMessage,
  serializeMessage,
  type JSONRPCMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import type { Line } from "../../process/pipes/output-pump.ts";
import { processLimits } from "../../process/limits.ts";
import { spawnSupervised, type SpawnOptions, type SupervisedProcess } from "../../process/supervised-process.ts";

export type ServerProgram = Pick<
  SpawnOptions,
  "member" | "program" | "args" | "cwd" | "env" | "marker" | "processes" | "records"
>;

const LINE_BYTES_MAX = 16 * 1024 * 1024;
/** Between scans for descendants of the server. */
const SCAN_INTERVAL_MS = 1_000;
const CLOSE_KILL_SEQUENCE = { interruptMs: 0, sigintMs: 0, sigtermMs: 1_500, sigkillMs: 1_000 };

export class SupervisedTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #program: ServerProgram;
  #process: SupervisedProcess | undefined;
  #closing: Promise<void> | undefined;
  #scanTimer: NodeJS.Timeout | undefined;
  #scannedAtMs = Number.NEGATIVE_INFINITY;

  constructor(program: ServerProgram) {
    this.#program = program;
  }

  /** Tail of its stderr. */
  get lastStderr(): string {
    return this.#process?.stderr ?? "";
  }

  async start(): Promise<void> {
    const spawned = await spawnSupervised({
      ...this.#program,
      limits: { ...processLimits, lineBytesMax: LINE_BYTES_MAX },
      onLine: (line) => this.#receive(line),
    });
    if (!spawned.ok) throw new Error(spawned.message);
    this.#process = spawned.process;
    void Promise.race([spawned.process.done, spawned.process.outputEnded]).then(() => this.close());
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if ((await this.#process?.write(serializeMessage(message))) !== true) throw new Error("its stdin is closed");
  }

  close(): Promise<void> {
    this.#closing ??= this.#shut();
    return this.#closing;
  }

  async #shut(): Promise<void> {
    clearTimeout(this.#scanTimer);
    this.#process?.endInput();
    await this.#process?.stop({ isFinal: true, limits: CLOSE_KILL_SEQUENCE });
    this.onclose?.();
  }

  /**
   * Descendants are recorded while it lives, after its answers: once it has died, a child that left its group and has
   * no marker cannot be found.
   */
  #scheduleScan(): void {
    if (this.#scanTimer !== undefined || this.#closing !== undefined) return;
    const waitMs = Math.max(0, this.#scannedAtMs + SCAN_INTERVAL_MS - performance.now());
    this.#scanTimer = setTimeout(() => {
      this.#scanTimer = undefined;
      this.#scannedAtMs = performance.now();
      void this.#process?.processTree.find();
    }, waitMs).unref();
  }

  #receive(line: Line): void {
    if (line.kind === "oversize") {
      this.onerror?.(new Error(`it wrote a line of ${line.bytes} bytes`));
      // A caller would wait for its content in vain.
      void this.close();
      return;
    }
    if (line.text.trim() === "") return;
    try {
      const message = deserializeMessage(line.text);
      if (!("method" in message)) this.#scheduleScan();
      this.onmessage?.(message);
    } catch (error) {
      // Some servers print to stdout; that line is skipped.
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
