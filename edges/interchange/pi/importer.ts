/** Imports the entries of a conversation with Pi: messages, turns and events in between. */
import {
  shortText,
  notice,
  messageDraft,
  messageUnit,
  compactionDraft,
  ImportBuilder,
  TurnDraft,
} from "../../../src/host/index.ts";
import { amountOf, fieldsOf, textOf, nonBlankText, type Fields } from "../../../src/kit/fields.ts";
import { promptOf, contentText } from "./contents.ts";
import type { PiEntry } from "./entries.ts";
import { OpenTurn } from "./open-turn.ts";

export interface ImporterOptions {
  readonly member: string;
  readonly origin: string;
}

export class Importer {
  readonly builder = new ImportBuilder<OpenTurn>();
  readonly #options: ImporterOptions;
  readonly #localNames = new Map<string, string>();
  #messageId: string | undefined;

  constructor(options: ImporterOptions) {
    this.#options = options;
  }

  handle(entry: PiEntry): void {
    const { fields } = entry;
    if (entry.type === "message") this.#message(entry, fieldsOf(fields["message"]) ?? {});
    else if (entry.type === "compaction") this.#compacted(entry);
    else if (entry.type === "branch_summary") {
      this.#notice(entry, `Summary of another branch of the conversation: ${textOf(fields["summary"]) ?? ""}`);
    } else if (entry.type === "custom_message" && fields["display"] !== false) {
      this.#notify(entry, contentText(fields["content"]));
    }
  }

  #message(entry: PiEntry, message: Fields): void {
    switch (message["role"]) {
      case "user":
        return this.#onUserMessage(entry, promptOf(message["content"]));
      case "assistant": {
        const turn = this.builder.inTurn(() => this.#begin(entry, message));
        this.#localNames.set(entry.id, turn.draft.opening.id);
        return turn.answer(entry.ts, message);
      }
      case "toolResult":
        return this.builder.turn?.result(entry.ts, message);
      case "bashExecution":
        this.#onUserMessage(entry, { text: `!${textOf(message["command"]) ?? ""}`, images: [] });
        return this.#notify(entry, textOf(message["output"]) ?? "");
      case "custom":
        return message["display"] === false ? undefined : this.#notify(entry, contentText(message["content"]));
      default:
    }
  }

  #begin({ id, number: line, ts }: PiEntry, message: Fields): OpenTurn {
    const { member, origin } = this.#options;
    const model = nonBlankText(message["model"]);
    return new OpenTurn(
      new TurnDraft({ id: `t:${id}`, member, line, ts, origin, model, rootMessageId: this.#messageId }),
    );
  }

  /** Between a tool's result and the next answer a message can only have been put into the running turn. */
  #onUserMessage({ id, number: line, ts }: PiEntry, prompt: ReturnType<typeof promptOf>): void {
    const { origin, member } = this.#options;
    const facts = { id: `m:${id}`, line, ts, origin, deliveredTo: member, ...prompt };
    this.#localNames.set(id, facts.id);
    if (this.builder.turn?.isWaiting === true) return this.builder.turn.draft.steer(messageDraft(facts));
    this.builder.endTurn();
    this.#messageId = facts.id;
    this.builder.units.push(messageUnit(facts));
  }

  #compacted(entry: PiEntry): void {
    if (this.builder.turn?.isWaiting !== true) this.builder.endTurn();
    const retainedFrom = this.#localNames.get(textOf(entry.fields["firstKeptEntryId"]) ?? "");
    const summary = textOf(entry.fields["summary"]) ?? "";
    const before = amountOf(entry.fields["tokensBefore"]) ?? 0;
    this.builder.note(
      entry,
      compactionDraft(this.#options.member, summary, before),
      retainedFrom === undefined ? {} : { retainedFrom },
    );
  }

  #notice({ number, ts }: PiEntry, message: string): void {
    this.builder.endTurn();
    this.builder.units.push(notice(number, ts, shortText(message)));
  }

  #notify(entry: PiEntry, text: string): void {
    if (text.trim() === "") return;
    this.builder.note(entry, { type: "ui_notify", message: shortText(text), notifyType: "info" });
  }
}
