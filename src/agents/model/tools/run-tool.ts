/**
 * Runs every tool call: start, streamed output, exactly one result.
 * What was approved is what runs, or nothing does; every call has a deadline; a result is truncated with a note; calls
 * beyond the turn's budget are answered without being run.
 */
import type { Clock } from "../../../kit/clock.ts";
import type { Json } from "../../../protocol/index.ts";
import type { Judge } from "../../approvals/approval-source.ts";
import type { PendingCall } from "../../approvals/pending-call.ts";
import { canonicalJson } from "../../approvals/call-fields.ts";
import { describeOwnCall } from "../../approvals/describe-call.ts";
import type { AgentSetup } from "../../port.ts";
import type { ModelAgentLimits } from "../limits.ts";
import type { RequestedToolCall } from "../requests/dialect.ts";
import type { RunningTurn } from "../running-turn.ts";
import { askApproval } from "./approval.ts";
import { canonicalCall, isTooDeep, shownArgs } from "./canonical-call.ts";
import { FileChanges } from "./file-changes.ts";
import { truncateText } from "../../../kit/text/truncating-buffer.ts";
import { readTool } from "./read-tools.ts";
import { ToolError, type Tool, type ToolCall, type ToolContext, type ToolOutcome, type ToolPlan } from "./tool.ts";
import type { Toolbox } from "./toolbox.ts";

export interface ToolRunnerOptions {
  readonly member: string;
  readonly root: string;
  readonly setup: AgentSetup;
  readonly turn: RunningTurn;
  readonly toolbox: Toolbox;
  readonly judge: Judge;
  readonly clock: Clock;
  readonly limits: ModelAgentLimits;
  readonly spawn: ToolContext["spawn"];
}

/** For one turn. */
export class ToolRunner {
  readonly changes = new FileChanges();
  readonly #options: ToolRunnerOptions;
  readonly #lingering = new Set<Promise<unknown>>();
  #calls = 0;
  #isFinished = false;

  constructor(options: ToolRunnerOptions) {
    this.#options = options;
  }

  /** The member declared its task done since the last call; a later message starts another one. */
  consumeFinished(): boolean {
    const isFinished = this.#isFinished;
    this.#isFinished = false;
    return isFinished;
  }

  get isOverBudget(): boolean {
    return this.#calls > this.#options.limits.toolCallsMax;
  }

  /** Resolves when nothing started by a call is running. */
  async gone(): Promise<void> {
    await Promise.allSettled(this.#lingering);
  }

  isParallel(requested: RequestedToolCall): boolean {
    return this.#options.toolbox.find(requested.name)?.isParallel ?? false;
  }

  /**
   * Returns the result text for the model. `callId` is its id in the conversation. Rejects only when the turn was
   * stopped.
   */
  async run(requested: RequestedToolCall, callId: string): Promise<string> {
    const { turn, limits, toolbox } = this.#options;
    const tool = toolbox.find(requested.name);
    const read = this.#read(requested, tool);
    const nativeId = turn.startTool({
      name: requested.name.slice(0, 128),
      callId,
      args: shownArgs(read.ok ? read.call.args : read.given),
      ...(read.ok ? { title: read.call.title } : {}),
      ...(tool === undefined ? {} : { kind: tool.kind }),
    });
    try {
      this.#calls += 1;
      if (this.isOverBudget) throw overBudget(limits.toolCallsMax);
      if (!read.ok) throw read.error;
      const outcome = await this.#execute(read.tool, read.call, nativeId);
      return this.#settle(nativeId, outcome);
    } catch (thrown) {
      // Open calls of a stopped turn are settled together, as interrupted, at its end.
      turn.signal.throwIfAborted();
      return this.#settleError(nativeId, thrown);
    }
  }

  #read(
    requested: RequestedToolCall,
    tool: Tool | undefined,
  ): { ok: true; tool: Tool; call: ToolCall } | { ok: false; given: Json; error: ToolError } {
    const args = readArguments(requested);
    const given = args.ok ? args.value : requested.args.slice(0, 2_000);
    const refuse = (error: ToolError) => ({ ok: false as const, given, error });
    if (tool === undefined) return refuse(this.#unknown(requested.name));
    if (!args.ok) return refuse(new ToolError("tool_error", `${tool.name} was not run: ${args.why}`));
    const read = tool.read(args.value);
    return read.ok ? { ok: true, tool, call: read.call } : refuse(new ToolError("tool_error", read.message));
  }

  #unknown(name: string): ToolError {
    const { toolbox } = this.#options;
    if (toolbox.isWithheld(name)) {
      return new ToolError(
        "tool_denied",
        "This session is read-only: files cannot be changed and commands cannot be run.",
      );
    }
    const known = toolbox.tools().map((tool) => tool.name);
    return new ToolError(
      "tool_error",
      `Unknown tool ${JSON.stringify(name.slice(0, 80))}. Available: ${known.join(", ")}.`,
    );
  }

