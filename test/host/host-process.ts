/** Starts test/host/programs/host-process.ts and talks to it. */
import { spawn, type ChildProcess } from "node:child_process";
import { createJsonLineReader, toJsonLine } from "../../src/kit/io/json-lines.ts";
import type { Ack, AnswerError, Cursor, SessionEvent } from "../../src/protocol/index.ts";
import { packedTestProgram } from "../packed-program.ts";
import { patient } from "../patience.ts";

const PROGRAM = await packedTestProgram("host-process");

type ProcessMessage =
  | { ready: true; pid: number; socketPath: string }
  | { id: number; result: unknown }
  | { id: number; error: AnswerError }
  | { sessionId: string; events: SessionEvent[] }
  | { sessionId: string; resync: string };

export class HostProcess {
  readonly events: SessionEvent[] = [];
  readonly resyncs: string[] = [];
  pid = 0;
  socketPath = "";
  stderr = "";
  readonly exited: Promise<number | string>;
  readonly #child: ChildProcess;
  readonly #ready = Promise.withResolvers<void>();
  readonly #calls = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>();
  #watchers: (() => void)[] = [];
  #nextId = 1;

  static async start(dataDir: string, { umask }: { umask?: string } = {}): Promise<HostProcess> {
    const hostProcess = new HostProcess(umask === undefined ? [dataDir] : [dataDir, umask]);
    await hostProcess.#ready.promise;
    return hostProcess;
  }

  constructor(args: string[]) {
    this.#child = spawn(process.execPath, ["--expose-gc", PROGRAM, ...args], { stdio: ["pipe", "pipe", "pipe"] });
    const reader = createJsonLineReader({
      onValue: (value) => this.#receive(value as ProcessMessage),
      onBad: (line) => this.#ready.reject(new Error(`unreadable output: ${line.head}`)),
    });
    this.#child.stdout?.on("data", (chunk: Uint8Array) => reader.push(chunk));
    this.#child.stderr?.on("data", (chunk: Uint8Array) => (this.stderr += String(chunk)));
    this.#child.stdin?.on("error", () => {});
    this.exited = new Promise((resolve) => {
      this.#child.once("exit", (code, signal) => {
        const error = new Error(`the process ended (${signal ?? code}): ${this.stderr}`);
        this.#ready.reject(error);
        for (const call of this.#calls.values()) call.reject(error);
        resolve(signal ?? code ?? -1);
      });
    });
  }

  call(order: Record<string, unknown>): Promise<unknown> {
    const id = this.#nextId++;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    promise.catch(() => {});
    this.#calls.set(id, { resolve, reject });
    this.#child.stdin?.write(toJsonLine({ id, ...order }));
    return promise;
  }

  async create(): Promise<string> {
    return ((await this.call({ do: "create" })) as { sessionId: string }).sessionId;
  }

  subscribe(sessionId: string, cursor: Cursor = { epoch: 0, seq: 0 }): Promise<unknown> {
    return this.call({ do: "subscribe", sessionId, cursor });
  }

  send(sessionId: string, text: string, clientMessageId: string): Promise<Ack> {
    return this.call({ do: "send", sessionId, text, clientMessageId }) as Promise<Ack>;
  }

  /** Resolves as soon as the events heard so far satisfy the test. */
  async until(
    what: string,
    test: (events: readonly SessionEvent[]) => boolean,
    timeoutMs = patient(30_000),
  ): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    while (!test(this.events)) {
      if (Date.now() > deadline) throw new Error(`waited in vain for ${what}; heard ${this.events.length} events`);
      const received = new Promise<void>((resolve) => {
        this.#watchers.push(resolve);
        setTimeout(resolve, 250);
      });
      await received;
    }
  }

  kill(): Promise<number | string> {
    this.#child.kill("SIGKILL");
    return this.exited;
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  async close(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      await this.call({ do: "close" }).catch(() => {});
      this.#child.stdin?.end();
      await this.exited;
    }
  }

  #receive(message: ProcessMessage): void {
    if ("ready" in message) {
      this.pid = message.pid;
      this.socketPath = message.socketPath;
      this.#ready.resolve();
    } else if ("events" in message) this.events.push(...message.events);
    else if ("resync" in message) this.resyncs.push(message.resync);
    else if ("result" in message) this.#calls.get(message.id)?.resolve(message.result);
    else this.#calls.get(message.id)?.reject(Object.assign(new Error(message.error.message), message.error));
    for (const wake of this.#watchers.splice(0)) wake();
  }
}
