/** The tool that runs a command, and ends all it has started when it is over. */
import * as z from "zod";
import { printableLine } from "../../tools/printable.ts";
import { runShell, type ShellEnd, type ShellOptions } from "./run-shell.ts";
import { defineTool, type Tool } from "./tool.ts";

export type { ShellOptions } from "./run-shell.ts";

const SECONDS_DEFAULT = 120;
const SECONDS_MAX = 600;
/** The command has its own limit; this one is for the ending of what does not want to end. */
const SPARE_MS = 10_000;

export function createShellTool(options: ShellOptions): Tool {
  return defineTool({
    name: "shell",
    description:
      "Runs a command with the system's shell in the session's directory. There is no input and no terminal; what it starts in the background ends with it.",
    args: z.object({
      command: z.string().min(1).max(20_000),
      timeout_seconds: z.int().positive().max(SECONDS_MAX).optional().describe(`${SECONDS_DEFAULT} when absent`),
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
  const left = end.endedBehind === 0 ? [] : [`(${end.endedBehind} processes it left running were ended.)`];
  return [output, howItEnded(end, seconds), ...left].filter((line) => line !== "").join("\n");
}

function howItEnded({ why, code, signal }: ShellEnd, seconds: number): string {
  if (why === "timed_out") return `(It was stopped after ${seconds} s.)`;
  if (signal !== null) return `(It was ended by ${signal}.)`;
  return code === 0 ? "" : `(exit code ${code ?? "unknown"})`;
}
