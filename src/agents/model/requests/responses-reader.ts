/**
 * Builds a reply from events of the Responses API. No I/O.
 * A closing event does not repeat what was streamed; servers that send only closing events work too. An invalid event
 * is ignored.
 */
import type { Usage } from "../../../protocol/index.ts";
import type { Reply, ReplyPart, ReplyReader } from "./dialect.ts";
import { isFields, listOf, type Fields } from "../../../kit/fields.ts";
import type { ReplyLimits } from "./reply-builder.ts";
import { readUsage } from "./usage.ts";

interface Call {
  readonly key: string;
  id: string;
  name: string;
  args: string;
  isCut: boolean;
}

const METADATA_CHARS_MAX = 1024 * 1024;
const NONE: ReplyPart[] = [];

export class ResponseReader implements ReplyReader {
  readonly #limits: ReplyLimits;
  readonly #calls: Call[] = [];
  readonly #droppedKeys = new Set<string>();
  /** Items whose text was streamed, by output index. */
  readonly #streamed = new Set<string>();
  readonly #providerMetadata: Fields[] = [];
  #metadataChars = 0;
  #text = "";
  #thinking = "";
  #finish: string | undefined;
  #usage: Usage | undefined;
  #isOver = false;

  constructor(limits: ReplyLimits) {
    this.#limits = limits;
  }

  get hasFinished(): boolean {
    return this.#finish !== undefined;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  read(event: unknown): ReplyPart[] {
    if (!isFields(event)) return NONE;
    if (Array.isArray(event["output"])) return this.#readWhole(event);
    switch (event["type"]) {
      case "response.output_text.delta":
      case "response.refusal.delta":
        return this.#addDelta(event, "text");
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        return this.#addDelta(event, "thinking");
      case "response.reasoning_summary_part.added":
        return this.#thinking === "" ? NONE : this.#think("\n\n");
      case "response.output_item.added":
        return this.#begin(keyOf(event), event["item"]);
      case "response.function_call_arguments.delta":
        return this.#addArguments(this.#find(keyOf(event)), text(event, "delta"));
      case "response.output_item.done":
        return this.#close(keyOf(event), event["item"]);
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
        return this.#end(event["response"]);
      case "error":
        return [{ type: "error", error: isFields(event["error"]) ? event["error"] : event }];
      default:
        // Some servers send a plain error in any API.
        return isFields(event["error"]) ? [{ type: "error", error: event["error"] }] : NONE;
    }
  }

  done(): Reply {
    return {
      text: this.#text,
      calls: this.#calls.map(({ id, name, args, isCut }) => ({ id, name, args, isCut })),
      finish: this.#finish,
      usage: this.#usage,
      callsDropped: this.#droppedKeys.size,
      charsOut: this.#text.length + this.#thinking.length,
      ...(this.#providerMetadata.length === 0 ? {} : { providerMetadata: this.#providerMetadata }),
    };
  }

  #readWhole(response: Fields): ReplyPart[] {
    const parts: ReplyPart[] = [];
    for (const [at, item] of listOf(response["output"]).entries()) {
      parts.push(...this.#begin(String(at), item), ...this.#close(String(at), item));
    }
    return [...parts, ...this.#end(response)];
  }

  #addDelta(event: Fields, kind: "text" | "thinking"): ReplyPart[] {
    const delta = text(event, "delta");
    if (delta === "") return NONE;
    this.#streamed.add(keyOf(event));
    if (kind === "thinking") return this.#think(delta);
    this.#text += delta;
    return [{ type: "text", text: delta }];
  }

  #think(delta: string): ReplyPart[] {
    this.#thinking += delta;
    return [{ type: "thinking", text: delta }];
  }

  #begin(key: string, item: unknown): ReplyPart[] {
    if (!isFields(item) || item["type"] !== "function_call") return NONE;
    const id = text(item, "call_id");
    if (this.#find(key, id) !== undefined) return NONE;
    if (this.#calls.length >= this.#limits.callsPerReplyMax) {
      this.#droppedKeys.add(`${key} ${id}`);
      return NONE;
    }
    this.#calls.push({ key, id, name: text(item, "name"), args: "", isCut: false });
    return [{ type: "call", name: text(item, "name") }];
  }

  #addArguments(call: Call | undefined, chunk: string): ReplyPart[] {
    if (call === undefined || call.isCut) return NONE;
    call.args += chunk;
    call.isCut = call.args.length > this.#limits.argsBytesMax;
    if (call.isCut) call.args = "";
    return NONE;
  }

  /** The whole item, for the parts that were not streamed. */
  #close(key: string, item: unknown): ReplyPart[] {
    if (!isFields(item)) return NONE;
    if (item["type"] === "function_call") {
      const begun = this.#begin(key, item);
      const call = this.#find(key, text(item, "call_id"));
      if (call === undefined || call.isCut) return begun;
      call.args = "";
      this.#addArguments(call, text(item, "arguments"));
      return begun;
    }
    if (item["type"] === "reasoning") return this.#closeThinking(key, item);
    if (item["type"] !== "message" || this.#streamed.has(key)) return NONE;
    const content = joinedText(item["content"]);
    this.#text += content;
    return content === "" ? NONE : [{ type: "text", text: content }];
  }

  #closeThinking(key: string, item: Fields): ReplyPart[] {
    if (typeof item["encrypted_content"] === "string") {
      this.#metadataChars += item["encrypted_content"].length;
      // The id refers to something that is not stored on the server.
      const { id: _id, status: _status, ...rest } = item;
      if (this.#metadataChars <= METADATA_CHARS_MAX) this.#providerMetadata.push(rest);
    }
    const thought = this.#streamed.has(key) ? "" : joinedText(item["summary"]) || joinedText(item["content"]);
    return thought === "" ? NONE : this.#think(thought);
  }

  #end(response: unknown): ReplyPart[] {
    if (!isFields(response)) return NONE;
    this.#usage = readUsage(response["usage"]) ?? this.#usage;
    if (isFields(response["error"])) return [{ type: "error", error: response["error"] }];
    if (response["status"] === "failed") return [{ type: "error", error: { message: "the answer failed" } }];
    const why = isFields(response["incomplete_details"]) ? text(response["incomplete_details"], "reason") : "";
    this.#finish = why === "max_output_tokens" ? "length" : why === "" ? "stop" : why;
    this.#isOver = true;
    return NONE;
  }

  /** A whole call is identified by id, its chunks only by index: those belong to the newest. */
  #find(key: string, id = ""): Call | undefined {
    return this.#calls.findLast((call) => call.key === key && (id === "" || call.id === "" || call.id === id));
  }
}

/** By index; by id where a server omits it. llama.cpp has neither in its calls and uses `call_id`. */
function keyOf(event: Fields): string {
  const index = event["output_index"];
  if (typeof index === "number") return String(index);
  const item = event["item"];
  return text(event, "item_id") || (isFields(item) ? text(item, "id") || text(item, "call_id") : "");
}

function joinedText(content: unknown): string {
  return listOf(content)
    .map((part) => (isFields(part) ? text(part, "text") || text(part, "refusal") : ""))
    .join("");
}

function text(fields: Fields, key: string): string {
  const value = fields[key];
  return typeof value === "string" ? value : "";
}
