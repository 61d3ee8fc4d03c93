/**
 * Extracts searchable entries from events. Streamed text is indexed when it is complete; tool output that the result
 * does not repeat is collected until then. Its only state is the open turns, calls and texts.
 */
import { senderOf, type EventOf, type Json, type SearchKind, type SessionEvent } from "../../../protocol/index.ts";
import { describeRequest, fieldText } from "../../../transcript/index.ts";
import type { Entry, ReadingState } from "./entry.ts";

/** Of output that was only streamed, at least the last part of this length is indexed. */
const OUTPUT_CHARS_MAX = 64 * 1024;
/** More than any session has open at once; the oldest is dropped. */
const OPEN_MAX = 256;

const NOTHING: Entry[] = [];
export const EMPTY_STATE: ReadingState = { turns: {}, calls: {} };

interface OpenCall {
  readonly seq: number;
  readonly turnId: string;
  readonly name: string;
  /** Updates after the start of the call. */
  later: { title?: string; args?: Json };
  output: string;
}

export class EntryReader {
  readonly #turns: Map<string, number>;
  readonly #calls = new Map<string, OpenCall>();
  readonly #texts: Map<string, number>;
  #title: string | undefined;
  #cwd: string | undefined;

  constructor({ turns, texts = {} }: ReadingState = EMPTY_STATE) {
    this.#turns = new Map(Object.entries(turns));
    this.#texts = new Map(Object.entries(texts));
  }

