/** The tool that gives a part of the work to a conversation of its own. */
import * as z from "zod";
import { printableLine } from "../../tools/printable.ts";
import { defineTool, NO_SUBJECT, type Tool } from "./tool.ts";

const TASK_CHARS_MAX = 20_000;
/** The subagent has its own limit; this one is for the ending of what does not want to end. */
const SPARE_MS = 10_000;

export function createSpawnTool(subagentMs: number): Tool {
  return defineTool({
    name: "spawn_subagent",
    description:
      "Gives a task to a subagent with the same tools and a conversation of its own, and waits for its report. Several calls in one reply work side by side. It knows nothing but the task, so say all that it needs.",
    args: z.object({
      task: z.string().min(1).max(TASK_CHARS_MAX),
      name: z
        .string()
        .regex(/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,39}$/u)
        .optional()
        .describe("A short name to tell it from others"),
    }),
    kind: "agent",
    gate: "free",
    isParallel: true,
    deadlineMs: subagentMs + SPARE_MS,
    title: ({ task, name }) => `Subagent${name === undefined ? "" : ` ${name}`}: ${printableLine(task).slice(0, 160)}`,
    plan: ({ task, name = "" }, { spawn, nativeId, signal, linger }) => ({
      subject: NO_SUBJECT,
      run: async () => ({ text: await spawn({ task, name, nativeId, signal, linger }) }),
    }),
  });
}
