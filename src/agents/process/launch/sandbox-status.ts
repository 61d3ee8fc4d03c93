/**
 * What bwrap tells about the sandbox that it makes, on a descriptor of its own.
 * It names the namespace's first process before anything is mounted; that process starts the program as its first child
 * when all is in place. It reports an exit code only for a program that ran, so that its own failures can be told apart.
 */
import { readFileSync } from "node:fs";
import { constants } from "node:os";
import type { Readable } from "node:stream";
import type { ProcessTable } from "../table/process-table.ts";

/** The status is a few lines of a hundred bytes. */
const STATUS_CHARS_MAX = 64 * 1024;

export class SandboxStatus {
  /** The namespace's first process; null when bwrap has left without making one. */
  readonly innerPid: Promise<number | null>;
  /** All that it tells was read. */
  readonly closed: Promise<void>;
  readonly #innerPid = Promise.withResolvers<number | null>();
  #hasRun = false;
  #text = "";

  constructor(stream: Readable) {
    this.innerPid = this.#innerPid.promise;
    stream.setEncoding("utf8");
    stream.on("data", (chunk: string) => this.#onChunk(chunk));
    stream.on("error", () => this.#innerPid.resolve(null));
    this.closed = new Promise((resolve) => stream.on("close", () => resolve()));
    void this.closed.then(() => this.#innerPid.resolve(null));
  }

  /** The program has run and ended. */
  get hasRun(): boolean {
    return this.#hasRun;
  }

  /** It comes in pieces. */
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

/** Resolves when the program runs inside, or when there is no more reason to wait for it. */
export async function awaitProgram(innerPid: number, table: ProcessTable, isOver: () => boolean): Promise<void> {
  while (!isOver() && !(await hasChild(innerPid, table))) {
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
  }
}

async function hasChild(pid: number, table: ProcessTable): Promise<boolean> {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").trim() !== "";
  } catch (error) {
    // It has ended, or this kernel keeps no such list.
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
    return (await table.rows()).some((row) => row.ppid === pid);
  }
}

/** bwrap tells of a program that died by a signal as shells do. */
export function signalOf(code: number | null): NodeJS.Signals | null {
  const number = (code ?? 0) - 128;
  const named = Object.entries(constants.signals).find(([, value]) => value === number);
  return number > 0 && named !== undefined ? (named[0] as NodeJS.Signals) : null;
}

/** Its own sentences, out of what was printed. */
export function bwrapError(stderr: string): string {
  const lines = stderr.split("\n").filter((line) => line.startsWith("bwrap: "));
  return (
    (lines.at(-1) ?? stderr.trim().split("\n").at(-1) ?? "").replace(/^bwrap: /, "") || "bwrap ended without a word"
  );
}
