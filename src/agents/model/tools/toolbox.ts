/**
 * Tools on offer from all sources: read-only ones, writing ones in writable sessions, host tools, and others such as
 * MCP servers.
 */
import { hostToolSchemas, type HostToolName } from "../../../protocol/index.ts";
import type { AnswerResult } from "../../port.ts";
import type { ToolSchema } from "../requests/dialect.ts";
import { listTool, readTool, searchTool } from "./read-tools.ts";
import { createShellTool, type ShellOptions } from "./shell-tool.ts";
import { defineTool, NO_SUBJECT, ToolError, type Tool } from "./tool.ts";
import { editTool, writeTool } from "./write-tools.ts";
import * as z from "zod";
import { printableLine } from "../../tools/printable.ts";

/** Queried before every model call, so that a source may connect late. */
export interface ToolSource {
  readonly name: string;
  readonly tools: () => readonly Tool[];
}

export interface ToolboxOptions {
  readonly isWritable: boolean;
  readonly hostTools?: readonly HostToolName[] | undefined;
  readonly sources?: readonly ToolSource[] | undefined;
  readonly shell: ShellOptions;
  /** Time limit of a subagent; undefined where none can be started. */
  readonly subagentMs: number | undefined;
}

export class Toolbox {
  readonly #own: readonly Tool[];
  /** Known, but not available in a read-only session. */
  readonly #withheld: readonly string[];
  readonly #sources: readonly ToolSource[];

  constructor({ isWritable, hostTools, sources = [], shell, subagentMs }: ToolboxOptions) {
    const changing = [writeTool, editTool, createShellTool(shell)];
    this.#own = [
      listTool,
      searchTool,
      readTool,
      ...(isWritable ? changing : []),
      ...createHostTools(hostTools),
      ...(subagentMs === undefined ? [] : [createSpawnTool(subagentMs)]),
      finishTool,
    ];
    this.#withheld = isWritable ? [] : changing.map((tool) => tool.name);
    this.#sources = sources;
  }

  /** A foreign tool never shadows one of ours and always needs approval, whatever it declares. */
  tools(): readonly Tool[] {
    const all = new Map(this.#own.map((tool) => [tool.name, tool]));
    for (const tool of this.#sources.flatMap((source) => source.tools())) {
      if (!all.has(tool.name) && !this.isWithheld(tool.name)) all.set(tool.name, { ...tool, gate: "asks" });
    }
    return [...all.values()];
  }

  find(name: string): Tool | undefined {
    return this.tools().find((tool) => tool.name === name);
  }

  isWithheld(name: string): boolean {
    return this.#withheld.includes(name);
  }

  schemas(): ToolSchema[] {
    return this.tools().map(({ name, description, parameters }) => ({
      type: "function",
      function: { name, description, parameters },
    }));
  }
}

const TASK_CHARS_MAX = 20_000;
/** On top of the subagent's own limit, for killing what does not exit. */
const SPARE_MS = 10_000;

function createSpawnTool(subagentMs: number): Tool {
  return defineTool({
    name: "spawn_subagent",
    description:
      "Give a task to a subagent with the same tools and an empty conversation, and wait for its report. Several calls in one reply run in parallel. It knows nothing but the task, so include everything it needs.",
    args: z.object({
      task: z.string().min(1).max(TASK_CHARS_MAX),
      name: z
        .string()
        .regex(/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,39}$/u)
        .optional()
        .describe("Short name that tells it apart from others"),
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

/** They wait for users and other members; the session limits each. */
const HOST_MS_MAX = 3_600_000;

/** All host tools, or only the named ones. */
function createHostTools(names?: readonly HostToolName[]): Tool[] {
  return hostToolSchemas()
    .filter((schema) => names === undefined || names.includes(schema.name))
    .map(({ name, description, inputSchema }) => hostTool(name, description, inputSchema));
}

function hostTool(name: HostToolName, description: string, inputSchema: Record<string, unknown>): Tool {
  const { $schema: _dialect, ...parameters } = inputSchema;
  return {
    name,
    description,
    parameters,
    kind: name.startsWith("agents_") ? "agent" : name === "user_question" || name.startsWith("ui_") ? "ask" : "other",
    gate: "free",
    isParallel: false,
    deadlineMs: HOST_MS_MAX,
    // The session validates the arguments and answers with the error.
    read: (args) => ({
      ok: true,
      call: {
        args,
        title: name,
        plan: ({ turn }) =>
          Promise.resolve({
            subject: NO_SUBJECT,
            run: async () => ({ text: await answerOf(turn.hostCall(name, args)) }),
          }),
      },
    }),
  };
}

async function answerOf(answered: Promise<AnswerResult>): Promise<string> {
  const { result, error } = await answered;
  if (error !== null) throw new ToolError("tool_error", error);
  return typeof result === "string" ? result : JSON.stringify(result);
}

const finishTool = defineTool({
  name: "finalize_task",
  description: "End your turn with a summary of what was done. Call it once, when the task is complete.",
  args: z.object({ summary: z.string().min(1).max(20_000) }),
  kind: "other",
  gate: "free",
  deadlineMs: 1_000,
  title: () => "Finish the task",
  plan: ({ summary }, { turn, finish }) => ({
    subject: NO_SUBJECT,
    run: () => {
      turn.show({ type: "finalize_task", summary });
      finish();
      return Promise.resolve({ text: "The task is finished." });
    },
  }),
});
