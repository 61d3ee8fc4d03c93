/** Imports the lines of a Codex rollout: messages, turns and events in between. */
import type { EventDraft } from "../../../src/protocol/index.ts";
import {
  type ExternalImage,
  jsonText,
  shortText,
  rewindNotice,
  type ImportUnit,
  messageDraft,
  messageUnit,
  TurnDraft,
  type TurnEnding,
} from "../../../src/host/index.ts";
import { fieldsOf, numberOf, textOf, nonBlankText, type Fields } from "../../../src/kit/fields.ts";
import { taskIn, type ChildThreads, type Spawning } from "./child-threads.ts";
import { OpenTurn } from "./open-turn.ts";
import type { RolloutLine } from "./rollout-lines.ts";
import { NO_TOKENS, totalIn, type Tokens } from "./tokens.ts";
import { callOf, diffOf, threadCall } from "./tool-items.ts";
import { recordedPrompt, inferredPrompt, withLocalImages, type UserPrompt } from "./user-prompt.ts";

export interface ImporterOptions {
  readonly member: string;
  readonly origin: string;
  readonly children: ChildThreads;
  /** The file has explicit user message lines. */
  readonly hasPromptRecords: boolean;
}

const SPAWN = "spawn_agent";

export class Importer {
  readonly units: ImportUnit[] = [];
  readonly #options: ImporterOptions;
  /** All calls of the model, also of ended turns. */
  readonly #calls = new Set<string>();
  readonly #spawnings = new Map<string, Omit<Spawning, "output">>();
  #turn: OpenTurn | undefined;
  #turnId: string | undefined;
  #model: string | undefined;
  #messageId: string | undefined;
  /** Images of the latest item that was sent as the user's. */
  #sentImages: readonly ExternalImage[] = [];
  /** A message without an answer so far. */
  #hasPendingPrompt = false;
  /** The turn answers a message. */
  #isOwn = false;
  #total: Tokens = NO_TOKENS;
  #context = { window: 0, used: 0 };

  constructor(options: ImporterOptions) {
    this.#options = options;
  }

  handle(line: RolloutLine): void {
    const prompt = this.#options.hasPromptRecords ? recordedPrompt(line) : inferredPrompt(line);
    if (prompt !== undefined) return this.#onUserMessage(line, prompt);
    const { type, payload } = line;
    if (type === "turn_context") this.#model = nonBlankText(payload["model"]) ?? this.#model;
    else if (type === "response_item") this.#item(line);
    else if (type === "event_msg") this.#event(line);
    else if (type === "compacted") this.#compacted(line);
  }

