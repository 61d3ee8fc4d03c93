/** A tool of the built-in agent: schema for the model, a plan to show first, and the work. */
import * as z from "zod";
import { argumentProblem, type Json } from "../../../protocol/index.ts";
import type { AgentEvent, AgentSetup } from "../../port.ts";
import type { RunningTurn } from "../running-turn.ts";
import type { FileChanges } from "./file-changes.ts";

export type ToolKind = NonNullable<Extract<AgentEvent, { type: "tool_call_start" }>["kind"]>;
export type ToolErrorCode = NonNullable<Extract<AgentEvent, { type: "tool_result" }>["error"]>["code"];

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly kind: ToolKind;
  /** Whether it runs unasked when no rule decides. */
  readonly gate: "free" | "asks";
  /** May run in parallel with others of the same reply. */
  readonly isParallel: boolean;
  /** For the work only; waiting for approval does not count. */
  readonly deadlineMs: number;
  readonly read: (args: Json) => ReadCall;
}

export type ReadCall =
  | { readonly ok: true; readonly call: ToolCall }
  | { readonly ok: false; readonly message: string };

export interface ToolCall {
  /** Validated arguments: shown, approved and run. */
  readonly args: Json;
  readonly title: string;
  /** Read-only. Called again after an approval, so that what runs is what was approved. */
  readonly plan: (context: ToolContext) => Promise<ToolPlan>;
}

export interface Subject {
  readonly kind: "path" | "command" | "none";
  readonly text: string;
}

export interface ToolPlan {
  /** Subject of rules: a path with links resolved, or a command. */
  readonly subject: Subject;
  /** Facts beyond the arguments that an approval is bound to. */
  readonly bound?: Json;
  readonly diff?: string;
  readonly run: () => Promise<ToolOutcome>;
}

export interface ToolOutcome {
  readonly text: string;
  /** False for a result that is a failure, such as a failed command. */
  readonly ok?: boolean;
  /** Total size, when `text` is truncated. */
  readonly totalBytes?: number;
  readonly diff?: string;
}

export interface ToolContext {
  readonly member: string;
  /** Session directory, links resolved. */
  readonly root: string;
  readonly setup: AgentSetup;
  readonly turn: RunningTurn;
  /** Of this call. */
  readonly nativeId: string;
  readonly changes: FileChanges;
  /** Whether rules let a file be read unasked; searches skip the others. */
  readonly mayRead: (path: string) => boolean;
  /** Aborted with the turn and at the deadline. */
  readonly signal: AbortSignal;
  readonly output: (text: string, stream?: "stdout" | "stderr") => void;
  /** Work that outlives an abandoned call, such as ending its processes. */
  readonly linger: (work: Promise<unknown>) => void;
  /** The turn ends after this reply. */
  readonly finish: () => void;
  /** Runs a task in a subagent and resolves with its report. Rejects with a ToolError. */
  readonly spawn: (order: SubagentOrder) => Promise<string>;
}

export interface SubagentOrder {
  readonly name: string;
  readonly task: string;
  /** Of the call that starts it. */
  readonly nativeId: string;
  readonly signal: AbortSignal;
  readonly linger: (work: Promise<unknown>) => void;
}

/** A failure reported to the model; not a bug. */
export class ToolError extends Error {
  readonly code: ToolErrorCode;

  constructor(code: ToolErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = "ToolError";
    this.code = code;
  }
}

interface Definition<Args extends z.ZodObject> {
  readonly name: string;
  readonly description: string;
  readonly args: Args;
  readonly kind: ToolKind;
  readonly gate: Tool["gate"];
  readonly isParallel?: boolean;
  readonly deadlineMs: number;
  readonly title: (args: z.infer<Args>) => string;
  readonly plan: (args: z.infer<Args>, context: ToolContext) => Promise<ToolPlan> | ToolPlan;
}

export const NO_SUBJECT: Subject = { kind: "none", text: "" };

export function defineTool<Args extends z.ZodObject>(definition: Definition<Args>): Tool {
  const { name, description, args, kind, gate, deadlineMs, isParallel = false } = definition;
  return {
    name,
    description,
    parameters: parametersOf(args),
    kind,
    gate,
    isParallel,
    deadlineMs,
    read(given) {
      const checked = args.safeParse(given);
      if (!checked.success)
        return { ok: false, message: `${name} was not run: ${argumentProblem(checked.error, given)}` };
      const { data } = checked;
      const call: ToolCall = {
        args: data as Json,
        title: definition.title(data),
        plan: async (context) => definition.plan(data, context),
      };
      return { ok: true, call };
    },
  };
}

function parametersOf(args: z.ZodObject): Record<string, unknown> {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(args, { target: "draft-7", io: "input" });
  return schema;
}
