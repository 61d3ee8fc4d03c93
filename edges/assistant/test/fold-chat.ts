/** A chat panel's view of chat events, written from the format alone. */
import type { ChatEvent, ServerFrame } from "./frame-schemas.ts";

export interface ShownTool {
  id: string;
  name: string;
  args: unknown;
  output: string;
  /** Repeated output is dropped: its offset has been reached. */
  offset: number;
  state: "pending" | "success" | "error" | "interrupted";
  result: unknown;
}

export type ShownPart = { text: string } | { tool: ShownTool };

export interface ShownTurn {
  turnId: string;
  /** Present with several members. */
  speaker: string | undefined;
  users: string[];
  questions: { from: string; text: string }[];
  thinking: string;
  parts: ShownPart[];
  isEnded: boolean;
  interrupt: string | undefined;
  error: string | undefined;
  /** The next text starts a new part. */
  isBroken: boolean;
}

export interface Shown {
  turns: Map<string, ShownTurn>;
  tools: Map<string, ShownTool>;
  ids: Set<string>;
}

export function createShown(): Shown {
  return { turns: new Map(), tools: new Map(), ids: new Set() };
}

export function foldFrames(frames: readonly ServerFrame[]): Shown {
  let shown = createShown();
  for (const frame of frames) {
    if (frame.type === "session_cleared") shown = createShown();
    else if (frame.type === "chat_event") show(shown, frame.event);
  }
  return shown;
}

export function foldEvents(events: readonly ChatEvent[], shown = createShown()): Shown {
  for (const event of events) show(shown, event);
  return shown;
}

function show(shown: Shown, event: ChatEvent): void {
  // Known events are not rendered again.
  if (shown.ids.has(event.id)) return;
  shown.ids.add(event.id);
  const turn = turnOf(shown, event.turnId ?? event.id);
  switch (event.type) {
    case "turn_end":
      turn.isEnded = true;
      return;
    case "user_message": {
      const { text, fromAgentId } = event.payload;
      if (fromAgentId === undefined) turn.users.push(text);
      else turn.questions.push({ from: fromAgentId, text });
      return;
    }
    case "agent_switch":
      turn.speaker = event.payload.toAgentId;
      return;
    case "assistant_chunk":
      partOf(turn).text += event.payload.text;
      return;
    case "assistant_done":
      partOf(turn).text = event.payload.text;
      return;
    case "thinking_chunk":
      turn.thinking += event.payload.text;
      return;
    case "thinking_done":
      turn.thinking = event.payload.text;
      return;
    case "interrupt":
      turn.interrupt = event.payload.reason;
      for (const part of turn.parts) {
        if ("tool" in part && part.tool.state === "pending") part.tool.state = "interrupted";
      }
      return;
    case "error":
      turn.error = event.payload.message;
      return;
    default:
      showTool(shown, turn, event);
  }
}

function showTool(shown: Shown, turn: ShownTurn, event: ChatEvent): void {
  if (event.type === "tool_call") {
    const { toolCallId: id, toolName: name, args } = event.payload;
    const known = shown.tools.get(id);
    if (known !== undefined) {
      known.args = args;
      return;
    }
    const tool: ShownTool = { id, name, args, output: "", offset: 0, state: "pending", result: null };
    shown.tools.set(id, tool);
    turn.parts.push({ tool });
    turn.isBroken = true;
  } else if (event.type === "tool_output_chunk") {
    const tool = shown.tools.get(event.payload.toolCallId);
    if (tool === undefined || event.payload.offset <= tool.offset) return;
    tool.output += event.payload.chunk;
    tool.offset = event.payload.offset;
  } else if (event.type === "tool_result") {
    const tool = shown.tools.get(event.payload.toolCallId);
    if (tool === undefined) return;
    const { result, error } = event.payload;
    tool.output = "";
    tool.result = result;
    tool.state = error === undefined ? "success" : error.code === "tool_interrupted" ? "interrupted" : "error";
  }
}

function turnOf({ turns }: Shown, turnId: string): ShownTurn {
  const known = turns.get(turnId);
  if (known !== undefined) return known;
  const nothing = {
    speaker: undefined,
    thinking: "",
    isEnded: false,
    interrupt: undefined,
    error: undefined,
    isBroken: false,
  };
  const turn: ShownTurn = { turnId, users: [], questions: [], parts: [], ...nothing };
  turns.set(turnId, turn);
  return turn;
}

function partOf(turn: ShownTurn): { text: string } {
  const last = turn.parts.at(-1);
  if (last !== undefined && "text" in last && !turn.isBroken) return last;
  const part = { text: "" };
  turn.parts.push(part);
  turn.isBroken = false;
  return part;
}