  get state(): ReadingState {
    return {
      turns: Object.fromEntries(this.#turns),
      calls: Object.fromEntries([...this.#calls].map(([id, { seq }]) => [id, seq])),
      texts: Object.fromEntries(this.#texts),
    };
  }

  /** Title and directory of the session, if set since the last call. */
  drainFacts(): { title?: string; cwd?: string } {
    const facts = {
      ...(this.#title === undefined ? {} : { title: this.#title }),
      ...(this.#cwd === undefined ? {} : { cwd: this.#cwd }),
    };
    this.#title = undefined;
    this.#cwd = undefined;
    return facts;
  }

  read(event: SessionEvent): Entry[] {
    switch (event.type) {
      // By far the most events; their content is repeated when the segment is done.
      case "text_delta":
      case "thinking_delta":
      case "status":
      case "usage":
        return NOTHING;
      case "turn_start":
        remember(this.#turns, event.turnId, event.seq);
        return [];
      case "turn_end": {
        const entries = this.#entry(event, "note", event.error?.message);
        this.#endTurn(event.turnId);
        return entries;
      }
      case "session_created":
        this.#title = event.title;
        this.#cwd = event.cwd;
        return this.#entry(event, "title", event.title);
      case "session_renamed":
        this.#title = event.title;
        return this.#entry(event, "title", event.title);
      case "user_message":
        return this.#entry(event, "user", [event.text, ...event.attachments.map(({ name }) => name)].join("\n"), {
          messageId: event.messageId,
          ...senderFacts(event.clientId),
        });
      case "text_done":
        remember(this.#texts, event.segmentId, event.seq);
        return this.#entry(event, "text", event.text);
      case "text_retracted":
        return this.#retract(event);
      case "thinking_done":
        return this.#entry(event, "thinking", event.text);
      case "tool_call_start":
      case "tool_call_update":
      case "tool_output_delta":
      case "tool_result":
        return this.#readTool(event);
      default:
        return this.#entry(event, kindOf(event), textOf(event));
    }
  }

  #readTool(
    event:
      | EventOf<"tool_call_start">
      | EventOf<"tool_call_update">
      | EventOf<"tool_output_delta">
      | EventOf<"tool_result">,
  ): Entry[] {
    if (event.type === "tool_call_start") {
      const { seq, turnId, name, toolCallId, title, args } = event;
      remember(this.#calls, toolCallId, { seq, turnId, name, later: {}, output: "" });
      return this.#entry(event, "call", callText(name, title, args), { tool: name });
    }
    const call = this.#calls.get(event.toolCallId);
    if (event.type === "tool_result") return this.#endCall(event, call);
    if (call === undefined) return [];
    if (event.type === "tool_output_delta") call.output = lastPart(call.output + event.text);
    else call.later = { ...call.later, ...definedOnly({ title: event.title, args: event.args }) };
    return [];
  }

  #endCall(event: EventOf<"tool_result">, call: OpenCall | undefined): Entry[] {
    this.#calls.delete(event.toolCallId);
    const { result = "", error, diff } = event;
    const streamed = call === undefined || result.includes(call.output) ? "" : call.output;
    const tool = call === undefined ? {} : { tool: call.name };
    const hasGrown = call !== undefined && Object.keys(call.later).length > 0;
    return [
      ...(hasGrown
        ? this.#entry(event, "call", callText(call.name, call.later.title, call.later.args ?? null), tool)
        : []),
      ...this.#entry(
        event,
        "output",
        [streamed, result, error?.message ?? ""].filter((text) => text !== "").join("\n"),
        tool,
      ),
      ...this.#entry(event, "diff", diff, tool),
    ];
  }

  #retract({ seq, ts, segmentId }: EventOf<"text_retracted">): Entry[] {
    const retracts = this.#texts.get(segmentId);
    this.#texts.delete(segmentId);
    return retracts === undefined ? [] : [{ seq, eventSeq: seq, ts, kind: "text", text: "", retracts }];
  }

  #endTurn(turnId: string): void {
    this.#turns.delete(turnId);
    // Texts of finished turns cannot be retracted.
    if (this.#turns.size === 0) this.#texts.clear();
    for (const [id, call] of this.#calls) if (call.turnId === turnId) this.#calls.delete(id);
  }

  #entry(
    event: SessionEvent,
    kind: SearchKind,
    text: string | undefined,
    more: Pick<Entry, "tool" | "messageId" | "member" | "sender"> = {},
  ): Entry[] {
    if (text === undefined || text.trim() === "") return [];
    const { seq: eventSeq, ts, turnId, member } = event;
    const seq = (turnId === undefined ? undefined : this.#turns.get(turnId)) ?? eventSeq;
    return [
      {
        seq,
        eventSeq,
        ts,
        kind,
        ...(member === undefined ? {} : { member }),
        ...(turnId === undefined ? {} : { turnId }),
        ...more,
        text: text.toWellFormed().replaceAll("\0", " "),
      },
    ];
  }
}

function senderFacts(clientId: string | undefined): Pick<Entry, "member" | "sender"> {
  const sender = senderOf(clientId);
  return sender === undefined || clientId === undefined ? {} : { member: sender.name, sender: clientId };
}

function kindOf({ type }: SessionEvent): SearchKind {
  switch (type) {
    case "minutes":
      return "minutes";
    case "agent_message":
    case "agent_callback_result":
    case "subagent_spawned":
    case "subagent_result":
      return "exchange";
    case "change_report":
      return "diff";
    case "ui_request":
    case "ui_response":
      return "request";
    default:
      // Plans, summaries, warnings, and event types of newer versions that have a text.
      return "note";
  }
}

function textOf(event: SessionEvent): string | undefined {
  switch (event.type) {
    case "change_report":
      return event.files.map(({ path, diff }) => (diff === undefined ? path : `${path}\n${diff}`)).join("\n");
    case "subagent_spawned":
      return `${event.name}: ${event.task}`;
    case "ui_request":
      return requestText(event);
    case "ui_response":
      return jsonToText(event.result);
    case "plan_update":
      return [event.explanation ?? "", ...event.items.map(({ text }) => text)].join("\n");
    case "finalize_task":
    case "compaction":
      return event.summary;
    case "ui_notify":
    case "warning":
    case "error":
      return event.message;
    case "ui_status":
    case "ui_set_editor_text":
      return undefined;
    default: {
      const { text } = event as { text?: unknown };
      return typeof text === "string" ? text : undefined;
    }
  }
}

/** An approval as its card shows it: its call is JSON with hashes. */
function requestText({ member, request }: EventOf<"ui_request">): string {
  if (request.method !== "approval") return jsonToText(request as Json);
  const { what, title = "", reason = "", fields, notes, diff } = describeRequest({ member, request });
  const texts = [what, title, reason, ...[...fields, ...notes].map(fieldText), diff?.text ?? ""];
  return texts.filter((text) => text !== "").join("\n");
}

/** Truncates only at twice the limit, so that a long stream costs amortised constant time per character. */
function lastPart(output: string): string {
  return output.length > 2 * OUTPUT_CHARS_MAX ? output.slice(-OUTPUT_CHARS_MAX) : output;
}

function callText(name: string, title: string | undefined, args: Json): string {
  return [name, title ?? "", jsonToText(args)].filter((text) => text !== "").join("\n");
}

function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.set(key, value);
  if (map.size <= OPEN_MAX) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}

function definedOnly<T extends object>(value: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as never;
}

const DEPTH_MAX = 8;
const CHARS_MAX = 64 * 1024;

/** Keys and values of a JSON value, one per line, up to the size limit. */
function jsonToText(value: Json): string {
  const lines: string[] = [];
  let room = CHARS_MAX;
  function add(line: string): void {
    if (room <= 0) return;
    lines.push(line.slice(0, room));
    room -= line.length + 1;
  }
  function walk(one: Json, name: string, depth: number): void {
    if (room <= 0 || one === null || one === undefined) return;
    if (typeof one !== "object") return add(name === "" ? String(one) : `${name}: ${String(one)}`);
    if (depth >= DEPTH_MAX) return;
    if (Array.isArray(one)) return one.forEach((part) => walk(part, name, depth + 1));
    for (const [key, part] of Object.entries(one)) walk(part, key, depth + 1);
  }
  walk(value, "", 0);
  return lines.join("\n");
}
