/** What a tool of the built-in agent is: its schema for the model, a plan that can be shown first, and the work. */
import * as z from "zod";
import type { Json } from "../../../protocol/index.ts";
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
  /** Whether it runs unasked where no rule says otherwise. */
  readonly gate: "free" | "asks";
  /** May run beside others of the same reply. */
  readonly isParallel: boolean;
  /** For the work alone; waiting for an approval is not counted. */
  readonly deadlineMs: number;
  readonly read: (args: Json) => ReadCall;
}

export type ReadCall =
  | { readonly ok: true; readonly call: ToolCall }
  | { readonly ok: false; readonly message: string };

export interface ToolCall {
  /** As checked: what is shown, approved and run. */
  readonly args: Json;
  readonly title: string;
  /** Looks, and changes nothing. Called again after an approval, so that what runs is what was approved. */
  readonly plan: (context: ToolContext) => Promise<ToolPlan>;
}

export interface Subject {
  readonly kind: "path" | "command" | "none";
  readonly text: string;
}

export interface ToolPlan {
  /** What rules look at: a path with its links resolved, or a command. */
  readonly subject: Subject;
  /** Facts beyond the arguments to which an approval is bound. */
  readonly bound?: Json;
  readonly diff?: string;
  readonly run: () => Promise<ToolOutcome>;
}

export interface ToolOutcome {
  readonly text: string;
  /** False for a result that is a failure to the model, such as a command that failed. */
  readonly ok?: boolean;
  /** How much there was, when `text` is not all of it. */
  readonly totalBytes?: number;
  readonly diff?: string;
}

export interface ToolContext {
  readonly member: string;
  /** The session's directory, links resolved. */
  readonly root: string;
  readonly setup: AgentSetup;
  readonly turn: RunningTurn;
  /** Of this call. */
  readonly nativeId: string;
  readonly changes: FileChanges;
  /** Whether a rule lets a file be read unasked; what searches leaves the others out. */
  readonly mayRead: (path: string) => boolean;
  /** Ends with the turn and with the deadline. */
  readonly signal: AbortSignal;
  readonly output: (text: string, stream?: "stdout" | "stderr") => void;
  /** Work that goes on after the call was given up, such as ending its processes. */
  readonly linger: (work: Promise<unknown>) => void;
  /** The turn ends after this reply. */
  readonly finish: () => void;
  /** Gives a task to a subagent and resolves with its report. Rejects with a ToolFault when there is none. */
  readonly spawn: (order: SubagentOrder) => Promise<string>;
}

export interface SubagentOrder {
  readonly name: string;
  readonly task: string;
  /** Of the call that sends it. */
  readonly nativeId: string;
  readonly signal: AbortSignal;
  readonly linger: (work: Promise<unknown>) => void;
}

/** A failure that the model is told, and that is no fault of ours. */
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
      if (!checked.success) return { ok: false, message: `${name} was not run: ${z.prettifyError(checked.error)}` };
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
