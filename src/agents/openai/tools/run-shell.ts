/**
 * Runs one command in a process group of its own, under a mark of its own.
 * Promises: an environment without variables whose names tell of a secret; output is bounded in memory; when the command ends, runs out
 * of time or is aborted, everything it has started is ended too, also what has left its group.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { StringDecoder } from "node:string_decoder";
import type { Readable } from "node:stream";
import { systemClock } from "../../../kit/clock.ts";
import { withCheckoutLast } from "../../process/checkout.ts";
import { childEnvironment, type ChildEnvironment } from "../../process/environment.ts";
import { Family } from "../../process/family.ts";
import type { ProcessTable } from "../../process/process-row.ts";
import { createHostId, createMarker } from "../../process/run-marker.ts";
import { within } from "../../process/wait.ts";
import { createKeptText } from "../../../kit/kept-text.ts";
import { ToolFault, type ToolContext } from "./tool.ts";

export interface ShellPlace {
  readonly table: ProcessTable;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Names that the member's configuration lets through. */
  readonly named: readonly string[];
  readonly inherited: NonNullable<ChildEnvironment["inherited"]>;
  readonly outputBytesMax: number;
}

export interface ShellEnd {
  readonly why: "exited" | "timed_out";
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: string;
  /** Of all that was put out, also where `output` is only the beginning and the end of it. */
  readonly totalBytes: number;
  readonly isCut: boolean;
  /** How many processes were still there when it ended. */
  readonly endedBehind: number;
}

export interface ShellRun {
  readonly place: ShellPlace;
  readonly context: ToolContext;
  readonly timeoutMs: number;
}

/** After the end of the command its last output is waited for, unless somebody else holds the pipe. */
const DRAIN_MS = 300;
/** Between asking to end and ending. */
const POLITE_MS = 100;
const GONE_MS = 2_000;

export async function runShell(command: string, run: ShellRun): Promise<ShellEnd> {
  const { context, place } = run;
  context.signal.throwIfAborted();
  const marker = markerOf(context);
  const spawnedAtMs = Date.now();
  const child = await startShell(command, run, marker);
  const { records } = context.seat;
  const start = place.table.startOfChild(child.pid, spawnedAtMs);
  const family = new Family(place.table, { pid: child.pid, start, marker });
  const recorded = records?.add({ pid: child.pid, start, marker, member: context.member });
  const kept = createKeptText(place.outputBytesMax);
  const streams = [readStream(child.process.stdout, "stdout"), readStream(child.process.stderr, "stderr")];
  const ending = Promise.withResolvers<"timed_out" | "aborted">();
  // A real timer, not the turn's clock: it limits a process, which knows no other time.
  const timer = setTimeout(() => ending.resolve("timed_out"), run.timeoutMs);
  const onAbort = (): void => ending.resolve("aborted");
  context.signal.addEventListener("abort", onAbort);
  if (context.signal.aborted) onAbort();

  const finish = async (): Promise<ShellEnd> => {
    const why = await Promise.race([child.exited.then(() => "exited" as const), ending.promise]);
    clearTimeout(timer);
    context.signal.removeEventListener("abort", onAbort);
    if (why === "exited") await within(systemClock, DRAIN_MS, Promise.all(streams.map((stream) => stream.ended)));
    const behind = why === "exited" ? (await family.find()).length : 0;
    const left = await family.end({ politeMs: why === "exited" && behind === 0 ? 0 : POLITE_MS, limitMs: GONE_MS });
    for (const stream of streams) stream.cut();
    await recorded;
    if (left.length === 0) records?.remove(marker);
    context.signal.throwIfAborted();
    const { code, signal } = child.end();
    return {
      why: why === "aborted" ? "exited" : why,
      code,
      signal,
      output: kept.text(),
      totalBytes: kept.totalBytes,
      isCut: kept.isCut,
      endedBehind: behind,
    };
  };
  const finished = finish();
  context.linger(finished);
  return finished;

  function readStream(stream: Readable, name: "stdout" | "stderr"): { ended: Promise<void>; cut: () => void } {
    const decoder = new StringDecoder("utf8");
    const take = (text: string): void => {
      if (text === "") return;
      kept.add(text);
      context.output(text, name);
    };
    stream.on("data", (bytes: Buffer) => take(decoder.write(bytes)));
    stream.on("error", () => {
      // The pipe of a process that is being ended: what it had to say was read.
    });
    const ended = new Promise<void>((resolve) => stream.once("end", resolve).once("close", resolve));
    return { ended: ended.then(() => take(decoder.end())), cut: () => void stream.destroy() };
  }
}

interface Started {
  readonly pid: number;
  readonly process: ChildProcess & { stdout: Readable; stderr: Readable };
  readonly exited: Promise<void>;
  readonly end: () => { code: number | null; signal: NodeJS.Signals | null };
}

async function startShell(command: string, { place, context }: ShellRun, marker: string): Promise<Started> {
  const isWindows = process.platform === "win32";
  const [program, args] = isWindows
    ? [place.environment["ComSpec"] ?? "cmd.exe", ["/d", "/s", "/c", `"${command}"`]]
    : ["/bin/sh", ["-c", command]];
  const child = spawn(program, args, {
    cwd: context.root,
    env: childEnvironment({
      parent: withCheckoutLast(place.environment, context.root),
      named: place.named,
      inherited: place.inherited,
      marker,
    }),
    stdio: ["ignore", "pipe", "pipe"],
    detached: !isWindows,
    windowsHide: true,
    windowsVerbatimArguments: isWindows,
  });
  let end: { code: number | null; signal: NodeJS.Signals | null } = { code: null, signal: null };
  const exited = new Promise<void>((resolve) => {
    child.once("exit", (code, signal) => {
      end = { code, signal };
      resolve();
    });
  });
  const failed = await new Promise<unknown>((resolve) => {
    // Stays for good: a late error of the child must never be without a listener.
    child.on("error", resolve);
    if (child.pid !== undefined) resolve(null);
  });
  if (failed !== null || child.pid === undefined) {
    throw new ToolFault("tool_error", "The system's shell did not start.", { cause: failed });
  }
  return { pid: child.pid, process: child, exited, end: () => end };
}

/** A mark of its own for each command: ending one must not end another that the same member runs. */
function markerOf({ seat, member, root }: ToolContext): string {
  if (seat.records !== undefined) return seat.records.marker(member);
  const hostId = createHostId({ pid: process.pid, start: 0, table: "none" });
  return createMarker({ dataDir: root, hostId, member });
}
