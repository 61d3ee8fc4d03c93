/** Runs the real program as a child, with a home of its own, and says how it ended. */
import { spawn, type ChildProcess } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { HOMES_FILE } from "../remove-scratch.ts";
import { packedProgram } from "../../tooling/packed-program.ts";
import { runHere, type RanHere } from "./run-here.ts";

export const root = resolve(dirname(fileURLToPath(import.meta.url)), "..", "..");
export const mainFile = await packedProgram();
export const binFile = join(root, "bin", "roundtable.js");

export interface Ran {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  env?: Record<string, string>;
  cwd?: string;
  /** Written and closed; `"open"` leaves an empty pipe open; absent is /dev/null. */
  stdin?: string;
  /** Called with everything printed so far. */
  onStdout?: (text: string, child: ChildProcess) => void;
  node?: string;
  program?: string;
  umask?: string;
}

export interface Home {
  directory: string;
  project: string;
  dataDir: string;
  configFile: string;
  env: Record<string, string>;
  run(args: readonly string[], options?: RunOptions): Promise<Ran>;
  /** In this process, one at a time; see `run-here.ts`. */
  runHere(args: readonly string[], options?: { env?: Record<string, string> }): Promise<RanHere>;
  configure(config: object | string): void;
}

/** What a home begins with: a table of one, so that a test says whom else it seats. */
export const onlyScout = { council: { members: ["scout"] } };

/** Three seats for the same embedded member, so that several can speak. */
export const threeScouts = {
  agents: {
    ada: { kind: "embedded", model: "scout" },
    bob: { kind: "embedded", model: "scout" },
    cyd: { kind: "embedded", model: "scout" },
  },
};

// Read once: a command that runs here changes the environment for as long as it runs.
const scratch = tmpdir();
const {
  ROUNDTABLE_TEST_KEPT: kept,
  PATH: searchPath = "",
  NODE_COMPILE_CACHE: compileCache = join(scratch, "roundtable-tests-compiled"),
} = process.env;
const homes = new Set<string>();
process.once("exit", () => homes.forEach((home) => rmSync(home, { recursive: true, force: true })));

/**
 * Its path stands on pictures of screens, so it is not below the directory of this run. It goes with the process; one that
 * was killed leaves it to the end of the run.
 */
function newHome(): string {
  const home = realpathSync(mkdtempSync(join(kept ?? scratch, "rt-cli-")));
  homes.add(home);
  if (kept !== undefined) appendFileSync(join(scratch, HOMES_FILE), `${home}\n`);
  return home;
}

export function createHome(): Home {
  const directory = newHome();
  const project = join(directory, "project");
  mkdirSync(join(project, "src"), { recursive: true });
  writeFileSync(join(project, "src", "parser.js"), "export function parseWidget(text) {\n  return text.trim();\n}\n");
  const configFile = join(directory, "config", "roundtable", "config.jsonc");
  const env = {
    HOME: directory,
    XDG_CONFIG_HOME: join(directory, "config"),
    XDG_DATA_HOME: join(directory, "data"),
    PATH: searchPath,
    TZ: "UTC",
    // The program is run hundreds of times; compiled once, it starts faster.
    NODE_COMPILE_CACHE: compileCache,
  };
  const configure = (config: object | string) => {
    mkdirSync(dirname(configFile), { recursive: true });
    writeFileSync(configFile, typeof config === "string" ? config : JSON.stringify(config));
  };
  configure(onlyScout);
  return {
    directory,
    project,
    dataDir: join(directory, "data", "roundtable"),
    configFile,
    env,
    run: (args, options = {}) => run(args, { cwd: project, ...options, env: { ...env, ...options.env } }),
    runHere: (args, options = {}) => runHere(args, { cwd: project, env: { ...env, ...options.env } }),
    configure,
  };
}

function run(args: readonly string[], options: RunOptions): Promise<Ran> {
  const { env = {}, cwd, stdin, onStdout, node = process.execPath, program = mainFile, umask } = options;
  const [file, ...rest] = umask === undefined ? [node, program, ...args] : shell(umask, [node, program, ...args]);
  const child = spawn(file ?? node, rest, {
    cwd,
    env,
    stdio: [stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
  });
  if (stdin !== undefined && stdin !== "open") child.stdin?.end(stdin);
  // A program that ends without reading its input is no fault of the test.
  child.stdin?.on("error", () => {});
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    onStdout?.(stdout, child);
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  return new Promise((done, fail) => {
    child.on("error", fail);
    child.on("close", (code, signal) => done({ code, signal, stdout, stderr }));
  });
}

function shell(umask: string, command: readonly string[]): string[] {
  return ["/bin/sh", "-c", `umask ${umask} && exec "$@"`, "sh", ...command];
}

/** A shell line in which `$RT` is the program. */
export function shellLine(home: Home, line: string, env: Record<string, string> = {}): Promise<Ran> {
  const child = spawn(
    "/bin/bash",
    ["-c", `set -o pipefail\nrt() { "${process.execPath}" "${mainFile}" "$@"; }\n${line}`],
    {
      cwd: home.project,
      env: { ...home.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  return new Promise((done, fail) => {
    child.on("error", fail);
    child.on("close", (code, signal) => done({ code, signal, stdout, stderr }));
  });
}

export function jsonLines(text: string): Record<string, unknown>[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
