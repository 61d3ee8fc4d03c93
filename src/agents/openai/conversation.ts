/**
 * What a member remembers of its talk with the model: whole turns, each begun by a user's message.
 * Promise: what is sent is always valid. Every tool call has its result, whatever interrupted it, and two users'
 * messages never stand beside each other, which some servers refuse.
 */
import type { ShownImage } from "../attached.ts";
import type { Fields, Reply } from "./parse.ts";
import { tokensOf } from "./usage.ts";

export interface SentCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
  readonly extra_content?: Readonly<Record<string, unknown>>;
}

export type Message =
  | { readonly role: "system"; readonly content: string }
  | { readonly role: "user"; readonly content: string; readonly images?: readonly ShownImage[] }
  | {
      readonly role: "assistant";
      readonly content: string | null;
      readonly tool_calls?: readonly SentCall[];
      /** What the server wants back before the calls; only for the API that gave it. */
      readonly kept?: readonly Fields[];
    }
  | { readonly role: "tool"; readonly tool_call_id: string; readonly content: string };

export interface Fitted {
  turnsDropped: number;
  resultsDropped: number;
}

const DROPPED_RESULT = "(This output was dropped because the conversation became too long.)";
const INTERRUPTED = "Interrupted: this call was stopped before it had a result.";
/** What servers take as the name of a tool. */
const NAME = /^[\w-]{1,64}$/;
/** What servers count for the frame of a message. */
const FRAME_CHARS = 16;
/** About what a picture costs, counted as text; servers count it by its size on the screen. */
const IMAGE_CHARS = 6_000;

export class Conversation {
  #turns: Message[][] = [];

  beginTurn(text: string, images: readonly ShownImage[] = []): void {
    this.#turns.push([{ role: "user", content: text, ...(images.length === 0 ? {} : { images }) }]);
  }

  /** A message of the user in the middle of the turn. */
  addUser(text: string): void {
    const turn = this.#current();
    const last = turn.at(-1);
    if (last?.role === "user") turn[turn.length - 1] = { ...last, content: `${last.content}\n\n${text}` };
    else turn.push({ role: "user", content: text });
  }

  addReply(text: string, calls: readonly SentCall[], kept: readonly Fields[] = []): void {
    const content = text === "" ? (calls.length === 0 ? "(no answer)" : null) : text;
    this.#current().push({
      role: "assistant",
      content,
      // Thoughts belong to the calls that came of them; without calls nobody wants them back.
      ...(calls.length === 0 ? {} : { tool_calls: calls, ...(kept.length === 0 ? {} : { kept }) }),
    });
  }

  addResult(callId: string, content: string): void {
    this.#current().push({ role: "tool", tool_call_id: callId, content });
  }

  /** Makes the turn whole, however it ended. `partial` is what was said and not yet added. */
  endTurn(partial: string, note: string): void {
    const turn = this.#turns.at(-1);
    if (turn === undefined) return;
    // Only the last reply can have calls without a result, and only what follows it counts: ids may come again.
    const lastReply = turn.findLastIndex((message) => message.role === "assistant");
    const reply = turn[lastReply];
    const after = turn.slice(lastReply + 1);
    const answered = new Set(after.flatMap((message) => (message.role === "tool" ? [message.tool_call_id] : [])));
    for (const call of (reply?.role === "assistant" ? reply.tool_calls : undefined) ?? []) {
      if (!answered.has(call.id)) turn.push({ role: "tool", tool_call_id: call.id, content: INTERRUPTED });
    }
    const last = turn.at(-1);
    const isClosed = last?.role === "assistant" && last.tool_calls === undefined;
    if (isClosed && partial === "") return;
    turn.push({ role: "assistant", content: partial === "" ? note : `${partial}\n\n${note}` });
  }

  messages(system: string, { withImages = true }: { withImages?: boolean } = {}): Message[] {
    const said = this.#turns.flat();
    return [{ role: "system", content: system }, ...(withImages ? said : said.map(withoutImages))];
  }

  get tokens(): number {
    return tokensOf(this.#turns.reduce((sum, turn) => sum + charsOf(turn), 0));
  }

  /** Forgets the oldest turns until it fits, and of the turn that runs the oldest tool results. */
  fit(tokensMax: number): Fitted {
    const fitted: Fitted = { turnsDropped: 0, resultsDropped: 0 };
    while (this.#turns.length > 1 && this.tokens > tokensMax) {
      this.#turns.shift();
      fitted.turnsDropped += 1;
    }
    const turn = this.#turns.at(-1) ?? [];
    // The newest results stay: they are what the model is about to work with.
    const results = turn.flatMap((message, at) => (message.role === "tool" ? [at] : [])).slice(0, -1);
    for (const at of results) {
      if (this.tokens <= tokensMax) break;
      const message = turn[at];
      if (message?.role !== "tool" || message.content.length <= DROPPED_RESULT.length) continue;
      turn[at] = { ...message, content: DROPPED_RESULT };
      fitted.resultsDropped += 1;
    }
    return fitted;
  }

  /** Takes the conversation back to what it is now. */
  keep(): () => void {
    const kept = this.#turns.map((turn) => [...turn]);
    return () => void (this.#turns = kept);
  }

  /** Half of the older turns at least; 0 when there is nothing left to forget. */
  forgetHalf(): number {
    const dropped = Math.ceil((this.#turns.length - 1) / 2);
    this.#turns.splice(0, Math.max(0, dropped));
    return Math.max(0, dropped);
  }

  #current(): Message[] {
    const turn = this.#turns.at(-1);
    if (turn !== undefined) return turn;
    const first: Message[] = [];
    this.#turns.push(first);
    return first;
  }
}

/** The text may say that they are shown. */
function withoutImages(message: Message): Message {
  if (message.role !== "user" || message.images === undefined) return message;
  return { role: "user", content: `${message.content}\n\n(The images are not visible to you: this model takes none.)` };
}

export function charsOf(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => {
    const calls = message.role === "assistant" ? (message.tool_calls ?? []) : [];
    const inCalls = calls.reduce((all, call) => all + call.function.name.length + call.function.arguments.length, 0);
    const inKept = message.role === "assistant" && message.kept !== undefined ? JSON.stringify(message.kept).length : 0;
    const images = message.role === "user" ? (message.images?.length ?? 0) * IMAGE_CHARS : 0;
    return sum + FRAME_CHARS + images + (message.content?.length ?? 0) + inCalls + inKept;
  }, 0);
}

/**
 * The calls of a reply as they are sent back: with ids that are there and differ, and arguments that are JSON, because
 * servers refuse a conversation without them.
 */
export function sentCalls(reply: Reply, nextId: () => string): SentCall[] {
  const taken = new Set<string>();
  return reply.calls.map(({ id, name, args, extra }) => {
    const own = id === "" || taken.has(id) ? nextId() : id;
    taken.add(own);
    const call: SentCall = {
      id: own,
      type: "function",
      function: { name: NAME.test(name) ? name : "unknown", arguments: asObject(args) },
    };
    return extra === undefined ? call : Object.assign(call, { extra_content: extra });
  });
}

function asObject(args: string): string {
  try {
    const parsed: unknown = JSON.parse(args);
    return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed) ? args : "{}";
  } catch {
    // The model hears of it in the result of the call.
    return "{}";
  }
}
