/**
 * Commands that the user runs from the terminal app, in their shell and environment.
 * No process of a command survives its end.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { RunShell } from "../../tui/index.ts";
import type { Environment } from "../config/paths.ts";

/** Time to drain the output after exit, in case another process holds the pipe. */
const DRAIN_MS = 300;
/** Between SIGTERM and SIGKILL. */
const POLITE_MS = 1_000;

const IS_WINDOWS = process.platform === "win32";

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