  /** An unprompted text at the end of the file may still be a compaction summary. */
  finish(): void {
    if (this.#turn?.draft.hasCalled === false && !this.#isOwn) this.#turn = undefined;
    this.#end(undefined);
  }

  #onUserMessage({ number, ts, payload }: RolloutLine, recorded: UserPrompt): void {
    const { text, images } = withLocalImages(recorded, this.#sentImages);
    this.#sentImages = [];
    if (text.trim() === "" && images.length === 0) return;
    const { origin, member } = this.#options;
    const id = `m:${textOf(fieldsOf(payload["item"])?.["id"]) ?? number}`;
    const facts = { id, line: number, ts, origin, deliveredTo: member, text, images };
    // When turns have an end line, a message before it steers the running turn.
    if (this.#turn !== undefined && this.#turnId !== undefined) return this.#turn.draft.steer(messageDraft(facts));
    if (this.#turn !== undefined) this.#end(undefined);
    this.#messageId = id;
    this.#hasPendingPrompt = true;
    this.units.push(messageUnit(facts));
  }

  #item(line: RolloutLine): void {
    const { ts, payload } = line;
    if (payload["role"] === "user") this.#sentImages = inferredPrompt(line)?.images ?? [];
    const call = callOf(payload);
    const isWorth = call !== undefined || payload["role"] === "assistant" || payload["type"] === "reasoning";
    if (this.#turn === undefined && isWorth) this.#turn = this.#begin(line);
    if (this.#turn === undefined) return;
    if (call !== undefined) this.#note(call.nativeId, call.name, { ts, task: taskIn(call.args) });
    this.#turn.item(ts, payload);
    this.#spawned(this.#turn, payload);
  }

  #note(nativeId: string, name: string, { ts, task }: { ts: number; task: string }): void {
    this.#calls.add(nativeId);
    if (name === SPAWN) this.#spawnings.set(nativeId, { nativeId, ts, task });
  }

  #spawned(turn: OpenTurn, payload: Fields): void {
    const nativeId = textOf(payload["call_id"]) ?? "";
    const spawning = payload["type"] === "function_call_output" ? this.#spawnings.get(nativeId) : undefined;
    if (spawning === undefined) return;
    const output = jsonText(payload["output"] ?? "");
    this.#options.children.addThread(turn.draft, { ...spawning, output });
  }

  #event(line: RolloutLine): void {
    const { payload } = line;
    switch (payload["type"]) {
      case "task_started":
      case "turn_started":
        this.#end(undefined);
        this.#turnId = textOf(payload["turn_id"]) ?? `${line.number}`;
        return;
      case "task_complete":
      case "turn_complete":
        this.#fail(line, fieldsOf(payload["error"]));
        return this.#end("completed", line);
      case "turn_aborted":
        if (this.#hasPendingPrompt) this.#turn ??= this.#begin(line);
        return this.#end("aborted", line);
      case "error":
        return this.#fail(line, payload);
      case "token_count":
        return this.#counted(payload);
      case "patch_apply_end":
        return this.#turn?.about(textOf(payload["call_id"]) ?? "", { diff: diffOf(payload["changes"]) });
      case "item_completed":
        return this.#threadItem(line, fieldsOf(payload["item"]) ?? {});
      case "thread_rolled_back":
        return this.#rolledBack(line);
    }
  }

  /** Calls made by a call, and facts about calls beside their output. */
  #threadItem({ ts }: RolloutLine, item: Fields): void {
    const match = threadCall(item);
    if (match === undefined || this.#turn === undefined) return;
    const { call, result } = match;
    if (this.#calls.has(call.nativeId)) return this.#turn.about(call.nativeId, result);
    this.#calls.add(call.nativeId);
    this.#turn.draft.call(ts, call);
    this.#turn.draft.result(ts, call.nativeId, result);
  }

  #fail(line: RolloutLine, error: Fields | undefined): void {
    if (error === undefined) return;
    if (this.#turn === undefined && this.#hasPendingPrompt) this.#turn = this.#begin(line);
    this.#turn?.fail(error);
  }

  #counted(payload: Fields): void {
    const total = totalIn(payload);
    if (total === undefined) return;
    this.#total = total;
    this.#turn?.tokens(total);
    const info = fieldsOf(payload["info"]);
    const used = numberOf(fieldsOf(info?.["last_token_usage"])?.["total_tokens"]) ?? 0;
    this.#context = { window: numberOf(info?.["model_context_window"]) ?? this.#context.window, used };
  }

  #begin({ number: line, ts }: RolloutLine): OpenTurn {
    const { member, origin } = this.#options;
    const id = `t:${this.#turnId ?? line}`;
    const rootMessageId = this.#messageId;
    this.#isOwn = this.#hasPendingPrompt;
    this.#hasPendingPrompt = false;
    return new OpenTurn(
      new TurnDraft({ id, member, line, ts, origin, model: this.#model, rootMessageId }),
      this.#total,
    );
  }

  #end(reportedEnd: "completed" | "aborted" | undefined, line?: RolloutLine): void {
    const turn = this.#turn;
    this.#turn = undefined;
    this.#turnId = undefined;
    if (turn === undefined) return;
    const reason = textOf(line?.payload["reason"]);
    const ending: TurnEnding = turn.ending(reportedEnd, reason === "interrupted" ? "user" : reason);
    // A turn with nothing but a compaction is represented by it.
    if (!turn.draft.hasSpoken && ending.outcome === "completed") return;
    turn.draft.end(line?.ts ?? turn.draft.lastMs, ending);
    this.units.push(turn.draft.unit);
  }

  /** The summary is stored like an answer, but is not one. */
  #compacted({ number: line, ts, payload }: RolloutLine): void {
    const summary = textOf(payload["message"]) ?? "";
    this.#turn?.draft.retractText((text) => summary.includes(text));
    const draft: EventDraft = {
      type: "compaction",
      member: this.#options.member,
      summary: shortText(summary),
      before: this.#context.used,
      after: 0,
      firstKeptSeq: 1,
      native: true,
    };
    if (this.#turn?.draft.hasSpoken === true) this.#turn.draft.note(ts, draft);
    else this.units.push({ line, drafts: [{ ts, draft }] });
  }

  /** The last turns, each with its message, were rolled back. */
  #rolledBack({ number, ts, payload }: RolloutLine): void {
    this.#end(undefined);
    const turns = Math.max(0, Math.floor(numberOf(payload["num_turns"]) ?? 0));
    let messages = 0;
    for (let left = turns; left > 0 && this.units.some(isMessage); left -= 1) {
      const at = this.units.findLastIndex(isMessage);
      messages += this.units.splice(at).length;
    }
    if (messages > 0) this.units.push(rewindNotice(number, ts, messages));
  }
}

function isMessage({ drafts }: ImportUnit): boolean {
  return drafts[0]?.draft.type === "user_message";
}
