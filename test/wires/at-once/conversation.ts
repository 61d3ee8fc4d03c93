/**
 * One form for a conversation, whichever wire showed it: what each speaker said and did, in order. Texts that no call
 * parts are one, and how they are broken into lines does not count; a wire may cut them as it likes.
 */
import { loadedMessages, type Transcript, type TurnMessage } from "../../../src/transcript/index.ts";
import type { EditorScreen } from "../../../edges/acp-agent/test/editor-screen.ts";
import type { Shown } from "../../../edges/assistant/test/fold-chat.ts";
import type { ReadSession } from "../../../edges/lemon/test/line-reader.ts";
import type { Frame } from "../../../edges/linggen/test/frame-schemas.ts";
import type { ReadThread } from "../../../edges/kingdom/test/alone/thread-reader.ts";
import type { LineOf } from "../../../edges/sprout/test/sprout-reader.ts";

export type Item = { readonly text: string } | { readonly tool: string; readonly state: ToolState };
type ToolState = "done" | "failed" | "running";

/** By speaker; `user` is the user. */
export type Conversation = Readonly<Record<string, readonly Item[]>>;

class Speakers {
  readonly #said = new Map<string, Item[]>();

  /** A text of its own. */
  emit(who: string, text: string): void {
    if (who === USER) this.#of(who).push({ text });
    else this.add(who, `\n${text}`);
  }

  /** A piece of a text. */
  add(who: string, piece: string): void {
    const said = this.#of(who);
    const last = said.at(-1);
    if (last === undefined || !("text" in last)) said.push({ text: piece });
    else said[said.length - 1] = { text: last.text + piece };
  }

  use(who: string, tool: string, state: ToolState): void {
    this.#of(who).push({ tool, state });
  }

  all(): Conversation {
    const sorted = [...this.#said].toSorted(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(sorted.map(([who, items]) => [who, items.flatMap((item) => tidied(item))]));
  }

  #of(who: string): Item[] {
    const said = this.#said.get(who) ?? [];
    this.#said.set(who, said);
    return said;
  }
}

function tidied(item: Item): Item[] {
  if (!("text" in item)) return [item];
  const text = item.text.replace(/\s+/g, " ").trim();
  return text === "" ? [] : [{ text }];
}

const USER = "user";
/** Who is addressed stands before the words in some wires and beside them in others. */
const unaddressed = (text: string) => text.replace(/^(?:@\S+ )+/, "");

export function ofTranscript(transcript: Transcript): Conversation {
  const speakers = new Speakers();
  for (const message of loadedMessages(transcript)) {
    if (message.kind === "user") speakers.emit(USER, unaddressed(message.text));
    if (message.kind === "turn") ofTurn(speakers, message);
  }
  return speakers.all();
}

function ofTurn(speakers: Speakers, { member, blocks }: TurnMessage): void {
  for (const block of blocks) {
    if (block.kind === "text") speakers.emit(member, block.text);
    if (block.kind !== "tool") continue;
    const isFailed = block.state === "error" || block.state === "interrupted";
    speakers.use(member, block.name, isFailed ? "failed" : block.state === "pending" ? "running" : "done");
  }
}

/** What cannot be said in a wire, taken out. */
export function without(conversation: Conversation, fits: (item: Item) => boolean): Conversation {
  const speakers = new Speakers();
  for (const [who, items] of Object.entries(conversation)) {
    for (const item of items.filter((one) => !fits(one))) {
      if ("text" in item) speakers.emit(who, item.text);
      else speakers.use(who, item.tool, item.state);
    }
  }
  return speakers.all();
}

/** With the names that a wire has for tools. */
export function renamed(conversation: Conversation, names: Readonly<Record<string, string>>): Conversation {
  const rename = (item: Item) => ("tool" in item ? { ...item, tool: names[item.tool] ?? item.tool } : item);
  return Object.fromEntries(Object.entries(conversation).map(([who, items]) => [who, items.map(rename)]));
}

/** Wire 000: whole turns; how one ended is a mark in its text. */
export function ofThread({ messages }: ReadThread): Conversation {
  const speakers = new Speakers();
  const marks = /\*(?:\[Interrupted[^\]]*\]|Interrupted|Error: [^\n]*)\*/g;
  for (const { from, body } of messages) {
    if (from === "king") speakers.emit(USER, unaddressed(body));
    else speakers.emit(from, body.replace(marks, ""));
  }
  return speakers.all();
}

