/**
 * Status that bwrap reports about its sandbox on a file descriptor of its own.
 * It names the first process of the namespace before anything is mounted; that process starts the program as its first
 * child when the sandbox is complete. It reports an exit code only for a program that ran, which tells its own failures
 * apart.
 */
import { readFileSync } from "node:fs";
import { constants } from "node:os";
import type { Readable } from "node:stream";
import type { ProcessList } from "../list/process-list.ts";

/** The status is a few lines of about a hundred bytes. */
const STATUS_CHARS_MAX = 64 * 1024;

export class SandboxStatus {
  /** First process of the namespace; undefined when bwrap exited without creating one. */
  readonly innerPid: Promise<number | undefined>;
  /** Resolves when the whole status was read. */
  readonly closed: Promise<void>;
  readonly #innerPid = Promise.withResolvers<number | undefined>();
  #hasRun = false;
  #text = "";

  constructor(stream: Readable) {
    this.innerPid = this.#innerPid.promise;
    stream.setEncoding("utf8");
    stream.on("data", (chunk: string) => this.#onChunk(chunk));
    stream.on("error", () => this.#innerPid.resolve(undefined));
    this.closed = new Promise((resolve) => stream.on("close", () => resolve()));
    void this.closed.then(() => this.#innerPid.resolve(undefined));
  }

  /** The program has run and exited. */
  get hasRun(): boolean {
    return this.#hasRun;
  }

  #onChunk(chunk: string): void {
    const lines = (this.#text + chunk).split("\n");
    this.#text = (lines.pop() ?? "").slice(0, STATUS_CHARS_MAX);
    for (const line of lines) {
      const inner = /"child-pid": (\d+)/.exec(line)?.[1];
      if (inner !== undefined) this.#innerPid.resolve(Number(inner));
      if (line.includes('"exit-code"')) this.#hasRun = true;
    }
  }
}

const POLL_INTERVAL_MS = 1;

/** Resolves when the program runs inside the sandbox, or when `isOver`. */
export async function awaitProgram(innerPid: number, processes: ProcessList, isOver: () => boolean): Promise<void> {
  while (!isOver() && !(await hasChild(innerPid, processes))) {
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
  }
}

async function hasChild(pid: number, processes: ProcessList): Promise<boolean> {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").trim() !== "";
  } catch (error) {
    // It has exited, or this kernel has no list of children.
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
    return (await processes.rows()).some((row) => row.ppid === pid);
  }
}

/** bwrap reports death by a signal as shells do: 128 plus its number. */
export function signalOf(code: number | undefined): NodeJS.Signals | undefined {
  const number = (code ?? 0) - 128;
  const named = Object.entries(constants.signals).find(([, value]) => value === number);
  return number > 0 && named !== undefined ? (named[0] as NodeJS.Signals) : undefined;
}

/** bwrap's own error message, extracted from stderr. */
export function bwrapError(stderr: string): string {
  const lines = stderr.split("\n").filter((line) => line.startsWith("bwrap: "));
  return (
    (lines.at(-1) ?? stderr.trim().split("\n").at(-1) ?? "").replace(/^bwrap: /, "") ||
    "bwrap exited without an error message"
  );
}
