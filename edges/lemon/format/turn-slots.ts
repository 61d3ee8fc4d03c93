/**
 * One turn as this wire has it: a list of assistant messages, each ended by a call, a request or a user message. The
 * same turn always gives the same list, live and read back.
 */
import type { Json } from "../../../src/protocol/index.ts";
import type { Block, ToolBlock, TurnMessage } from "../../../src/transcript/index.ts";
import { bytesOf, fittingPrefix, MESSAGE_TEXT_BYTES_MAX, wholeCharacters, type Fields } from "./line-limits.ts";
import { textContent, thinkingContent, toolCall, contentText, type Content } from "./structs.ts";

export interface Slot {
  readonly content: readonly Content[];
  /** The call this message ends with. */
  readonly tool?: SlotTool;
  /** False while it may grow. */
  readonly isClosed: boolean;
  /** The last message of an ended turn: has its outcome and usage. */
  readonly isFinal: boolean;
  readonly ts: number;
}

export interface SlotTool {
  readonly id: string;
  readonly name: string;
  readonly args: Json;
  /** Output so far; complete once `settled` is set. */
  readonly output: string;
  readonly details: Fields;
  readonly settled?: { readonly isError: boolean; readonly ts: number };
}

/** Names of synthetic calls for what has no call in the log. */
const ASKS_MEMBER = "agents_message";
const SENDS_SUBAGENT = "subagent";
/** Tools whose output clients read from a result's details rather than its content. */
const SHELLS: ReadonlySet<string> = new Set(["bash", "exec"]);
const SHELL_CHARS_MAX = 2048;

/** `heading`: the speaker's name, put before the text of every message. */
export function slotsOf(turn: TurnMessage, heading: string | undefined): Slot[] {
  const slots: Slot[] = [];
  let content: Content[] = [];
  let isDone = true;
  let ts = turn.ts;
  const close = (tool?: SlotTool, nextTs = ts): void => {
    const headed = heading === undefined ? content : [textContent(heading), ...content];
    const ended = tool === undefined ? headed : [...headed, toolCall(tool.id, tool.name, tool.args)];
    // Later text belongs to the message in which it started.
    const isClosed = isDone || turn.end !== undefined;
    slots.push({ content: ended, isClosed, isFinal: false, ts, ...(tool === undefined ? {} : { tool }) });
    content = [];
    isDone = true;
    ts = nextTs;
  };
  for (const block of turn.blocks) {
    if (block.kind === "text" || block.kind === "thinking") {
      let rest = block.text;
      for (;;) {
        const chunk = fittingPrefix(rest, roomIn(content, rest.length));
        content.push(block.kind === "text" ? textContent(chunk) : thinkingContent(chunk));
        if (chunk.length === rest.length) break;
        rest = rest.slice(chunk.length);
        close();
      }
      isDone &&= block.done;
    } else if (block.kind === "request" || block.kind === "steering") {
      // A user message separates two messages.
      if (content.length > 0) close();
    } else {
      const tool = toolOf(block, turn);
      if (tool !== undefined) close(tool, tool.settled?.ts ?? ts);
    }
  }
  return withLast(slots, { content, ts, turn, heading });
}

/** Bytes left in a message; computed exactly only when it may be full. */
function roomIn(content: readonly Content[], moreChars: number): number {
  const chars = content.reduce((sum, one) => sum + contentText(one).length, moreChars);
  if (chars * 3 <= MESSAGE_TEXT_BYTES_MAX) return MESSAGE_TEXT_BYTES_MAX;
  return content.reduce((room, one) => room - bytesOf(contentText(one)), MESSAGE_TEXT_BYTES_MAX);
}

interface Rest {
  readonly content: readonly Content[];
  readonly ts: number;
  readonly turn: TurnMessage;
  readonly heading: string | undefined;
}

/** Text after the last call. Omitted from an ended turn when it is empty. */
function withLast(slots: readonly Slot[], { content, ts, turn, heading }: Rest): Slot[] {
  const { end, usage } = turn;
  const isEnded = end !== undefined;
  const isNeeded = slots.length === 0 || end?.outcome !== "completed" || usage !== undefined;
  if (content.length === 0 && !(isEnded && isNeeded)) return [...slots];
  const headed = heading === undefined || content.length === 0 ? content : [textContent(heading), ...content];
  return [...slots, { content: headed, isClosed: isEnded, isFinal: isEnded, ts }];
}

function toolOf(block: Block, turn: TurnMessage): SlotTool | undefined {
  switch (block.kind) {
    case "tool":
      return fromTool(block, turn);
    case "exchange":
      return block.toolCallId === undefined ? fromExchange(block, turn) : undefined;
    case "subagent":
      return fromSubagent(block, turn);
    default:
      return undefined;
  }
}

function fromTool(block: ToolBlock, turn: TurnMessage): SlotTool {
  const { toolCallId: id, name, args, state, result, error, durationMs, startTs } = block;
  const isSettled = state !== "pending";
  const output = (isSettled ? (result ?? error?.message) : undefined) ?? block.output;
  const isError = state === "error" || state === "interrupted" || (state === "pending" && turn.end !== undefined);
  const details: Record<string, Json> = {
    ...(block.title === undefined ? {} : { title: block.title }),
    ...(block.detail === undefined ? {} : { detail: block.detail }),
    ...(block.diff === undefined ? {} : { diff: block.diff }),
    ...(error === undefined ? {} : { error_code: error.code }),
    ...(durationMs === undefined ? {} : { duration_ms: durationMs }),
    ...(block.truncated === undefined ? {} : { total_bytes: block.truncated.totalBytes }),
    ...(SHELLS.has(name) ? { exit_code: isError ? 1 : 0, stdout: wholeCharacters(output, SHELL_CHARS_MAX) } : {}),
  };
  return {
    id,
    name,
    args,
    output,
    details,
    ...settledAt(isSettled || turn.end !== undefined, { isError, ts: startTs + (durationMs ?? 0) }),
  };
}

function fromExchange(block: Extract<Block, { kind: "exchange" }>, turn: TurnMessage): SlotTool {
  const { agentExchangeId: id, to, text, wait, answer } = block;
  return {
    id,
    name: ASKS_MEMBER,
    args: { to, text, wait },
    output: answer?.text ?? "",
    details: {},
    ...settledAt(answer !== undefined || turn.end !== undefined, { isError: answer?.ok === false, ts: turn.ts }),
  };
}

function fromSubagent(block: Extract<Block, { kind: "subagent" }>, turn: TurnMessage): SlotTool {
  const { subagentTurnId: id, name, task, outcome, text } = block;
  return {
    id,
    name: SENDS_SUBAGENT,
    args: { name, task },
    output: text ?? "",
    details: {},
    ...settledAt(outcome !== undefined || turn.end !== undefined, {
      isError: outcome !== undefined && outcome !== "completed",
      ts: turn.ts,
    }),
  };
}

function settledAt(isSettled: boolean, settled: NonNullable<SlotTool["settled"]>): Pick<SlotTool, "settled"> {
  return isSettled ? { settled } : {};
}
