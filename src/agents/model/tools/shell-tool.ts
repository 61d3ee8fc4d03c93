/** The shell tool: runs a command and ends everything it started. */
import * as z from "zod";
import { printableLine } from "../../tools/printable.ts";
import { defineTool, ToolError, type Tool, type ToolContext } from "./tool.ts";
import { spawn, type ChildProcess } from "node:child_process";
import { StringDecoder } from "node:string_decoder";
import { Readable } from "node:stream";
import { systemClock } from "../../../kit/clock.ts";
import { withCheckoutLast } from "../../process/launch/checkout.ts";
import { childEnvironment, type ChildEnvironment } from "../../process/launch/environment.ts";
import { ProcessTree } from "../../process/terminate/process-tree.ts";
import type { ProcessList } from "../../process/list/process-list.ts";
import { createHostId, createMarker } from "../../process/tracking/run-marker.ts";
import { bwrapError, SandboxStatus } from "../../process/launch/sandbox-status.ts";
import { within } from "../../process/wait.ts";
import { STATUS_FD } from "../../sandbox/bwrap.ts";
import { sandboxRequest } from "../../sandbox/sandbox.ts";
import { wrapCommand, type Wrapped } from "../../sandbox/wrap-command.ts";
import { SHELL_AGENT } from "../guard.ts";
import { createTruncatingBuffer } from "../../../kit/text/truncating-buffer.ts";
import { plural } from "../../../kit/text/format.ts";

const SECONDS_DEFAULT = 120;
const SECONDS_MAX = 600;
/** On top of the command's own limit, for killing what does not exit. */
const SPARE_MS = 10_000;

export function createShellTool(options: ShellOptions): Tool {
  return defineTool({
    name: "shell",
    description:
      "Run a command with the system shell in the working directory. There is no input and no terminal. Background processes end with the command.",
    args: z.object({
      command: z.string().min(1).max(20_000),
      timeout_seconds: z.int().positive().max(SECONDS_MAX).optional().describe(`Default: ${SECONDS_DEFAULT}`),
    }),
    kind: "execute",
    gate: "asks",
    deadlineMs: SECONDS_MAX * 1_000 + SPARE_MS,
    title: ({ command }) => `Run ${printableLine(command).slice(0, 200)}`,
    plan: ({ command, timeout_seconds = SECONDS_DEFAULT }, context) => ({
      subject: { kind: "command", text: command },
      run: async () => {
        const end = await runShell(command, { options, context, timeoutMs: timeout_seconds * 1_000 });
        return {
          ok: end.why === "exited" && end.code === 0,
          text: describe(end, timeout_seconds),
          ...(end.isCut ? { totalBytes: end.totalBytes } : {}),
        };
      },
    }),
  });
}

function describe(end: ShellEnd, seconds: number): string {
  const output = end.output === "" ? "(no output)" : end.output.replace(/\n$/, "");
  const left =
    end.endedBehind === 0 ? [] : [`(Ended ${plural(end.endedBehind, "process", "processes")} left running.)`];
  return [output, howItEnded(end, seconds), ...left].filter((line) => line !== "").join("\n");
}

function howItEnded({ why, code, signal }: ShellEnd, seconds: number): string {
  if (why === "timed_out") return `(Timed out after ${seconds} s.)`;
  if (signal !== undefined) return `(Ended by ${signal}.)`;
  return code === 0 ? "" : `(exit code ${code ?? "unknown"})`;
}

// Runs one command in its own process group, with its own marker, in the sandbox where there is one.
// Variables that look like secrets are removed; output in memory is bounded; when the command ends, times out or is
// aborted, all its descendants are ended, also those that left its group.
export interface ShellOptions {
  readonly processes: ProcessList;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Variables that the member's configuration passes on. */
  readonly named: readonly string[];
  readonly inherited: NonNullable<ChildEnvironment["inherited"]>;
  readonly outputBytesMax: number;
}

