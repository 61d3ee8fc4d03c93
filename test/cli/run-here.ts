/**
 * Runs command lines of the packed program in this process: a start costs a few milliseconds instead of half a second.
 * For tests of what a command prints and stores; what a process does (pipes, signals, exit, background servers) is
 * tested with `Home.run`. Environment, directory and output are the process's, so runs are serial.
 */
import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";
import { vi } from "vitest";
import type { run as runProgram } from "../../src/cli/main.ts";
import { packedProgram } from "../../tooling/packed-program.ts";

export interface RanHere {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface HereOptions {
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export interface HomeHere {
  readonly dataDir: string;
  run(args: readonly string[]): Promise<RanHere>;
}

/** There is no terminal, and nothing is configured. */
export function createHomeHere(): HomeHere {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "rt-here-")));
  const dataDir = join(directory, "data");
  const env = {
    HOME: directory,
    XDG_CONFIG_HOME: join(directory, "config"),
    ROUNDTABLE_HOME: dataDir,
    PATH: process.env["PATH"] ?? "",
  };
  return { dataDir, run: (args) => runHere(args, { env }) };
}

let last: Promise<unknown> = Promise.resolve();

export function runHere(args: readonly string[], options: HereOptions): Promise<RanHere> {
  const ran = last.then(() => runNow(args, options));
  last = ran.catch(() => undefined);
  return ran;
}

async function runNow(args: readonly string[], { env, cwd = process.cwd() }: HereOptions): Promise<RanHere> {
  const program = await packedProgram();
  const cli = join(dirname(program), "..", "dist", "cli.js");
  const { run } = (await import(pathToFileURL(cli).href)) as {
    run: typeof runProgram;
  };
  const printed = { stdout: "", stderr: "" };
  const spies = (["stdout", "stderr"] as const).map((name) =>
    vi.spyOn(process[name], "write").mockImplementation((text, encoding, done) => {
      printed[name] += String(text);
      const called = typeof encoding === "function" ? encoding : done;
      called?.();
      return true;
    }),
  );
  const before = { env: { ...process.env }, cwd: process.cwd(), program: process.argv[1] ?? "" };
  const stdin = Object.getOwnPropertyDescriptor(process, "stdin");
  // The real one keeps its identity for the operating system: HOME is read by `os.homedir()` from there.
  replaceEnvironment(env);
  process.chdir(cwd);
  process.argv[1] = program;
  Object.defineProperty(process, "stdin", { value: Readable.from([]), configurable: true });
  try {
    return { code: await run(args), ...printed };
  } finally {
    if (stdin !== undefined) Object.defineProperty(process, "stdin", stdin);
    process.argv[1] = before.program;
    process.chdir(before.cwd);
    replaceEnvironment(before.env);
    for (const spy of spies) spy.mockRestore();
  }
}

function replaceEnvironment(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
}
