/**
 * Builds a reply from streamed chunks. No I/O.
 * Servers differ: tool call ids and indexes may be missing or repeated, arguments may be objects, reasoning has two
 * names, content may be a list. An invalid chunk is ignored.
 */
import type { Reply, ReplyPart } from "./dialect.ts";
import { isFields, listOf, type Fields } from "../../../kit/fields.ts";
import { contentText } from "./message.ts";
import { ReasoningCollector } from "./reasoning.ts";
import { readUsage } from "./usage.ts";
import type { Usage } from "../../../protocol/index.ts";

interface Slot {
  index: number | undefined;
  id: string;
  name: string;
  args: string;
  isCut: boolean;
  extra?: Fields;
}

export interface ReplyLimits {
  readonly argsBytesMax: number;
  readonly callsPerReplyMax: number;
}

const EXTRA_CHARS_MAX = 64 * 1024;

export class ReplyBuilder {
  readonly #limits: ReplyLimits;
  readonly #slots: Slot[] = [];
  readonly #thoughts = new ReasoningCollector();
  #text = "";
  #charsOut = 0;
  #finish: string | undefined;
  #usage: Usage | undefined;
  #callsDropped = 0;
  #isDropping = false;

  constructor(limits: ReplyLimits) {
    this.#limits = limits;
  }

  read(chunk: unknown): ReplyPart[] {
    if (!isFields(chunk)) return [];
    if (chunk["error"] !== undefined && chunk["error"] !== null) return [{ type: "error", error: chunk["error"] }];
    this.#usage = readUsage(chunk["usage"]) ?? this.#usage;
    const [choice] = listOf(chunk["choices"]);
    if (!isFields(choice)) return [];
    const finish = finishOf(choice["finish_reason"]);
    const delta = isFields(choice["delta"]) ? choice["delta"] : choice["message"];
    const parts = isFields(delta) ? this.#addDelta(delta) : [];
    if (finish === "broken") {
      const message = `It ended the answer with ${JSON.stringify(choice["finish_reason"])}.`;
      return [...parts, { type: "error", error: { message } }];
    }
    this.#finish = finish ?? this.#finish;
    return parts;
  }

  done(): Reply {
    const calls = this.#slots.map(({ index: _index, ...call }) => call);
    const providerMetadata = this.#thoughts.providerMetadata();
    return {
      text: this.#text,
      calls,
      finish: this.#finish,
      usage: this.#usage,
      callsDropped: this.#callsDropped,
      charsOut: this.#charsOut,
      ...(providerMetadata.length === 0 ? {} : { providerMetadata }),
    };
  }

  get hasFinished(): boolean {
    return this.#finish !== undefined;
  }

  /** Its end is a record of its own. */
  get isOver(): boolean {
    return false;
  }

  #addDelta(delta: Fields): ReplyPart[] {
    const parts: ReplyPart[] = [];
    const thinking = this.#thoughts.read(delta) || thinkingOf(delta["content"]);
    if (thinking !== "") parts.push({ type: "thinking", text: thinking });
    const text = contentText(delta["content"]) || contentText(delta["refusal"]);
    if (text !== "") parts.push({ type: "text", text });
    this.#text += text;
    this.#charsOut += text.length + thinking.length;
    for (const call of listOf(delta["tool_calls"])) {
      const begun = isFields(call) ? this.#addCall(call) : undefined;
      if (begun !== undefined) parts.push({ type: "call", name: begun });
    }
    return parts;
  }

  /** The name, when this chunk starts the call. */
  #addCall(call: Fields): string | undefined {
    const made = isFields(call["function"]) ? call["function"] : {};
    const id = typeof call["id"] === "string" ? call["id"] : "";
    const name = typeof made["name"] === "string" ? made["name"] : "";
    const index = typeof call["index"] === "number" ? call["index"] : undefined;
    const existing = this.#slotFor({ id, name, index, args: argumentsOf(made["arguments"]) });
    if (existing === undefined && this.#slots.length >= this.#limits.callsPerReplyMax) {
      if (name !== "" || !this.#isDropping) this.#callsDropped += 1;
      this.#isDropping = true;
      return undefined;
    }
    const slot = existing ?? { index, id, name: "", args: "", isCut: false };
    if (existing === undefined) this.#slots.push(slot);
    this.#isDropping = false;
    if (slot.name === "") slot.name = name;
    const extra = call["extra_content"];
    if (isFields(extra) && JSON.stringify(extra).length <= EXTRA_CHARS_MAX) slot.extra = extra;
    this.#addArguments(slot, made["arguments"]);
    return existing === undefined ? slot.name : undefined;
  }

  /**
   * Undefined when the chunk starts a call. Some servers number all parallel calls 0 and distinguish them by id only.
   */
  #slotFor({ id, name, index, args }: Omit<Slot, "isCut">): Slot | undefined {
    if (index === undefined) {
      if (id !== "") return this.#slots.find((slot) => slot.id === id);
      return name !== "" || this.#isDropping ? undefined : this.#slots.at(-1);
    }
    const numbered = this.#slots.filter((slot) => slot.index === index);
    // A chunk with an id belongs to that call, even if another one with the same index has started.
    const own = id === "" ? undefined : numbered.find((slot) => slot.id === id);
    const same = own ?? numbered.at(-1);
    if (same === undefined || name === "" || (id !== "" && same.id === id)) return same;
    if (id !== "" && same.id !== "") return undefined;
    // Gemini may send neither index nor id. Others repeat the name in each chunk of a call.
    const isNext = name !== same.name || args.trimStart().startsWith("{");
    return isNext && isWhole(same.args) ? undefined : same;
  }

  #addArguments(slot: Slot, chunk: unknown): void {
    const text = argumentsOf(chunk);
    this.#charsOut += text.length;
    if (slot.isCut) return;
    if (slot.args.length + text.length > this.#limits.argsBytesMax) {
      slot.isCut = true;
      slot.args = "";
      return;
    }
    slot.args += text;
  }
}

function argumentsOf(chunk: unknown): string {
  return typeof chunk === "string" ? chunk : isFields(chunk) ? JSON.stringify(chunk) : "";
}

/** Only another call can follow. */
function isWhole(args: string): boolean {
  if (!args.trimEnd().endsWith("}")) return false;
  try {
    return isFields(JSON.parse(args));
  } catch {
    // Incomplete.
    return false;
  }
}

function thinkingOf(content: unknown): string {
  return listOf(content)
    .map((part) => (isFields(part) && part["type"] === "thinking" ? contentText(part["thinking"]) : ""))
    .join("");
}

// Finish reasons, reduced to the four that matter.
type Finish = "length" | "content_filter" | "broken" | (string & {});

const MEANINGS: Readonly<Record<string, Finish>> = {
  max_tokens: "length",
  model_length: "length",
  model_context_window_exceeded: "length",
  sensitive: "content_filter",
  safety: "content_filter",
  prohibited_content: "content_filter",
  error: "broken",
  network_error: "broken",
  abort: "broken",
  aborted: "broken",
  insufficient_system_resource: "broken",
};

/** Undefined for an empty reason: some servers send one in every chunk. */
function finishOf(reason: unknown): Finish | undefined {
  if (typeof reason !== "string" || reason.trim() === "") return undefined;
  const word = reason.trim().toLowerCase();
  return Object.hasOwn(MEANINGS, word) ? (MEANINGS[word] ?? word) : word;
}
