/** Starts test/client/programs/served-session.ts, ends it, and starts it again on the same data directory. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createJsonLineReader } from "../../src/kit/io/json-lines.ts";
import { packedTestProgram } from "../packed-program.ts";

const PROGRAM = await packedTestProgram("served-session");

export interface Doors {
  readonly socketPath: string;
  readonly url: string;
  readonly token: string;
}

export class ServedSession {
  readonly dataDir = mkdtempSync(path.join(tmpdir(), "rt-chaos-"));
  doors: Doors = { socketPath: "", url: "", token: "" };
  #current: Attendant | undefined;
  /** Loaded already, so that the next start takes no longer than opening the data directory. */
  #next: Attendant | undefined;

  static async start(): Promise<ServedSession> {
    const served = new ServedSession();
    await served.startAgain();
    return served;
  }

  async startAgain(): Promise<void> {
    this.#current = this.#next ?? new Attendant(this.dataDir);
    this.#next = undefined;
    this.doors = await this.#current.open();
  }

  /** Loads the process that `startAgain` will use. */
  prepareNext(): Promise<void> {
    this.#next ??= new Attendant(this.dataDir);
    return this.#next.loaded;
  }

  async kill(): Promise<void> {
    await this.#current?.end("SIGKILL");
  }

  pause(): void {
    this.#current?.child.kill("SIGSTOP");
  }

  async close(): Promise<void> {
    await Promise.all([this.#current?.end(), this.#next?.end("SIGKILL")]);
  }
}

class Attendant {
  readonly child: ChildProcess;
  readonly loaded: Promise<void>;
  readonly #doors = Promise.withResolvers<Doors>();

  constructor(dataDir: string) {
    this.child = spawn(process.execPath, [PROGRAM, dataDir], { stdio: ["pipe", "pipe", "inherit"] });
    const loaded = Promise.withResolvers<void>();
    this.loaded = loaded.promise;
    const reader = createJsonLineReader({
      onValue: (value) => ("loaded" in (value as object) ? loaded.resolve() : this.#doors.resolve(value as Doors)),
      onBad: (line) => this.#doors.reject(new Error(`unreadable output: ${line.head}`)),
    });
    this.child.stdout?.on("data", (chunk: Uint8Array) => reader.push(chunk));
    this.child.stdin?.on("error", () => {});
    this.child.once("exit", (code, signal) => {
      const error = new Error(`the table ended (${signal ?? code}) before it opened`);
      loaded.reject(error);
      this.#doors.reject(error);
    });
    this.loaded.catch(() => {});
    this.#doors.promise.catch(() => {});
  }

  open(): Promise<Doors> {
    this.child.stdin?.write("open\n");
    return this.#doors.promise;
  }

  async end(signal?: NodeJS.Signals): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const gone = once(this.child, "exit");
    if (signal === undefined) this.child.stdin?.end();
    else this.child.kill(signal);
    await gone;
  }
}
