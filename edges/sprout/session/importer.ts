/** Imports the lines of a sprout session: goals, runs, steering and delegations. */
import {
  shortText,
  notice,
  messageDraft,
  messageUnit,
  compactionDraft,
  ImportBuilder,
  TurnDraft,
} from "../../../src/host/index.ts";
import { textOf, nonBlankText } from "../../../src/kit/fields.ts";
import type { ChildLogs } from "./child-logs.ts";
import { delegationsIn, type SproutLine } from "./lines.ts";
import { OpenTurn } from "./open-turn.ts";

export interface ImporterOptions {
  readonly member: string;
  readonly origin: string;
  readonly model: string | undefined;
  readonly children: ChildLogs;
}

/** Lines that begin or continue the agent's own work. */
const WORK = new Set([
  "llm_start",
  "plan_end",
  "primitive_start",
  "primitive_end",
  "act_start",
  "act_end",
  "error",
  "interrupted",
]);

export class Importer {
  readonly builder = new ImportBuilder<OpenTurn>();
  readonly #options: ImporterOptions;
  readonly #endOf: (start: SproutLine) => SproutLine | undefined;
  #messageId: string | undefined;

  constructor(options: ImporterOptions, lines: readonly SproutLine[]) {
    this.#options = options;
    this.#endOf = delegationsIn(lines);
  }

  handle(line: SproutLine): void {
    const { kind, data } = line;
    if (kind === "perceive") return this.#onUserMessage(line, nonBlankText(data["goal"]));
    if (kind === "steering") return this.#steered(line, nonBlankText(data["text"]));
    if (kind === "compaction") return this.#compacted(line);
    if (kind === "warning" && this.builder.turn === undefined) return this.#warned(line);
    if (this.builder.turn === undefined && WORK.has(kind)) this.builder.turn = this.#begin(line);
    this.builder.turn?.handle(line);
    // A child's turn is placed under the call that started it.
    if (kind === "act_start" && this.builder.turn !== undefined) {
      this.#options.children.addChild(this.builder.turn.draft, line, this.#endOf(line));
    }
    if (kind === "session_end") this.builder.endTurn();
  }

  #warned({ number, ts, data }: SproutLine): void {
    const message = nonBlankText(data["message"]);
    if (message !== undefined) this.builder.units.push(notice(number, ts, shortText(message)));
  }

  #begin({ number: line, ts, data }: SproutLine): OpenTurn {
    const { member, origin } = this.#options;
    const model = nonBlankText(data["model"]) ?? this.#options.model;
    const id = `t:${line}`;
    return new OpenTurn(new TurnDraft({ id, member, line, ts, origin, model, rootMessageId: this.#messageId }));
  }

  #onUserMessage({ number: line, ts }: SproutLine, text: string | undefined): void {
    this.builder.endTurn();
    if (text === undefined) return;
    this.#messageId = `m:${line}`;
    this.builder.units.push(messageUnit({ id: this.#messageId, line, ts, text, origin: this.#options.origin }));
  }

  #steered({ number: line, ts }: SproutLine, text: string | undefined): void {
    if (text === undefined) return;
    const facts = { id: `m:${line}`, line, ts, text, origin: this.#options.origin };
    if (this.builder.turn === undefined) this.builder.units.push(messageUnit(facts));
    else this.builder.turn.draft.steer(messageDraft(facts));
  }

  /** Counts messages, not tokens. */
  #compacted(line: SproutLine): void {
    this.builder.note(line, compactionDraft(this.#options.member, textOf(line.data["summary"]) ?? "", 0));
  }
}
