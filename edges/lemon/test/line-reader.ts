/**
 * The state of a screen for wire 003, by the rules of the format: one message grows at a time and
 * is replaced by every update; user messages count from their start, those of assistants and tools from their end.
 */
import type { WireAssistant, WireLine, WireMessage } from "./line-schemas.ts";

export interface ReadSession {
  readonly messages: WireMessage[];
  readonly tools: Map<string, { name: string; isRunning: boolean; isError: boolean | undefined }>;
  growing: WireAssistant | undefined;
  isBusy: boolean;
  /** Deltas of the growing message, by block. */
  deltas: string[];
  readonly faults: string[];
  readonly stamps: Set<number>;
  nextSeq: number;
}

export function newSession(): ReadSession {
  return {
    messages: [],
    tools: new Map(),
    growing: undefined,
    isBusy: false,
    deltas: [],
    faults: [],
    stamps: new Set(),
    nextSeq: 0,
  };
}

export function readEvent(session: ReadSession, line: Extract<WireLine, { type: "event" }>): void {
  const { event } = line;
  if (line.event_seq !== undefined && line.event_seq !== session.nextSeq++) session.faults.push("a number is missing");
  switch (event.type) {
    case "agent_start":
      session.isBusy = true;
      return;
    case "agent_end":
      session.isBusy = false;
      if (session.growing !== undefined) session.faults.push("the run ended while a message was growing");
      for (const [id, tool] of session.tools) if (tool.isRunning) session.faults.push(`${id} still runs at the end`);
      return;
    case "turn_end":
      if (session.growing !== undefined) session.faults.push("a turn ended while a message was growing");
      return;
    case "message_start":
      return start(session, event.data[0]);
    case "message_update":
      return update(session, event.data[0], event.data[1]);
    case "message_end":
      return end(session, event.data[0]);
    case "tool_execution_start":
      session.tools.set(event.data[0], { name: event.data[1], isRunning: true, isError: undefined });
      return;
    case "tool_execution_end":
      if (session.tools.get(event.data[0])?.isRunning !== true) session.faults.push("a tool ended that did not run");
      session.tools.set(event.data[0], { name: event.data[1], isRunning: false, isError: event.data[3] });
      return;
    default:
      return;
  }
}

function start(session: ReadSession, message: WireMessage): void {
  if (session.growing !== undefined) session.faults.push(`a message of ${message.role} begins inside another`);
  if (message.role === "user") session.messages.push(message);
  if (message.role !== "assistant") return;
  if (session.stamps.has(message.timestamp)) session.faults.push("two messages have one time");
  session.stamps.add(message.timestamp);
  session.growing = message;
  session.deltas = [];
}

function update(session: ReadSession, message: WireAssistant, [kind, index, what]: readonly unknown[]): void {
  if (session.growing?.timestamp !== message.timestamp) session.faults.push("an update of another message");
  session.growing = message;
  const at = Number(index);
  const said = session.deltas[at] ?? "";
  if (typeof what === "string") session.deltas[at] = String(kind).endsWith("_delta") ? said + what : what;
}

function end(session: ReadSession, message: WireMessage): void {
  if (message.role !== "assistant" && session.growing !== undefined) {
    session.faults.push(`a message of ${message.role} ends inside another`);
  }
  if (message.role === "user") return;
  session.messages.push(message);
  if (message.role !== "assistant") return;
  if (session.growing?.timestamp !== message.timestamp) session.faults.push("the end of another message");
  session.growing = undefined;
  if (message.stop_reason === null) session.faults.push("an ended message without a reason");
}

export interface Conversation {
  readonly users: string[];
  /** Texts, thoughts and calls with outcomes, by member. */
  readonly members: ReadonlyMap<string, readonly string[]>;
}

/** Content independent of message boundaries. `isHeaded`: the first block of each message is a name. */
export function conversationOf(
  messages: readonly WireMessage[],
  isHeaded: (message: WireAssistant) => boolean,
): Conversation {
  const users: string[] = [];
  const members = new Map<string, string[]>();
  const results = new Map(
    messages.flatMap((one) => (one.role === "tool_result" ? [[one.tool_call_id, one] as const] : [])),
  );
  for (const message of messages) {
    if (message.role === "user")
      users.push(typeof message.content === "string" ? message.content : JSON.stringify(message.content));
    if (message.role !== "assistant") continue;
    const said = members.get(message.provider) ?? [];
    members.set(message.provider, said);
    const isNamed = message.content.length > 0 && isHeaded(message);
    for (const block of message.content.slice(isNamed ? 1 : 0)) {
      if (block.type === "text") said.push(`text ${block.text}`);
      if (block.type === "thinking") said.push(`thinking ${block.thinking}`);
      if (block.type !== "tool_call") continue;
      const result = results.get(block.id);
      const text = result?.content.map((one) => (one.type === "text" ? one.text : "")).join("");
      said.push(`tool ${block.id} ${block.name} ${String(result?.is_error)} ${text}`);
    }
  }
  return { users, members };
}
