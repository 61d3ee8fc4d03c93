/** A turn of Pi while its entries are read; its state determines its outcome. */
import type { Usage } from "../../../src/protocol/index.ts";
import { type TurnDraft, type TurnEnding, sumUsage } from "../../../src/host/index.ts";
import { amountOf, fieldsOf, recordsOf, textOf, nonBlankText, type Fields } from "../../../src/kit/fields.ts";
import { diffOf, usageOf, contentText } from "./contents.ts";

const ABORTED = /\baborted\b/i;

export class OpenTurn {
  readonly draft: TurnDraft;
  readonly #usages: Usage[] = [];
  #stop = "";
  #failure = "";
  #isWaiting = true;

  constructor(draft: TurnDraft) {
    this.draft = draft;
  }

  /** Tools have run, and the model has not answered yet. */
  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  answer(ts: number, message: Fields): void {
    const usage = usageOf(message["usage"]);
    if (usage !== undefined) this.#usages.push(usage);
    this.#stop = textOf(message["stopReason"]) ?? "";
    this.#failure = nonBlankText(message["errorMessage"]) ?? "The provider failed and gave no reason.";
    this.#isWaiting = this.#stop === "toolUse";
    for (const part of recordsOf(message["content"])) this.#addPart(ts, part);
  }

  #addPart(ts: number, part: Fields): void {
    const { draft } = this;
    if (part["type"] === "text") draft.text(ts, textOf(part["text"]) ?? "", { interrupted: this.#stop === "aborted" });
    if (part["type"] === "thinking") draft.thinking(ts, textOf(part["thinking"]) ?? "");
    const nativeId = textOf(part["id"]);
    const name = nonBlankText(part["name"]);
    if (part["type"] !== "toolCall" || nativeId === undefined || name === undefined) return;
    draft.call(ts, { nativeId, name, args: part["arguments"] ?? {} });
  }

  result(ts: number, message: Fields): void {
    this.#isWaiting = true;
    const nativeId = textOf(message["toolCallId"]);
    if (nativeId === undefined) return;
    const ok = message["isError"] !== true;
    const text = contentText(message["content"]);
    const diff = ok ? diffOf(fieldsOf(message["details"])) : undefined;
    const durationMs = amountOf(message["durationMs"]);
    this.draft.result(ts, nativeId, {
      ok,
      text,
      code: /^Command aborted$/m.test(text) ? "tool_interrupted" : "tool_error",
      diff,
      durationMs,
    });
  }

  get ending(): TurnEnding {
    const usage = sumUsage(this.#usages);
    // A model call that is stopped while a tool runs is reported as an error.
    const isStopped = this.#stop === "aborted" || (this.#stop === "error" && ABORTED.test(this.#failure));
    if (isStopped) return { outcome: "interrupted", reason: "user", usage };
    if (this.#stop === "error") {
      return { outcome: "errored", error: { code: "agent_error", message: this.#failure }, usage };
    }
    const isCut = this.#isWaiting || this.draft.hasOpenCalls;
    return isCut ? { outcome: "interrupted", reason: "unfinished", usage } : { outcome: "completed", usage };
  }
}
