/** A program that speaks on stdin and stdout, as it is run, for tests with lines that no client writes. */
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { LINE_BYTES_MAX } from "../../src/kit/io/stdin-lines.ts";
import { createHome, jsonLines, mainFile } from "../cli/program.ts";
import { until } from "../host/open-host.ts";

const home = createHome();
const children = new Set<ChildProcessWithoutNullStreams>();

/** Call it after each test. */
export function killPrograms(): void {
  for (const child of children) child.kill("SIGKILL");
  children.clear();
}

export type Frame = Record<string, unknown>;

export class LineProgram {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<unknown>;
  stdout = "";
  stderr = "";
  code: number | null = null;

  constructor(command: string) {
    this.child = spawn(process.execPath, [mainFile, command], { cwd: home.project, env: home.env, stdio: "pipe" });
    children.add(this.child);
    // A program that has ended reads no more; what it said is what is looked at.
    this.child.stdin.on("error", () => {});
    this.child.stdout.setEncoding("utf8").on("data", (text: string) => (this.stdout += text));
    this.child.stderr.setEncoding("utf8").on("data", (text: string) => (this.stderr += text));
    this.ended = once(this.child, "close").then(([code]) => (this.code = code as number | null));
  }

  /** Resolves when all of it has been taken. */
  async write(...parts: (string | Buffer)[]): Promise<void> {
    for (const part of parts) await new Promise((done) => this.child.stdin.write(part, done));
  }

  frames(): Frame[] {
    return jsonLines(this.stdout.slice(0, this.stdout.lastIndexOf("\n") + 1));
  }

  async sees(what: string, isIt: (frame: Frame) => boolean, count = 1): Promise<Frame[]> {
    await until(what, () => this.frames().filter(isIt).length >= count);
    return this.frames().filter(isIt);
  }

  async end(): Promise<number | null> {
    this.child.stdin.end();
    await this.ended;
    return this.code;
  }
}

export const DEEP = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
export const TOO_MANY_BYTES = 2 * LINE_BYTES_MAX;
export const filler = Buffer.alloc(TOO_MANY_BYTES, "x");
export const leftOut = (bytes: number): string =>
  `a line of ${bytes} bytes was left out; at most ${LINE_BYTES_MAX} are read. Send less at once, or name a file instead of its content`;

/** Runs it with a file whose first bytes nobody can read; only on Linux. */
export async function runUnreadable(command: string): Promise<{ code: number; stderr: string }> {
  const unreadable = openSync("/proc/self/mem", "r");
  const child = spawn(process.execPath, [mainFile, command], {
    cwd: home.project,
    env: home.env,
    stdio: [unreadable, "ignore", "pipe"],
  });
  closeSync(unreadable);
  let stderr = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const [code] = (await once(child, "close")) as [number];
  return { code, stderr };
}

/** Writes `first`, stops reading when the program has answered, and writes `then`; resolves when it has ended. */
export async function runUnread(command: string, first: string, then: string) {
  const program = new LineProgram(command);
  await program.write(first);
  await program.sees("its first line", () => true);
  program.child.stdout.destroy();
  await program.write(then);
  await program.ended;
  return { code: program.code, stderr: program.stderr };
}
