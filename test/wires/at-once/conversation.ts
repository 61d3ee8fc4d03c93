/**
 * One form for a conversation, whichever wire showed it: what each speaker said and did, in order. Texts that no call
 * parts are one, and how they are broken into lines does not count; a wire may cut them as it likes.
 */
import { loadedMessages, type Transcript, type TurnMessage } from "../../../src/transcript/index.ts";

export type Item = { readonly text: string } | { readonly tool: string; readonly state: ToolState };
export type ToolState = "done" | "failed" | "running";

/** By speaker; `user` is the user. */
export type Conversation = Readonly<Record<string, readonly Item[]>>;

export class Speakers {
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

export const USER = "user";
/** Who is addressed stands before the words in some wires and beside them in others. */
export const unaddressed = (text: string) => text.replace(/^(?:@\S+ )+/, "");

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
