/** Tool calls as linggen shows them, twice: as the agent's status and as a block of its message. */
import type { EventOf } from "../../../src/protocol/index.ts";
import { blockStartFrame, blockUpdateFrame, progressFrame, type FrameSource } from "./frames.ts";
import { createOutputLines } from "./output-lines.ts";
import type { StatusTracker } from "./status-tracker.ts";
import {
  doingLine,
  doneLine,
  failedLine,
  startingLine,
  toolLineOf,
  type ToolFacts,
  type ToolLine,
} from "./tool-lines.ts";
import type { UiDraft } from "./ui-message.ts";

interface Call extends ToolFacts {
  readonly toolCallId: string;
}

export interface ToolFrames {
  start(of: FrameSource, call: Call): UiDraft[];
  /** Some agents start a call without arguments and send them later. The block keeps the initial ones. */
  update(of: FrameSource, event: Pick<EventOf<"tool_call_update">, "toolCallId" | "args" | "title">): UiDraft[];
  /** For a new client. */
  again(of: FrameSource, call: Call): UiDraft[];
  output(of: FrameSource, event: EventOf<"tool_output_delta">): UiDraft[];
  end(of: FrameSource, result: Pick<EventOf<"tool_result">, "toolCallId" | "ok">): UiDraft[];
  /** The turn's end closed the call. */
  cut(of: FrameSource, toolCallId: string): UiDraft[];
}

export function createToolFrames(statuses: StatusTracker): ToolFrames {
  const open = new Map<string, { facts: ToolFacts; line: ToolLine; agent: string }>();
  const output = createOutputLines();
  const isAnyOpen = (agent: string) => [...open.values()].some((call) => call.agent === agent);
  const startFrame = (of: FrameSource, toolCallId: string, { tool, arg }: ToolLine) =>
    blockStartFrame(of, toolCallId, { name: tool, args: arg });

  return {
    start(of, call) {
      const line = toolLineOf(call);
      open.set(call.toolCallId, { facts: call, line, agent: of.agent });
      // A subagent's line cannot be replaced later.
      const doing = of.parent === undefined ? startingLine(line) : doingLine(line);
      return [...statuses.call(of, call.toolCallId, doing), startFrame(of, call.toolCallId, line)];
    },
    update(of, { toolCallId, args, title }) {
      const call = open.get(toolCallId);
      if (call === undefined) return [];
      const facts = { ...call.facts, args: args ?? call.facts.args, title: title ?? call.facts.title };
      const line = toolLineOf(facts);
      open.set(toolCallId, { ...call, facts, line });
      return line.arg === call.line.arg ? [] : statuses.recalled(of, toolCallId, doingLine(line));
    },
    again: (of, call) => [startFrame(of, call.toolCallId, toolLineOf(call))],
    output(of, { toolCallId, text, stream = "stdout" }) {
      const tool = open.get(toolCallId)?.line.tool;
      if (tool === undefined) return [];
      return output.push(toolCallId, stream, text).map((line) => progressFrame(of, tool, line, stream));
    },
    end(of, { toolCallId, ok }) {
      const closing = close(of, toolCallId, ok);
      // The model has the result and continues.
      return closing.length === 0 || isAnyOpen(of.agent) ? closing : [...closing, ...statuses.show(of, "working")];
    },
    cut: (of, toolCallId) => close(of, toolCallId, false),
  };

  function close(of: FrameSource, toolCallId: string, ok: boolean): UiDraft[] {
    const call = open.get(toolCallId);
    // A result without a seen start has nothing to close.
    if (call === undefined) return [];
    open.delete(toolCallId);
    const { line } = call;
    const summary = ok ? doneLine(line) : failedLine(line);
    return [
      ...output.end(toolCallId).map((rest) => progressFrame(of, line.tool, rest.line, rest.stream)),
      ...statuses.called(of, toolCallId, summary),
      blockUpdateFrame(of, toolCallId, { summary, isError: !ok }),
    ];
  }
}
