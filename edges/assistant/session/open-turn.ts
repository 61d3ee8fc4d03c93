/** A turn of assistant while its events are read. Pieces of text are joined until their whole text comes, or the turn ends. */
import { type TurnDraft, type TurnEnding } from "../../../src/host/index.ts";
import { fieldsOf, textOf, nonBlankText } from "../../../src/kit/fields.ts";
import type { ToolErrorCode } from "../../../src/protocol/index.ts";
import type { ChatLine } from "./chat-lines.ts";
import { remainingText } from "./remaining-text.ts";
import { failureText, resultText } from "./result-text.ts";

type Kind = "text" | "thinking";

const CODES: ReadonlySet<string> = new Set(["tool_error", "tool_interrupted", "rate_limit_tools", "tool_denied"]);

export class OpenTurn {
  readonly draft: TurnDraft;
  readonly turnId: string | undefined;
  readonly #chunks: Record<Kind, string[]> = { text: [], thinking: [] };
  /** What was told already of the answer whose whole text is still to come. */
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

  /** What was said so far is a segment of its own: something else comes now. */
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

  /** Thinking and text are told in the order in which they began. */
  #add(kind: Kind, ts: number, text: string): void {
    const other = kind === "text" ? "thinking" : "text";
    if (this.#chunks[other].length > 0) this.#close(other, ts, undefined);
    this.#chunks[kind].push(text);
  }

  /** The whole text wins over its pieces; what of it was told before a tool call is not told again. */
  #close(kind: Kind, ts: number, whole: string | undefined): void {
    const chunks = this.#chunks[kind].join("");
    const text = whole ?? chunks;
    this.#chunks[kind] = [];
    const emitted = this.#emitted[kind];
    // Some whole texts are those of the turn, some only of what came after the last call.
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
