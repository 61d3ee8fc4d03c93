/** One run of a sprout agent, root or subagent, while its lines are read; its state determines its outcome. */
import type { Usage } from "../../../src/protocol/index.ts";
import { shortText, type TurnDraft, type TurnEnding, sumUsage } from "../../../src/host/index.ts";
import { textOf, nonBlankText } from "../../../src/kit/fields.ts";
import { answerOf, resultOf, usageOf, type SproutLine } from "./lines.ts";

export class OpenTurn {
  readonly draft: TurnDraft;
  readonly #usages: Usage[] = [];
  /** Names of primitives started without a call in the preceding answer. */
  readonly #uncalled: { id: string; name: string }[] = [];
  /** Calls of the last answer that have no result yet. */
  readonly #waitedFor = new Set<string>();
  #ending: Omit<TurnEnding, "usage"> | undefined;
  #isWaiting = true;

  constructor(draft: TurnDraft) {
    this.draft = draft;
  }

  handle(line: SproutLine): void {
    const { kind, ts, data } = line;
    switch (kind) {
      case "plan_end":
        return this.#answer(line);
      case "primitive_start":
        return this.#begin(line);
      case "primitive_end":
      case "act_end":
        return this.#result(line);
      case "warning":
        return this.draft.warn(ts, shortText(textOf(data["message"]) ?? "sprout gave an unspecified warning"));
      case "error":
        this.#ending = failed(nonBlankText(data["error"]) ?? nonBlankText(data["message"]) ?? "sprout failed");
        return;
      case "interrupted":
        this.#ending = { outcome: "interrupted", reason: "user" };
        return;
      case "session_end":
        this.#isWaiting = false;
        if (data["timed_out"] === true) this.#ending = { outcome: "timed_out" };
        return;
    }
  }

  #answer({ ts, data }: SproutLine): void {
    const usage = usageOf(data);
    if (usage !== undefined) this.#usages.push(usage);
    const { thinking, text, calls } = answerOf(data);
    this.#giveUp(ts);
    this.draft.thinking(ts, thinking);
    const isCut = data["finish_reason"] === "interrupted";
    this.draft.text(ts, text, { interrupted: isCut });
    for (const { id, name, args } of calls) {
      this.draft.call(ts, { nativeId: id, name, args: args ?? {} });
      this.#waitedFor.add(id);
    }
    this.#isWaiting = calls.length > 0;
    if (isCut) this.#ending = { outcome: "interrupted", reason: "user" };
    else if (data["finish_reason"] === "error") this.#ending ??= failed("The model gave no answer.");
    else this.#ending = undefined;
  }

  /** A refused call has no line of its own, only an error before the next model call. */
  #giveUp(ts: number): void {
    const text = this.#ending?.error?.message ?? "The log has no result of this call.";
    for (const id of this.#waitedFor) this.draft.result(ts, id, { ok: false, text });
    this.#waitedFor.clear();
  }

  /** Redundant when the answer names the calls. */
  #begin({ number, ts, data }: SproutLine): void {
    if (this.draft.hasOpenCalls) return;
    const name = nonBlankText(data["name"]) ?? "primitive";
    const id = `#${number}`;
    this.#uncalled.push({ id, name });
    this.draft.call(ts, { nativeId: id, name, args: data["args"] ?? {} });
  }

  #result({ ts, data, kind }: SproutLine): void {
    this.#isWaiting = true;
    const result = resultOf(data);
    if (result !== undefined && this.draft.hasCall(result.id)) {
      this.#waitedFor.delete(result.id);
      return this.draft.result(ts, result.id, { ok: result.ok, text: result.text });
    }
    const name = nonBlankText(data["name"]) ?? "primitive";
    const at = kind === "act_end" ? -1 : this.#uncalled.findIndex((one) => one.name === name);
    const [call] = at === -1 ? [] : this.#uncalled.splice(at, 1);
    if (call === undefined) return;
    const ok = data["success"] !== false;
    const output = textOf(data["output"]) ?? "";
    this.draft.result(ts, call.id, { ok, text: ok ? output : (nonBlankText(data["error"]) ?? output) });
  }

  get ending(): TurnEnding {
    const usage = sumUsage(this.#usages);
    if (this.#ending !== undefined) return { ...this.#ending, usage };
    const isCut = this.#isWaiting || this.draft.hasOpenCalls;
    return isCut ? { outcome: "interrupted", reason: "unfinished", usage } : { outcome: "completed", usage };
  }
}

function failed(message: string): Omit<TurnEnding, "usage"> {
  return { outcome: "errored", error: { code: "agent_error", message } };
}
