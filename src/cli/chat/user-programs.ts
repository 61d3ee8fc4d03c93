/** The user's own programs, started by the terminal app: shell, editor, clipboard. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { RunShell } from "../../tui/index.ts";
import type { Environment } from "../config/paths.ts";

/** Time to drain the output after exit, in case another process holds the pipe. */
const DRAIN_MS = 300;
/** Between SIGTERM and SIGKILL. */
const POLITE_MS = 1_000;

const IS_WINDOWS = process.platform === "win32";

/** Runs commands in the user's shell and environment. No process of a command survives its end. */
export function createUserShell(env: Environment, defaultCwd: () => Promise<string>): RunShell {
  return async (command, { cwd: given, signal, onOutput }) => {
    const cwd = given ?? (await defaultCwd());
    if (!existsSync(cwd)) throw new Error(`there is no directory ${cwd} on this machine`);
    signal.throwIfAborted();
    const child = startShell(command, cwd, env);
    await once(child, "spawn");
    const streams = [child.stdout, child.stderr].flatMap((stream) => (stream === null ? [] : [stream]));
    const drained = Promise.all(streams.map((stream) => read(stream, onOutput)));
    const ended = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
    const stop = () => void end(child, ended);
    // However this process exits, the command's processes must not survive.
    const endNow = () => signalGroup(child, "SIGKILL");
    process.once("exit", endNow);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    const [code, endedBy] = await ended;
    signal.removeEventListener("abort", stop);
    process.removeListener("exit", endNow);
    await Promise.race([drained, sleep(DRAIN_MS, undefined, { ref: false })]);
    signalGroup(child, "SIGKILL");
    for (const stream of streams) stream.destroy();
    return { code, signal: endedBy, isStopped: signal.aborted };
  };
}

function startShell(command: string, cwd: string, env: Environment): ChildProcess {
  const [program, args] = IS_WINDOWS
    ? [env["ComSpec"] ?? "cmd.exe", ["/d", "/s", "/c", `"${command}"`]]
    : [env["SHELL"] || "/bin/sh", ["-c", command]];
  return spawn(program, args, {
    cwd,
    env: { ...env },
    stdio: ["ignore", "pipe", "pipe"],
    // Its own process group: stopping it stops its children, and Ctrl+C at the terminal only reaches the app.
    detached: !IS_WINDOWS,
    windowsHide: true,
    windowsVerbatimArguments: IS_WINDOWS,
  });
}

async function read(stream: Readable, onOutput: (text: string) => void): Promise<void> {
  const decoder = new StringDecoder("utf8");
  stream.on("data", (bytes: Buffer) => onOutput(decoder.write(bytes)));
  // The process is being killed; its output was read.
  stream.on("error", () => {});
  await new Promise<void>((resolve) => stream.once("end", resolve).once("close", resolve));
  onOutput(decoder.end());
}

async function end(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  signalGroup(child, "SIGTERM");
  await Promise.race([ended, sleep(POLITE_MS, undefined, { ref: false })]);
  signalGroup(child, "SIGKILL");
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  if (IS_WINDOWS) {
    // Windows has no process groups; taskkill ends a tree.
    spawn("taskkill", ["/pid", String(pid), "/T", "/F"], { stdio: "ignore", windowsHide: true }).on("error", () => {});
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch {
    // The group is gone already.
  }
}

/** Edits a text in the user's editor, through a private temporary file. */
const FALLBACK = process.platform === "win32" ? "notepad" : "vi";

/** Undefined when the editor failed; the text stays as it was. */
export async function editExternally(text: string, env: Environment): Promise<string | undefined> {
  const command = env["VISUAL"] || env["EDITOR"] || FALLBACK;
  const directory = await mkdtemp(path.join(tmpdir(), "roundtable-"));
  const file = path.join(directory, "message.md");
  try {
    await writeFile(file, text, { mode: 0o600 });
    const code = await runEditor(command, file);
    if (code !== 0) return undefined;
    return (await readFile(file, "utf8")).replace(/\n$/, "");
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/**
 * The variable may contain arguments (`code --wait`), so a shell parses it, as git does; the file is passed separately.
 * The shell receives Ctrl+C too: without a trap it would exit, and we would take the terminal from a running editor.
 * A trap, unlike an ignored signal, is not inherited by the editor.
 */
function runEditor(command: string, file: string): Promise<number> {
  const isWindows = process.platform === "win32";
  const [program, args] = isWindows
    ? ["cmd.exe", ["/d", "/s", "/c", `${command} "${file}"`]]
    : ["/bin/sh", ["-c", `trap : INT QUIT; ${command} "$1"`, "sh", file]];
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: "inherit", windowsVerbatimArguments: isWindows });
    child.on("error", (error) => reject(new Error(`the editor "${command}" could not be started: ${error.message}`)));
    child.on("exit", (code) => resolve(code ?? 1));
  });
}

/** Timeout of the clipboard program. */
const COPY_TIMEOUT_MS = 2_000;

/** True when a program took the text. */
export async function copyToClipboard(text: string, env: Environment): Promise<boolean> {
  // Over SSH this clipboard is not the user's.
  if (env["SSH_CONNECTION"] !== undefined || env["SSH_TTY"] !== undefined) return false;
  const { findProgram } = await import("../../agents/index.ts");
  for (const [program, ...args] of programsFor(env)) {
    const resolved =
      program === undefined ? undefined : findProgram(program, { PATH: env["PATH"], cwd: process.cwd() });
    if (resolved?.ok === true && (await feed(resolved.path, args, text))) return true;
  }
  return false;
}

function programsFor(env: Environment): readonly (readonly string[])[] {
  if (process.platform === "darwin") return [["pbcopy"]];
  if (process.platform === "win32") return [["clip.exe"]];
  return [
    ...(env["WAYLAND_DISPLAY"] === undefined ? [] : [["wl-copy"]]),
    ...(env["DISPLAY"] === undefined
      ? []
      : [
          ["xclip", "-selection", "clipboard"],
          ["xsel", "--clipboard", "--input"],
        ]),
  ];
}

function feed(program: string, args: readonly string[], text: string): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program, [...args], { stdio: ["pipe", "ignore", "ignore"] });
    const late = setTimeout(() => child.kill("SIGKILL"), COPY_TIMEOUT_MS);
    child.on("error", () => resolve(false));
    child.on("exit", (code) => {
      clearTimeout(late);
      resolve(code === 0);
    });
    // It may exit before reading everything; its exit code reports that.
    child.stdin.on("error", () => {});
    child.stdin.end(text);
  });
}