  async #execute(tool: Tool, call: ToolCall, nativeId: string): Promise<ToolOutcome> {
    const { turn } = this.#options;
    const first = await this.#within(tool, nativeId, (context) => call.plan(context));
    const approved = await this.#permit(tool, call, first, nativeId);
    // Approval may take minutes: planned again, and must be unchanged.
    turn.signal.throwIfAborted();
    return this.#within(tool, nativeId, async (context) => {
      if (approved === undefined) return first.run();
      const plan = await call.plan(context);
      if (this.#canonical(tool, call, plan).hash !== approved) {
        throw new ToolError(
          "tool_denied",
          `What this ${tool.name} would do has changed since it was approved. Read it again and repeat the call.`,
        );
      }
      return plan.run();
    });
  }

  /** The approved hash, or undefined when no approval was needed. */
  async #permit(tool: Tool, call: ToolCall, plan: ToolPlan, nativeId: string): Promise<string | undefined> {
    const { judge, turn, member } = this.#options;
    const canonical = this.#canonical(tool, call, plan);
    const ruling = judge(this.#pendingCall(tool, call, plan, canonical.text));
    if (ruling?.verdict === "deny") {
      const message = `A user rule denies this call of ${tool.name} (${ruling.by}). Do not work around it.`;
      throw new ToolError("tool_denied", message);
    }
    if (ruling === undefined && tool.gate === "free") return undefined;
    if (ruling?.verdict === "allow") {
      // For calls that need approval, the log says why nobody was asked.
      if (tool.gate === "asks") turn.updateTool(nativeId, `Allowed without asking: ${ruling.by}`);
      return undefined;
    }
    await askApproval({ turn, member, nativeId, tool, title: call.title, call: canonical, diff: plan.diff });
    return canonical.hash;
  }

  /** As rules see it: an acting tool by its exact call, a read-only one by its target. */
  #pendingCall(tool: Tool, { args }: ToolCall, { subject }: ToolPlan, text: string): PendingCall {
    if (tool.gate === "asks") return describeOwnCall({ tool: tool.name, call: text });
    if (subject.kind === "path") return describeRead(tool.name, subject.text);
    return { ...describeRead(tool.name, ""), subjects: [{ kind: "call", text: canonicalJson(args) }] };
  }

  #canonical(tool: Tool, { args }: ToolCall, { bound }: ToolPlan) {
    const { member, root } = this.#options;
    return canonicalCall({ member, cwd: root, tool: tool.name, args, bound });
  }

  /** Runs work under the tool's deadline; a tool that ignores its signal is abandoned. */
  async #within<Value>(tool: Tool, nativeId: string, work: (context: ToolContext) => Promise<Value>): Promise<Value> {
    const { turn, clock } = this.#options;
    const controller = new AbortController();
    const late = Promise.withResolvers<never>();
    const cancel = clock.after(tool.deadlineMs, () => {
      const error = new ToolError("tool_error", `${tool.name} timed out after ${tool.deadlineMs / 1000} s.`);
      late.reject(error);
      controller.abort(error);
    });
    try {
      const working = work(this.#context(nativeId, AbortSignal.any([turn.signal, controller.signal])));
      return await turn.unlessStopped(Promise.race([working, late.promise]));
    } finally {
      cancel();
    }
  }

  #context(nativeId: string, signal: AbortSignal): ToolContext {
    const { member, root, setup, turn, limits, judge, spawn } = this.#options;
    let streamedBytes = 0;
    return {
      member,
      root,
      setup,
      turn,
      nativeId,
      changes: this.changes,
      mayRead: (path) => (judge(describeRead(readTool.name, path))?.verdict ?? "allow") === "allow",
      signal,
      output: (text, stream) => {
        streamedBytes += Buffer.byteLength(text);
        if (streamedBytes <= limits.streamedBytesMax) turn.toolOutput(nativeId, text, stream);
      },
      linger: (work) => {
        const settled = work.catch(() => undefined);
        this.#lingering.add(settled);
        void settled.then(() => this.#lingering.delete(settled));
      },
      finish: () => void (this.#isFinished = true),
      spawn,
    };
  }

  #settle(nativeId: string, outcome: ToolOutcome): string {
    const { turn, limits } = this.#options;
    const cut = truncateText(outcome.text, limits.resultBytesMax);
    const totalBytes = Math.max(cut.totalBytes, outcome.totalBytes ?? 0);
    const shownBytes = Math.min(Buffer.byteLength(cut.text), totalBytes);
    const isCut = cut.isCut || outcome.totalBytes !== undefined;
    const isOk = outcome.ok ?? true;
    turn.settleTool({
      nativeId,
      ok: isOk,
      result: cut.text,
      ...(isOk ? {} : { error: { code: "tool_error" as const, message: lastLine(cut.text) } }),
      ...(isCut ? { truncated: { totalBytes, shownBytes } } : {}),
      ...(outcome.diff === undefined || outcome.diff === "" ? {} : { diff: outcome.diff }),
    });
    return cut.text;
  }

  #settleError(nativeId: string, thrown: unknown): string {
    const code = thrown instanceof ToolError ? thrown.code : "tool_error";
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    this.#options.turn.settleTool({ nativeId, ok: false, error: { code, message } });
    return `Error: ${message}`;
  }
}

/** How rules see a read of a path. */
export function describeRead(tool: string, path: string): PendingCall {
  return { tool, changesFiles: false, subjects: [{ kind: "path", text: path }], isWhole: true };
}

function readArguments({ args, isCut }: RequestedToolCall): { ok: true; value: Json } | { ok: false; why: string } {
  if (isCut) return { ok: false, why: "its arguments are longer than a call may have. Do it in smaller steps." };
  if (args.trim() === "") return { ok: true, value: {} };
  if (isTooDeep(args)) return { ok: false, why: "its arguments are nested too deeply." };
  try {
    return { ok: true, value: JSON.parse(args) as Json };
  } catch {
    // Written by the model, and reported to it.
    return {
      ok: false,
      why: "its arguments are not JSON, or were cut off. Call it again with a complete JSON object.",
    };
  }
}

function overBudget(callsMax: number): ToolError {
  return new ToolError("rate_limit_tools", `This turn has used its ${callsMax} tool calls. Answer with what you have.`);
}

function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1)?.slice(0, 300) ?? "";
}