/** Wire 001: messages and blocks; an error is a message of its own. */
export function ofFrames(frames: readonly Frame[]): Conversation {
  const speakers = new Speakers();
  const ends = new Map<string, ToolState>();
  for (const { kind, data = {} } of frames) {
    const { block_id, status } = data as Record<string, unknown>;
    if (kind === "content_block" && (status === "done" || status === "failed")) ends.set(String(block_id), status);
  }
  for (const { kind, phase, text = "", agent_id: who = "", data = {} } of frames) {
    const { block_id, tool } = data as Record<string, unknown>;
    if (kind === "message" && who === USER) speakers.emit(USER, unaddressed(text));
    else if (kind === "message" && !text.startsWith("Error: ")) speakers.emit(who, text);
    if (kind === "content_block" && phase === "start") {
      speakers.use(who, String(tool), ends.get(String(block_id)) ?? "running");
    }
  }
  return speakers.all();
}

/** Wire 002: the steps of one agent; who speaks heads the first text of each turn. */
export function ofSprout(lines: readonly LineOf[]): Conversation {
  const speakers = new Speakers();
  let speaker = "";
  const ends = new Map<string, ToolState>();
  for (const line of lines) {
    if (line.kind !== "primitive_end") continue;
    ends.set(line.data.tool_result_message.tool_call_id, line.data.success ? "done" : "failed");
  }
  for (const line of lines) {
    if (line.kind === "perceive") speakers.emit(USER, unaddressed(line.data.goal));
    if (line.kind !== "plan_end" || !("assistant_message" in line.data)) continue;
    for (const part of line.data.assistant_message?.content ?? []) {
      if (part.kind === "text") {
        const [heading = "", name] = /^\*\*(\S+)\*\*\s*/.exec(part.text) ?? [];
        speaker = name ?? speaker;
        speakers.emit(speaker, part.text.slice(heading.length));
      }
      if (part.kind === "tool_call") {
        speakers.use(speaker, part.tool_call.name, ends.get(part.tool_call.id) ?? "running");
      }
    }
  }
  return speakers.all();
}

/** Wire 003: messages, each under its member's name. */
export function ofRead({ messages }: ReadSession): Conversation {
  const speakers = new Speakers();
  const results = new Map(
    messages.flatMap((one) => (one.role === "tool_result" ? [[one.tool_call_id, one.is_error] as const] : [])),
  );
  for (const message of messages) {
    if (message.role === "user" && typeof message.content === "string") {
      speakers.emit(USER, unaddressed(message.content));
    }
    if (message.role !== "assistant") continue;
    const who = message.provider;
    for (const block of message.content) {
      if (block.type === "text" && block.text !== `**${who}**\n\n`) speakers.emit(who, block.text);
      if (block.type !== "tool_call") continue;
      const isError = results.get(block.id);
      speakers.use(who, block.name, isError === undefined ? "running" : isError ? "failed" : "done");
    }
  }
  return speakers.all();
}

/** Wire 004: turns that name their speakers. */
export function ofShown({ turns }: Shown): Conversation {
  const speakers = new Speakers();
  for (const { users, speaker = "", parts } of turns.values()) {
    for (const text of users) speakers.emit(USER, unaddressed(text));
    for (const part of parts) {
      if ("text" in part) speakers.emit(speaker, part.text);
      else {
        const { state } = part.tool;
        speakers.use(
          speaker,
          part.tool.name,
          state === "success" ? "done" : state === "pending" ? "running" : "failed",
        );
      }
    }
  }
  return speakers.all();
}

/** ACP: passages headed by names, calls whose titles name their members; what the table itself says is quoted. */
export function ofEditor(editor: EditorScreen): Conversation {
  const speakers = new Speakers();
  const calls = editor.calls();
  let speaker = "";
  for (const update of editor.updates) {
    if (update.sessionUpdate === "user_message_chunk" && update.content.type === "text") {
      speakers.emit(USER, unaddressed(update.content.text));
    }
    if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text") {
      for (const piece of update.content.text.split(/(?=\*\*(?:\w+)\*\*\n\n)/)) {
        const [heading = "", name] = /^\*\*(\w+)\*\*\n\n/.exec(piece) ?? [];
        speaker = name ?? speaker;
        if (name !== undefined) speakers.emit(speaker, "");
        speakers.add(speaker, piece.slice(heading.length).replaceAll(/^> .*$/gm, ""));
      }
    }
    if (update.sessionUpdate !== "tool_call") continue;
    const { status, title = "" } = calls.get(update.toolCallId) ?? {};
    const [who = "", tool = ""] = title.split(": ");
    // A report, which has no other form there.
    if (tool === "Changed files") continue;
    speakers.use(who, tool, status === "completed" ? "done" : status === "failed" ? "failed" : "running");
  }
  return speakers.all();
}
