/** A turn of Codex while its lines are read; its state determines its outcome. */
import { jsonText, type TurnDraft, type TurnEnding } from "../../../src/host/index.ts";
import { fieldsOf, recordsOf, textOf, nonBlankText, type Fields } from "../../../src/kit/fields.ts";
import { usageSince, type Tokens } from "./tokens.ts";
import { callOf, isDoneAtOnce, outputOf } from "./tool-items.ts";

export class OpenTurn {
  readonly draft: TurnDraft;
  readonly #before: Tokens;
  readonly #diffs = new Map<string, string>();
  readonly #durations = new Map<string, number>();
  #total: Tokens | undefined;
  #failure: string | undefined;
  #isWaiting = true;

  /** `before`: usage of the thread at the start of the turn. */
  constructor(draft: TurnDraft, before: Tokens) {
    this.draft = draft;
    this.#before = before;
  }

  /** An item of the model's own history. */
  item(ts: number, item: Fields): void {
    switch (item["type"]) {
      case "message":
        if (item["role"] !== "assistant") return;
        this.#isWaiting = false;
        return this.draft.text(ts, partsText(item["content"]));
      case "reasoning":
        return this.draft.thinking(ts, partsText(item["summary"]) || partsText(item["content"]));
      case "function_call_output":
      case "custom_tool_call_output":
      case "tool_search_output":
        return this.#output(ts, item);
      default:
        return this.#call(ts, item);
    }
  }

  #call(ts: number, item: Fields): void {
    const call = callOf(item);
    if (call === undefined) return;
    this.draft.call(ts, call);
    if (isDoneAtOnce(item)) this.draft.result(ts, call.nativeId, { ok: item["status"] !== "failed", text: "" });
    else this.#isWaiting = true;
  }

  #output(ts: number, item: Fields): void {
    const nativeId = textOf(item["call_id"]);
    if (nativeId === undefined) return;
    this.#isWaiting = true;
    const result =
      item["type"] === "tool_search_output" ? outputOf(jsonText(item["tools"] ?? [])) : outputOf(item["output"]);
    const durationMs = this.#durations.get(nativeId);
    this.draft.result(ts, nativeId, { ...result, diff: this.#diffs.get(nativeId), durationMs });
  }

  /** Facts beside a call's output. */
  about(nativeId: string, { diff, durationMs }: { diff?: string | undefined; durationMs?: number | undefined }): void {
    if (diff !== undefined) this.#diffs.set(nativeId, diff);
    if (durationMs !== undefined) this.#durations.set(nativeId, durationMs);
  }

  /** Usage of the thread so far. */
  tokens(total: Tokens): void {
    this.#total = total;
  }

  fail(error: Fields | undefined, fallback = "Codex gave no reason."): void {
    this.#failure = plainMessage(nonBlankText(error?.["message"]) ?? fallback);
  }

  /** `reportedEnd`: the outcome in the file, if any. */
  ending(reportedEnd: "completed" | "aborted" | undefined, reason?: string): TurnEnding {
    const usage = this.#total === undefined ? undefined : usageSince(this.#total, this.#before);
    if (this.#failure !== undefined) {
      return { outcome: "errored", error: { code: "agent_error", message: this.#failure }, usage };
    }
    if (reportedEnd === "aborted")
      return { outcome: "interrupted", reason: reason === undefined ? "user" : reason, usage };
    const isCut = reportedEnd === undefined && (this.#isWaiting || this.draft.hasOpenCalls);
    return isCut ? { outcome: "interrupted", reason: "unfinished", usage } : { outcome: "completed", usage };
  }
}

function partsText(parts: unknown): string {
  return recordsOf(parts)
    .flatMap((part) => textOf(part["text"]) ?? [])
    .join("\n");
}

/** The provider's response as stored: often a message wrapped in JSON. */
function plainMessage(text: string): string {
  try {
    const value = fieldsOf(JSON.parse(text));
    return nonBlankText(fieldsOf(value?.["error"])?.["message"]) ?? nonBlankText(value?.["message"]) ?? text;
  } catch {
    // Plain text.
    return text;
  }
}
