/**
 * The tool calls of one turn: the agent's ids become ours, and every call gets exactly one result.
 * A result for a call that is unknown or already settled is said as a warning and changes nothing.
 */
import type { AgentEvent } from "../../agents/index.ts";
import type { Clock } from "../../kit/clock.ts";
import { newId } from "../../kit/ids.ts";
import type { DraftOf, EventDraft } from "../../protocol/index.ts";
import { createDeltaJoiner, type DeltaJoiner } from "./delta-joiner.ts";
import { asDenied, appendPrinted, stoppedBySandbox, type Wall } from "./denied-call.ts";
import { beginningOf } from "../../kit/text/encoded-size.ts";
import { TOOL_CALLS_OPEN_MAX, TOOL_OUTPUT_CHUNK_MAX } from "../limits.ts";
import type { Stamp } from "./segments.ts";

type Of<Type extends AgentEvent["type"]> = Extract<AgentEvent, { type: Type }>;
type OutputStream = Of<"tool_output_delta">["stream"];
export type ToolResult = Omit<Of<"tool_result">, "nativeId">;

interface Call {
  readonly toolCallId: string;
  readonly toolKind: string | undefined;
  /** Why it must not run, as of the last answer about it. */
  denied?: string | undefined;
  printed: string;
  readonly startedMs: number;
  /** How long people were asked about it. */
  approvalMs: number;
  readonly joiners: Map<OutputStream, DeltaJoiner>;
}

export class ToolCalls {
  readonly #stamp: Stamp;
  readonly #clock: Clock;
  readonly #append: (draft: EventDraft) => void;
  readonly #wall: () => Wall | undefined;
  readonly #open = new Map<string, Call>();

  constructor(stamp: Stamp, clock: Clock, append: (draft: EventDraft) => void, wall: () => Wall | undefined) {
    this.#wall = wall;
    this.#stamp = stamp;
    this.#clock = clock;
    this.#append = append;
  }

  start({ nativeId, type, ...rest }: Of<"tool_call_start">): void {
    if (this.#open.has(nativeId)) {
      this.#warn("duplicate_tool_call", `Tool call "${nativeId}" was started twice. The second start was not kept.`);
      return;
    }
    if (this.#open.size >= TOOL_CALLS_OPEN_MAX) {
      const message = `${TOOL_CALLS_OPEN_MAX} tool calls are already open. Call "${nativeId}" is not shown.`;
      this.#warn("too_many_tool_calls", message);
      return;
    }
    const call: Call = {
      toolCallId: newId(),
      toolKind: rest.kind,
      printed: "",
      startedMs: this.#clock.monotonic(),
      approvalMs: 0,
      joiners: new Map(),
    };
    this.#open.set(nativeId, call);
    this.#append({ type, ...this.#stamp, toolCallId: call.toolCallId, nativeId, ...rest });
  }

  update({ nativeId, type, ...rest }: Of<"tool_call_update">): void {
    const toolCallId = this.find(nativeId, "News");
    if (toolCallId !== undefined) this.#append({ type, ...this.#stamp, toolCallId, ...rest });
  }

  output({ nativeId, text, stream }: Of<"tool_output_delta">): void {
    if (this.find(nativeId, "Output") === undefined) return;
    const call = this.#open.get(nativeId);
    if (call === undefined) return;
    if (this.#wall() !== undefined) call.printed = appendPrinted(call.printed, text);
    this.#joinerOf(call, stream).add(text);
  }

  /** The call something belongs to; undefined, and a warning, when there is none. */
  find(nativeId: string, what: string): string | undefined {
    const call = this.#open.get(nativeId);
    if (call === undefined) {
      const message = `${what} for tool call "${nativeId}" came, but no such call is open. It was not kept.`;
      this.#warn("unknown_tool_call", message);
    }
    return call?.toolCallId;
  }

  /** Time in which the user is asked about a call is not the tool's; it ends when the returned function is called. */
  pause(toolCallId: string): () => void {
    const call = [...this.#open.values()].find((one) => one.toolCallId === toolCallId);
    const sinceMs = this.#clock.monotonic();
    let isOver = false;
    return () => {
      if (call !== undefined && !isOver) call.approvalMs += this.#clock.monotonic() - sinceMs;
      isOver = true;
    };
  }

  /** Undefined: it may run after all. */
  deny(toolCallId: string, why: string | undefined): void {
    for (const call of this.#open.values()) if (call.toolCallId === toolCallId) call.denied = why;
  }

  settle(toolCallId: string, result: ToolResult): void {
    for (const [nativeId, call] of this.#open) {
      if (call.toolCallId !== toolCallId) continue;
      this.#open.delete(nativeId);
      this.#finish(call, result);
    }
  }

  /** Settles every open call as interrupted. */
  interruptAll(message: string): void {
    for (const call of this.#open.values()) {
      this.#finish(call, { type: "tool_result", ok: false, error: { code: "tool_interrupted", message } });
    }
    this.#open.clear();
  }

  #finish(call: Call, reported: ToolResult): void {
    const denied =
      call.denied ?? stoppedBySandbox(reported, call.printed, { wall: this.#wall(), toolKind: call.toolKind });
    const result = denied === undefined ? reported : asDenied(reported, denied);
    for (const joiner of call.joiners.values()) joiner.flush();
    const durationMs = result.durationMs ?? Math.max(0, this.#clock.monotonic() - call.startedMs - call.approvalMs);
    const { toolCallId } = call;
    const draft: DraftOf<"tool_result"> = { ...result, ...this.#stamp, toolCallId, durationMs };
    this.#append(draft);
  }

  #joinerOf(call: Call, stream: OutputStream): DeltaJoiner {
    const existing = call.joiners.get(stream);
    if (existing !== undefined) return existing;
    const base = { ...this.#stamp, toolCallId: call.toolCallId, ...(stream === undefined ? {} : { stream }) };
    const joiner = createDeltaJoiner(this.#clock, (text) => {
      let rest = text;
      while (rest !== "") {
        const chunk = beginningOf(rest, TOOL_OUTPUT_CHUNK_MAX);
        rest = rest.slice(chunk.length);
        this.#append({ type: "tool_output_delta", ...base, text: chunk });
      }
    });
    call.joiners.set(stream, joiner);
    return joiner;
  }

  #warn(code: string, message: string): void {
    this.#append({ type: "warning", ...this.#stamp, code, message });
  }
}
