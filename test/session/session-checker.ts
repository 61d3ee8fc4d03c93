/** Checks a raw log against what a session promises. Reads nothing but the log. */
import type * as z from "zod";
import { definitionOf, type EventOf, type SessionEvent } from "../../src/protocol/index.ts";

export interface CheckOptions {
  /** Every turn, tool call, request and segment must be closed. */
  settled: boolean;
}

export function checkLog(events: readonly SessionEvent[], options: CheckOptions): void {
  events.forEach((event, index) => {
    if (event.seq !== index + 1) fail(event, `expected seq ${index + 1}`);
    checkShape(event);
  });
  checkTurns(events, options);
  checkRequests(events, options);
  checkMessages(events);
  checkOrder(events);
  checkHolds(events);
  checkExchanges(events, options);
}

const strictSchemas = new Map<string, z.ZodType>();
const checkedShapes = new WeakSet<SessionEvent>();

function checkShape(event: SessionEvent): void {
  if (checkedShapes.has(event)) return;
  checkedShapes.add(event);
  const schema = strictSchemas.get(event.type) ?? definitionOf(event.type)?.schema.strict();
  if (schema === undefined) return fail(event, "unknown type");
  strictSchemas.set(event.type, schema);
  const parsed = schema.safeParse(event);
  if (!parsed.success) fail(event, `not valid: ${parsed.error.message}`);
  if (Buffer.byteLength(JSON.stringify(event)) > 256 * 1024) fail(event, "larger than an event may be");
}

function fail(event: SessionEvent, why: string): never {
  throw new Error(`event ${event.seq} ${event.type}: ${why}\n${JSON.stringify(event)}`);
}

function checkTurns(events: readonly SessionEvent[], options: CheckOptions): void {
  const open = new Map<string, { start: EventOf<"turn_start">; tools: Set<string>; segments: Map<string, string> }>();
  const running = new Map<string, string>();
  const ended = new Set<string>();
  for (const event of events) {
    if (event.type === "turn_start") {
      if (ended.has(event.turnId) || open.has(event.turnId)) fail(event, "started twice");
      const isSubagent = event.cause === "subagent";
      if (isSubagent && !open.has(event.parentTurnId ?? "")) fail(event, "was sent by no open turn");
      if (!isSubagent && running.has(event.member)) fail(event, `${event.member} already runs a turn`);
      if (!isSubagent) running.set(event.member, event.turnId);
      open.set(event.turnId, { start: event, tools: new Set(), segments: new Map() });
      continue;
    }
    const { turnId } = event;
    if (turnId === undefined || event.type === "message_delivery" || event.type === "warning") continue;
    const turn = open.get(turnId);
    if (turn === undefined) fail(event, ended.has(turnId) ? "comes after its turn ended" : "belongs to no turn");
    if (event.member !== turn.start.member) fail(event, "has another member than its turn");
    checkInTurn(event, turn);
    if (event.type !== "turn_end") continue;
    if (turn.tools.size > 0) fail(event, "leaves tool calls open");
    if (turn.segments.size > 0) fail(event, "leaves segments open");
    for (const { start } of open.values()) {
      if (start.parentTurnId === turnId && start.cause === "subagent") fail(event, "leaves a subagent's turn open");
    }
    if (running.get(event.member) === turnId) running.delete(event.member);
    open.delete(turnId);
    ended.add(turnId);
  }
  if (options.settled && open.size > 0) throw new Error(`turns without an end: ${[...open.keys()].join(", ")}`);
}

function checkInTurn(event: SessionEvent, turn: { tools: Set<string>; segments: Map<string, string> }): void {
  const { tools, segments } = turn;
  switch (event.type) {
    case "tool_call_start":
      if (tools.has(event.toolCallId)) fail(event, "started twice");
      tools.add(event.toolCallId);
      if (segments.size > 0) fail(event, "does not close the open segment");
      return;
    case "tool_result":
      if (!tools.delete(event.toolCallId)) fail(event, "has no open call");
      return;
    case "tool_output_delta":
    case "tool_call_update":
      if (!tools.has(event.toolCallId)) fail(event, "has no open call");
      return;
    case "text_delta":
    case "thinking_delta":
      segments.set(event.segmentId, (segments.get(event.segmentId) ?? "") + event.text);
      for (const [, turnId] of event.text.matchAll(/<([0-9A-Z]{26})>/g)) {
        if (turnId !== event.turnId) fail(event, `says words of turn ${turnId}`);
      }
      if (segments.size > 1) fail(event, "two segments are open");
      return;
    case "thinking_start":
      segments.set(event.segmentId, "");
      return;
    case "text_done":
    case "thinking_done": {
      const text = segments.get(event.segmentId);
      if (text === undefined) fail(event, "closes no open segment");
      if (text !== event.text) fail(event, `closes with another text than was streamed: ${text}`);
      segments.delete(event.segmentId);
      return;
    }
    case "text_retracted":
      segments.delete(event.segmentId);
      return;
    case "steering":
    case "ui_request":
      if (segments.size > 0) fail(event, "does not close the open segment");
      return;
    default:
  }
}

