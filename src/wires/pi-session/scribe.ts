/** Goes through the entries of a conversation with Pi and writes down messages, turns and what happened between. */
import type { EventDraft } from "../../protocol/index.ts";
import { shortText } from "../session-files/bodies.ts";
import { amountOf, fieldsOf, textOf, wordOf, type Fields } from "../session-files/fields.ts";
import { notice, takenBack, type ForeignUnit } from "../session-files/foreign-session.ts";
import { messageDraft, messageUnit } from "../session-files/message-draft.ts";
import { TurnDraft } from "../session-files/turn-draft.ts";
import { promptOf, wordsOf } from "./contents.ts";
import type { PiEntry } from "./entries.ts";
import { OpenTurn } from "./open-turn.ts";

export interface ScribeOptions {
  readonly member: string;
  readonly origin: string;
}

export class Scribe {
  readonly units: ForeignUnit[] = [];
  readonly #options: ScribeOptions;
  readonly #localNames = new Map<string, string>();
  #turn: OpenTurn | undefined;
  #messageId: string | undefined;

  constructor(options: ScribeOptions) {
    this.#options = options;
  }

  take(entry: PiEntry): void {
    const { fields } = entry;
    if (entry.type === "message") this.#message(entry, fieldsOf(fields["message"]) ?? {});
    else if (entry.type === "compaction") this.#compacted(entry);
    else if (entry.type === "branch_summary") {
      this.#notice(entry, `Of another branch of the conversation this is known: ${textOf(fields["summary"]) ?? ""}`);
    } else if (entry.type === "custom_message" && fields["display"] !== false) {
      this.#tell(entry, wordsOf(fields["content"]));
    }
  }

  /** Messages that were left on another branch before this line, or after the last one. */
  takenBack(before: PiEntry | undefined, messages: number): void {
    this.endTurn();
    const ts = before?.ts ?? this.units.at(-1)?.drafts.at(-1)?.ts ?? 0;
    this.units.push(takenBack(before?.number ?? Infinity, ts, messages));
  }

  endTurn(): void {
    if (this.#turn === undefined) return;
    const { draft, ending } = this.#turn;
    draft.end(draft.lastMs, ending);
    this.units.push(draft.unit);
    this.#turn = undefined;
  }

  #message(entry: PiEntry, message: Fields): void {
    switch (message["role"]) {
      case "user":
        return this.#heard(entry, promptOf(message["content"]));
      case "assistant":
        this.#turn ??= this.#begin(entry, message);
        this.#localNames.set(entry.id, this.#turn.draft.opening.id);
        return this.#turn.answer(entry.ts, message);
      case "toolResult":
        return this.#turn?.result(entry.ts, message);
      case "bashExecution":
        this.#heard(entry, { text: `!${textOf(message["command"]) ?? ""}`, images: [] });
        return this.#tell(entry, textOf(message["output"]) ?? "");
      case "custom":
        return message["display"] === false ? undefined : this.#tell(entry, wordsOf(message["content"]));
      default:
    }
  }

  #begin({ id, number: line, ts }: PiEntry, message: Fields): OpenTurn {
    const { member, origin } = this.#options;
    const model = wordOf(message["model"]);
    return new OpenTurn(
      new TurnDraft({ id: `t:${id}`, member, line, ts, origin, model, rootMessageId: this.#messageId }),
    );
  }

  /** Between a tool's result and the next answer a message can only have been put into the running turn. */
  #heard({ id, number: line, ts }: PiEntry, words: ReturnType<typeof promptOf>): void {
    const { origin, member } = this.#options;
    const facts = { id: `m:${id}`, line, ts, origin, heardBy: member, ...words };
    this.#localNames.set(id, facts.id);
    if (this.#turn?.isWaiting === true) return this.#turn.draft.steer(messageDraft(facts));
    this.endTurn();
    this.#messageId = facts.id;
    this.units.push(messageUnit(facts));
  }

  #compacted({ number: line, ts, fields }: PiEntry): void {
    if (this.#turn?.isWaiting !== true) this.endTurn();
    const keptFrom = this.#localNames.get(textOf(fields["firstKeptEntryId"]) ?? "");
    const draft: EventDraft = {
      type: "compaction",
      member: this.#options.member,
      summary: shortText(textOf(fields["summary"]) ?? ""),
      before: amountOf(fields["tokensBefore"]) ?? 0,
      after: 0,
      firstKeptSeq: 1,
      native: true,
    };
    const timed = { ts, draft, ...(keptFrom === undefined ? {} : { keptFrom }) };
    if (this.#turn === undefined) this.units.push({ line, drafts: [timed] });
    else this.#turn.draft.note(ts, draft);
  }

  #notice({ number, ts }: PiEntry, message: string): void {
    this.endTurn();
    this.units.push(notice(number, ts, shortText(message)));
  }

  #tell({ number: line, ts }: PiEntry, text: string): void {
    if (text.trim() === "") return;
    const draft: EventDraft = { type: "ui_notify", message: shortText(text), notifyType: "info" };
    if (this.#turn === undefined) this.units.push({ line, drafts: [{ ts, draft }] });
    else this.#turn.draft.note(ts, draft);
  }
}