interface ShellEnd {
  readonly why: "exited" | "timed_out";
  readonly code: number | undefined;
  readonly signal: NodeJS.Signals | undefined;
  readonly output: string;
  /** Total size, when `output` is only its head and tail. */
  readonly totalBytes: number;
  readonly isCut: boolean;
  /** Number of processes left when it ended. */
  readonly endedBehind: number;
}

interface ShellRun {
  readonly options: ShellOptions;
  readonly context: ToolContext;
  readonly timeoutMs: number;
}

/** Waits this long for the last output, which another process may hold back. */
const DRAIN_MS = 300;
/** Between SIGTERM and SIGKILL. */
const POLITE_MS = 100;
const GONE_MS = 2_000;
/** Time for the sandbox to report its child's pid; milliseconds unless the machine is overloaded. */
const SANDBOX_WAIT_MS = 20_000;

async function runShell(command: string, run: ShellRun): Promise<ShellEnd> {
  const { context, options } = run;
  context.signal.throwIfAborted();
  const marker = markerOf(context);
  const spawnedAtMs = Date.now();
  const child = await startShell(command, run, marker);
  const { records } = context.setup;
  const start = options.processes.startOfChild(child.pid, spawnedAtMs);
  const family = new ProcessTree(options.processes, { pid: child.pid, start, marker });
  // Until the pid is known, killing the sandbox could leave the command running.
  const entered = child.status?.innerPid.then((pid) => {
    if (pid !== undefined) family.enter({ pid, start: options.processes.startOfChild(pid, Date.now()) });
  });
  const recorded = records?.add({ pid: child.pid, start, marker, member: context.member });
  const buffer = createTruncatingBuffer(options.outputBytesMax);
  const streams = (["stdout", "stderr"] as const).map((name) =>
    readStream(child.process[name], (text) => {
      buffer.add(text);
      context.output(text, name);
    }),
  );
  const ending = Promise.withResolvers<"timed_out" | "aborted">();
  // A real timer: it limits a process.
  const timer = setTimeout(() => ending.resolve("timed_out"), run.timeoutMs);
  const onAbort = (): void => ending.resolve("aborted");
  context.signal.addEventListener("abort", onAbort);
  if (context.signal.aborted) onAbort();

  const finish = async (): Promise<ShellEnd> => {
    const why = await Promise.race([child.exited.then(() => "exited" as const), ending.promise]);
    clearTimeout(timer);
    context.signal.removeEventListener("abort", onAbort);
    if (why === "exited") await within(systemClock, DRAIN_MS, Promise.all(streams.map((stream) => stream.ended)));
    await within(systemClock, SANDBOX_WAIT_MS, entered ?? Promise.resolve());
    const behind = why === "exited" ? (await family.find()).length : 0;
    const left = await family.end({ graceMs: why === "exited" && behind === 0 ? 0 : POLITE_MS, limitMs: GONE_MS });
    for (const stream of streams) stream.cut();
    await recorded;
    if (left.length === 0) records?.remove(marker);
    child.release();
    context.signal.throwIfAborted();
    if (why === "exited") await checkRun(child, buffer.text());
    const { code, signal } = child.end();
    return {
      why: why === "aborted" ? "exited" : why,
      code,
      signal,
      output: buffer.text(),
      totalBytes: buffer.totalBytes,
      isCut: buffer.isCut,
      endedBehind: behind,
    };
  };
  const finished = finish();
  context.linger(finished);
  return finished;
}

function readStream(stream: Readable, onText: (text: string) => void): { ended: Promise<void>; cut: () => void } {
  const decoder = new StringDecoder("utf8");
  const push = (text: string): void => {
    if (text !== "") onText(text);
  };
  stream.on("data", (bytes: Buffer) => push(decoder.write(bytes)));
  stream.on("error", () => {
    // Pipe of a process that is being killed; its output was read.
  });
  const ended = new Promise<void>((resolve) => stream.once("end", resolve).once("close", resolve));
  return { ended: ended.then(() => push(decoder.end())), cut: () => void stream.destroy() };
}

