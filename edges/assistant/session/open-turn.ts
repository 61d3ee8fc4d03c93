/**
 * A turn of assistant while its events are read. Text chunks are joined until the whole text arrives or the turn ends.
 */
import { jsonText, type TurnDraft, type TurnEnding } from "../../../src/host/index.ts";
import { fieldsOf, textOf, nonBlankText } from "../../../src/kit/fields.ts";
import type { ToolErrorCode } from "../../../src/protocol/index.ts";
import type { ChatLine } from "./chat-lines.ts";

type Kind = "text" | "thinking";

const CODES: ReadonlySet<string> = new Set(["tool_error", "tool_interrupted", "rate_limit_tools", "tool_denied"]);

export class OpenTurn {
  readonly draft: TurnDraft;
  readonly turnId: string | undefined;
  readonly #chunks: Record<Kind, string[]> = { text: [], thinking: [] };
  /** Text already emitted of an answer whose complete text will follow. */
  readonly #emitted: Record<Kind, string> = { text: "", thinking: "" };
  #ending: TurnEnding | undefined;
  #hasEnd = false;

  constructor(draft: TurnDraft, turnId: string | undefined) {
    this.draft = draft;
    this.turnId = turnId;
  }

  handle({ type, ts, payload }: ChatLine): void {
    switch (type) {
      case "assistant_chunk":
      case "thinking_chunk":
        return this.#add(type === "assistant_chunk" ? "text" : "thinking", ts, textOf(payload["text"]) ?? "");
      case "assistant_done":
      case "thinking_done":
        return this.#close(type === "assistant_done" ? "text" : "thinking", ts, textOf(payload["text"]));
      case "tool_call":
        return this.#call(ts, textOf(payload["toolCallId"]), nonBlankText(payload["toolName"]), payload["args"]);
      case "tool_result":
        return this.#result(ts, payload);
      case "interrupt":
        this.#ending = interrupted(textOf(payload["reason"]));
        return;
      case "error": {
        const message = nonBlankText(payload["message"]) ?? "assistant gave no reason";
        this.#ending = { outcome: "errored", error: { code: nonBlankText(payload["code"]) ?? "agent_error", message } };
        return;
      }
      case "turn_end":
        this.#hasEnd = true;
        return;
    }
  }

  /** Closes the text so far as its own segment. */
  settleText(ts: number): void {
    this.#close("thinking", ts, undefined);
    this.#close("text", ts, undefined);
  }

  end(): void {
    this.#close("thinking", this.draft.lastMs, undefined);
    this.#close("text", this.draft.lastMs, undefined);
    this.draft.end(this.draft.lastMs, this.ending);
  }

  get ending(): TurnEnding {
    if (this.#ending !== undefined) return this.#ending;
    return this.#hasEnd ? { outcome: "completed" } : { outcome: "interrupted", reason: "unfinished" };
  }

  /** Thinking and text keep the order in which they started. */
  #add(kind: Kind, ts: number, text: string): void {
    const other = kind === "text" ? "thinking" : "text";
    if (this.#chunks[other].length > 0) this.#close(other, ts, undefined);
    this.#chunks[kind].push(text);
  }

  /** The complete text overrides its chunks; text emitted before a tool call is not repeated. */
  #close(kind: Kind, ts: number, whole: string | undefined): void {
    const chunks = this.#chunks[kind].join("");
    const text = whole ?? chunks;
    this.#chunks[kind] = [];
    const emitted = this.#emitted[kind];
    // Some whole texts cover the turn, others only what follows the last call.
    const isOfTurn = whole !== undefined && (chunks === "" || whole.trim() !== chunks.trim());
    const rest = (isOfTurn ? remainingText(whole, emitted) : undefined) ?? text;
    this.#emitted[kind] = whole === undefined ? emitted + text : "";
    if (kind === "thinking") this.draft.thinking(ts, rest);
    else this.draft.text(ts, rest);
  }

  #call(ts: number, nativeId: string | undefined, name: string | undefined, args: unknown): void {
    if (nativeId === undefined || name === undefined) return;
    this.settleText(ts);
    this.draft.call(ts, { nativeId, name, args: args ?? {} });
  }

  #result(ts: number, payload: ChatLine["payload"]): void {
    const nativeId = textOf(payload["toolCallId"]);
    if (nativeId === undefined) return;
    const error = fieldsOf(payload["error"]);
    const { result } = payload;
    if (error === undefined) {
      return this.draft.result(ts, nativeId, { ok: true, text: resultText(result).toWellFormed() });
    }
    const code = textOf(error["code"]) ?? "";
    this.draft.result(ts, nativeId, {
      ok: false,
      text: failureText(nonBlankText(error["message"]), result),
      code: CODES.has(code) ? (code as ToolErrorCode) : "tool_error",
    });
  }
}

function interrupted(reason: string | undefined): TurnEnding {
  if (reason === "timeout") return { outcome: "timed_out" };
  return { outcome: "interrupted", reason: reason === "error" ? "error" : "user" };
}

/**
 * The rest of a whole text after the emitted part. Whitespace is ignored, because whole texts of cancelled turns are
 * trimmed. Undefined for another text.
 */
export function remainingText(whole: string, emitted: string): string | undefined {
  let at = 0;
  for (const sign of emitted) {
    if (/\s/u.test(sign)) continue;
    while (at < whole.length && /\s/u.test(whole.charAt(at))) at += 1;
    // The emitted text continues where the whole text is cut off.
    if (at >= whole.length) return whole.trim() === "" ? undefined : "";
    if (!whole.startsWith(sign, at)) return undefined;
    at += sign.length;
  }
  const rest = whole.slice(at);
  return rest.trim() === "" && emitted !== "" ? "" : rest;
}

/** The text of a tool's result that assistant's chat panel shows. */
function resultText(result: unknown): string {
  return result === undefined || result === null ? "" : (outputText(result) ?? jsonText(result));
}

/** A failure has its reason, then the tool's output. */
function failureText(message: string | undefined, result: unknown): string {
  if (message === undefined) return resultText(result);
  const output = (outputText(result) ?? "").trimEnd();
  return message.includes(output) ? message : `${message}\n${output}`;
}

/** Texts or parts with text, a shell's output, or another agent's response. */
function outputText(result: unknown): string | undefined {
  if (typeof result === "string") return textOf(result);
  const parts = Array.isArray(result) ? result.map((part) => textOf(fieldsOf(part)?.["text"])) : [];
  if (parts.length > 0 && parts.every((part) => part !== undefined)) return parts.join("\n");
  const fields = fieldsOf(result);
  return textOf(fields?.["output"]) ?? textOf(fields?.["response"]);
}
