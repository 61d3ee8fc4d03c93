/**
 * Tool calls of one turn: maps the agent's ids to ours; every call gets exactly one result. A result for an unknown or
 * settled call is a warning and changes nothing.
 */

import type { AgentEvent } from "../../agents/index.ts";
import type { Clock } from "../../kit/clock.ts";
import { newId } from "../../kit/ids.ts";
import type { DraftOf, EventDraft, BlobRef } from "../../protocol/index.ts";
import { createDeltaJoiner, type DeltaJoiner } from "./delta-joiner.ts";
import { beginningOf, endOf, fitsEncoded } from "../../kit/text/encoded-size.ts";
import {
  TOOL_CALLS_OPEN_MAX,
  TOOL_OUTPUT_CHUNK_MAX,
  TOOL_HEAD_BYTES,
  TOOL_RESULT_INLINE_MAX,
  TOOL_TAIL_BYTES,
} from "../limits.ts";
import { appendPrinted, attemptOf, judgeResult, type Attempt, type ToolResult, type Wall } from "./refused-call.ts";
import type { Stamp } from "./segments.ts";

type Of<Type extends AgentEvent["type"]> = Extract<AgentEvent, { type: Type }>;
type OutputStream = Of<"tool_output_delta">["stream"];

interface Call {
  readonly toolCallId: string;
  readonly name: string;
  readonly toolKind: string | undefined;
  /** Why it must not run, by the last answer about it. */
  denied?: string | undefined;
  printed: string;
  attempt: Attempt | undefined;
  readonly startedMs: number;
  /** Time spent waiting for approval. */
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
      this.#warn("duplicate_tool_call", `Tool call "${nativeId}" was started twice. The second start was dropped.`);
      return;
    }
    if (this.#open.size >= TOOL_CALLS_OPEN_MAX) {
      const message = `${TOOL_CALLS_OPEN_MAX} tool calls are already open. Call "${nativeId}" is not shown.`;
      this.#warn("too_many_tool_calls", message);
      return;
    }
    const call: Call = {
      toolCallId: newId(),
      name: rest.name,
      toolKind: rest.kind,
      printed: "",
      attempt: attemptOf({ ...rest, toolKind: rest.kind }, rest.args, this.#wall()),
      startedMs: this.#clock.monotonic(),
      approvalMs: 0,
      joiners: new Map(),
    };
    this.#open.set(nativeId, call);
    this.#append({ type, ...this.#stamp, toolCallId: call.toolCallId, nativeId, ...rest });
  }

  update({ nativeId, type, ...rest }: Of<"tool_call_update">): void {
    const toolCallId = this.find(nativeId, "News");
    if (toolCallId === undefined) return;
    const call = this.#open.get(nativeId);
    // Some agents name the arguments only now.
    if (call !== undefined && rest.args !== undefined) {
      if (call.attempt?.isMissed === undefined) {
        call.attempt = attemptOf(call, rest.args, this.#wall()) ?? call.attempt;
      }
    }
    this.#append({ type, ...this.#stamp, toolCallId, ...rest });
  }

  output({ nativeId, text, stream }: Of<"tool_output_delta">): void {
    if (this.find(nativeId, "Output") === undefined) return;
    const call = this.#open.get(nativeId);
    if (call === undefined) return;
    if (this.#wall() !== undefined) call.printed = appendPrinted(call.printed, text);
    this.#joinerOf(call, stream).add(text);
  }

  /** The call's id; undefined, with a warning, when there is none. */
  find(nativeId: string, what: string): string | undefined {
    const call = this.#open.get(nativeId);
    if (call === undefined) {
      const message = `${what} for tool call "${nativeId}" arrived, but no such call is open. It was dropped.`;
      this.#warn("unknown_tool_call", message);
    }
    return call?.toolCallId;
  }

  /** Approval time does not count as tool time; resumes when the returned function is called. */
  pause(toolCallId: string): () => void {
    const call = [...this.#open.values()].find((one) => one.toolCallId === toolCallId);
    const sinceMs = this.#clock.monotonic();
    let isOver = false;
    return () => {
      if (call !== undefined && !isOver) call.approvalMs += this.#clock.monotonic() - sinceMs;
      isOver = true;
    };
  }

  /** Undefined: allowed after all. */
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
    const result = judgeResult(call, reported, this.#wall());
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

/** Tool output too large for an event: complete in a blob, shown by head and tail. */
export function isLargeOutput(text: string | undefined): text is string {
  return text !== undefined && !fitsEncoded(text, TOOL_RESULT_INLINE_MAX);
}

/** `blob` is undefined when the output could not be stored. */
export function shortenResult(result: ToolResult, whole: string, blob: BlobRef | undefined): ToolResult {
  const head = beginningOf(whole, TOOL_HEAD_BYTES);
  const tail = endOf(whole.slice(head.length), TOOL_TAIL_BYTES);
  const totalBytes = Buffer.byteLength(whole);
  const shownBytes = Buffer.byteLength(head) + Buffer.byteLength(tail);
  const omission = blob === undefined ? "not kept" : "not shown";
  return {
    ...result,
    result: `${head}\n… ${totalBytes - shownBytes} bytes ${omission} …\n${tail}`,
    truncated: { totalBytes, shownBytes, ...(blob === undefined ? {} : { blob: { ...blob, head, tail } }) },
  };
}