function checkRequests(events: readonly SessionEvent[], options: CheckOptions): void {
  const open = new Set<string>();
  for (const event of events) {
    if (event.type === "ui_request") open.add(event.requestId);
    if (event.type === "ui_response" || event.type === "ui_cancelled") {
      if (!open.delete(event.requestId)) fail(event, "closes a request that is not open");
    }
  }
  if (options.settled && open.size > 0) throw new Error(`requests never closed: ${[...open].join(", ")}`);
}

function checkMessages(events: readonly SessionEvent[]): void {
  const sent = new Set<string>();
  const byClientId = new Map<string, string>();
  const know = (event: SessionEvent, clientMessageId: string | undefined, messageId: string): void => {
    if (clientMessageId === undefined) return;
    const first = byClientId.get(clientMessageId) ?? messageId;
    if (first !== messageId) fail(event, `${clientMessageId} became two messages, ${first} and ${messageId}`);
    byClientId.set(clientMessageId, messageId);
  };
  let queue: string[] = [];
  for (const event of events) {
    if (event.type === "user_message") {
      if (sent.has(event.messageId)) fail(event, "the message is there twice");
      sent.add(event.messageId);
      know(event, event.clientMessageId, event.messageId);
    }
    if (event.type === "queue_updated") {
      for (const item of event.items) know(event, item.clientMessageId, item.messageId);
      const next = event.items.map((item) => item.messageId);
      for (const messageId of next) {
        if (!queue.includes(messageId) && sent.has(messageId)) fail(event, "a sent message came back to the queue");
      }
      queue = next;
    }
  }
}

/** For each member, messages are given in the order they were said, each at most once. */
function checkOrder(events: readonly SessionEvent[]): void {
  const said = new Map<string, EventOf<"user_message">>();
  const given = new Map<string, { last: number; ids: Set<string> }>();
  const states = new Map<string, string>();
  const give = (event: SessionEvent, member: string, messageId: string): void => {
    const message = said.get(messageId);
    if (message === undefined) fail(event, `gives ${messageId}, which nobody said`);
    if (!message.to.includes(member)) fail(event, `gives ${messageId} to ${member}, to whom it was not said`);
    const before = given.get(member) ?? { last: 0, ids: new Set() };
    if (before.ids.has(messageId)) fail(event, `gives ${messageId} to ${member} twice`);
    if (message.seq < before.last) fail(event, `gives ${messageId} to ${member} after a later one`);
    before.ids.add(messageId);
    given.set(member, { last: message.seq, ids: before.ids });
    if (states.get(`${messageId} ${member}`) === "dropped") fail(event, `gives ${messageId}, which was dropped`);
  };
  for (const event of events) {
    if (event.type === "user_message") said.set(event.messageId, event);
    if (event.type === "turn_start" && event.replaces === undefined) {
      for (const messageId of event.messageIds) give(event, event.member, messageId);
    }
    if (event.type === "steering") give(event, event.member, event.messageId);
    if (event.type === "message_delivery") states.set(`${event.messageId} ${event.member}`, event.state);
  }
}

/**
 * After an interrupt or a restart a member is asked again only because of a new message, a queue action or a retry, or
 * by another member in the course of a turn that began later.
 */
function checkHolds(events: readonly SessionEvent[]): void {
  const held = new Map<string, number>();
  /** By turn, the seq of the turn at the top of the exchanges it came of. */
  const tops = new Map<string, number>();
  for (const event of events) {
    if (event.type === "turn_end" && event.outcome === "interrupted") held.set(event.member, event.seq);
    if (event.type === "turn_start") {
      const top = event.cause === "exchange" ? (tops.get(event.parentTurnId ?? "") ?? 0) : event.seq;
      tops.set(event.turnId, top);
      if (event.cause === "exchange" && top > (held.get(event.member) ?? Infinity)) continue;
    }
    if (event.type === "user_message") for (const member of event.to) held.delete(member);
    const isLifted =
      event.type === "council_resumed" || event.type === "queue_updated" || event.type === "member_joined";
    if (isLifted) held.clear();
    // Whoever is asked again is called back to the table by that.
    if (event.type === "turn_start" && event.cause === "retry") held.delete(event.member);
    const isAskedFor = event.type === "turn_start" && event.cause === "minutes";
    if (event.type === "turn_start" && !isAskedFor && held.has(event.member)) {
      fail(event, `starts ${event.member} by itself after it was stopped`);
    }
  }
}

/** A question between members is answered once at most, and once everything is settled exactly once. */
function checkExchanges(events: readonly SessionEvent[], options: CheckOptions): void {
  const open = new Set<string>();
  for (const event of events) {
    if (event.type === "agent_message") open.add(event.agentExchangeId);
    if (event.type === "agent_callback_result" && !open.delete(event.agentExchangeId)) {
      fail(event, "answers a question that is not open");
    }
  }
  if (options.settled && open.size > 0) throw new Error(`questions never answered: ${[...open].join(", ")}`);
}

/** Every message's last word for each member it was said to. */
export function lastDeliveries(events: readonly SessionEvent[]): Map<string, string> {
  const states = new Map<string, string>();
  for (const event of events) {
    if (event.type === "user_message") for (const name of event.to) states.set(`${event.messageId} ${name}`, "none");
    if (event.type === "message_delivery") states.set(`${event.messageId} ${event.member}`, event.state);
  }
  return states;
}