/** A failure of bwrap itself is not the command's. */
async function checkRun({ status }: Started, output: string): Promise<void> {
  if (status === undefined) return;
  await within(systemClock, DRAIN_MS, status.closed);
  if (status.hasRun) return;
  throw new ToolError("tool_error", `The command was not run: its sandbox did not start (${bwrapError(output)}).`);
}

interface Started {
  readonly pid: number;
  readonly process: ChildProcess & { stdout: Readable; stderr: Readable };
  /** Of the sandbox around it. */
  readonly status: SandboxStatus | undefined;
  readonly release: () => void;
  readonly exited: Promise<void>;
  readonly end: () => { code: number | undefined; signal: NodeJS.Signals | undefined };
}

async function startShell(command: string, run: ShellRun, marker: string): Promise<Started> {
  const { options, context } = run;
  const isWindows = process.platform === "win32";
  const [program, args] = isWindows
    ? [options.environment["ComSpec"] ?? "cmd.exe", ["/d", "/s", "/c", `"${command}"`]]
    : ["/bin/sh", ["-c", command]];
  const env = childEnvironment({
    parent: withCheckoutLast(options.environment, context.root),
    named: options.named,
    inherited: options.inherited,
    marker,
  });
  const wrapped = await wrapShell(context, { program, cwd: context.root, env }, args);
  const hasStatus = wrapped?.via === "bwrap";
  const child = spawn(wrapped?.program ?? program, wrapped?.args ?? args, {
    cwd: context.root,
    env: wrapped?.env ?? env,
    stdio: ["ignore", "pipe", "pipe", ...(hasStatus ? ["pipe" as const, ...wrapped.extraStdio.slice(1)] : [])],
    detached: !isWindows,
    windowsHide: true,
    windowsVerbatimArguments: isWindows,
  }) as Started["process"];
  const statusStream = hasStatus ? child.stdio[STATUS_FD] : undefined;
  const status = statusStream instanceof Readable ? new SandboxStatus(statusStream) : undefined;
  let end: { code: number | undefined; signal: NodeJS.Signals | undefined } = { code: undefined, signal: undefined };
  const exited = new Promise<void>((resolve) => {
    child.once("exit", (code, signal) => {
      end = { code: code ?? undefined, signal: signal ?? undefined };
      resolve();
    });
  });
  const failed = await new Promise<unknown>((resolve) => {
    // Never removed: a late error of the child must always have a listener.
    child.on("error", resolve);
    if (child.pid !== undefined) resolve(undefined);
  });
  if (failed !== undefined || child.pid === undefined) {
    wrapped?.release();
    throw new ToolError("tool_error", "The system shell did not start.", { cause: failed });
  }
  const release = wrapped?.release ?? (() => {});
  return { pid: child.pid, process: child, status, release, exited, end: () => end };
}

/** Undefined without a sandbox. Throws when the command must not run without one. */
async function wrapShell(
  { setup }: ToolContext,
  command: Parameters<typeof wrapCommand>[1],
  args: readonly string[],
): Promise<Wrapped | undefined> {
  const request = sandboxRequest(setup, SHELL_AGENT);
  if (request === undefined) return undefined;
  const wrapped = await wrapCommand(request, { ...command, dataDir: setup.records?.dataDir }, args);
  if (!("unavailable" in wrapped)) return wrapped;
  if (wrapped.isRefused) throw new ToolError("tool_denied", `The command was not run: ${wrapped.unavailable}`);
  return undefined;
}

/** One marker per command: ending one must not end another of the same member. */
function markerOf({ setup, member, root }: ToolContext): string {
  if (setup.records !== undefined) return setup.records.marker(member);
  const hostId = createHostId({ pid: process.pid, start: 0, table: "none" });
  return createMarker({ dataDir: root, hostId, member });
}
