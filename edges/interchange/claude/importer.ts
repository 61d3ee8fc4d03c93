/** Imports the lines of a Claude Code conversation: messages, turns and events in between. */
import type { EventDraft } from "../../../src/protocol/index.ts";
import {
  shortText,
  messageDraft,
  messageUnit,
  compactionDraft,
  ImportBuilder,
  TurnDraft,
} from "../../../src/host/index.ts";
import { amountOf, fieldsOf, numberOf, textOf, nonBlankText } from "../../../src/kit/fields.ts";
import { isNoAnswer, modelOf } from "./answers.ts";
import { blocksOf, resultIdsOf, type ClaudeNode } from "./lines.ts";
import { OpenTurn, UNFINISHED } from "./open-turn.ts";
import { agentIdsIn, type Subagents } from "./subagents.ts";
import { parseUserEntry } from "./user-entry.ts";

export interface ImporterOptions {
  readonly member: string;
  readonly origin: string;
  readonly subagents: Subagents;
}

export class Importer {
  readonly builder = new ImportBuilder<OpenTurn>();
  readonly #options: ImporterOptions;
  readonly #agentIdOf: (toolUseId: string) => string | undefined;
  #messageId: string | undefined;
  /** A compaction whose summary is in a later line. */
  #boundary: { node: ClaudeNode; before: number } | undefined;

  constructor(options: ImporterOptions, path: readonly ClaudeNode[]) {
    this.#options = options;
    this.#agentIdOf = agentIdsIn(path);
  }

  handle(node: ClaudeNode): void {
    if (node.type === "assistant") this.#answer(node);
    else if (node.type === "user") this.#onUserMessage(node);
    else if (node.type === "system") this.#system(node);
    else if (node.type === "attachment") this.#queued(node);
  }

  finish(): void {
    this.builder.endTurn();
    this.#compacted(undefined);
  }

  #answer(node: ClaudeNode): void {
    if (isNoAnswer(node)) return;
    this.#compacted(undefined);
    const turn = this.builder.inTurn(() => this.#begin(node));
    turn.answer(node);
    this.#options.subagents.addSubagents(turn.draft, node, this.#agentIdOf);
  }

  #begin(node: ClaudeNode): OpenTurn {
    const { member, origin } = this.#options;
    const { number: line, ts, id } = node;
    const opening = { id: `t:${id}`, member, line, ts, origin, model: modelOf(node), rootMessageId: this.#messageId };
    return new OpenTurn(new TurnDraft(opening));
  }

  #onUserMessage(node: ClaudeNode): void {
    if (resultIdsOf(node).length > 0) this.builder.turn?.results(node);
    if (node.line["isCompactSummary"] === true) return this.#compacted(node);
    if (node.line["isMeta"] === true) return;
    const entry = parseUserEntry(blocksOf(node).filter((block) => block["type"] !== "tool_result"));
    if (entry.kind === "stopped") this.builder.turn?.stop();
    else if (entry.kind === "told") this.#notify(node, entry.text);
    else if (entry.kind === "prompt") {
      this.builder.endTurn();
      this.#compacted(undefined);
      this.#messageId = `m:${node.id}`;
      this.builder.units.push(messageUnit({ ...this.#message(node), ...entry }));
    }
  }

  #message({ id, number: line, ts }: ClaudeNode) {
    const { origin, member } = this.#options;
    return { id: `m:${id}`, line, ts, origin, deliveredTo: member };
  }

  /** A queued message was put into the running turn. */
  #queued(node: ClaudeNode): void {
    const attachment = fieldsOf(node.line["attachment"]);
    if (attachment?.["type"] !== "queued_command") return;
    const { prompt } = attachment;
    const blocks = typeof prompt === "string" ? [{ type: "text", text: prompt }] : prompt;
    const entry = parseUserEntry(blocksOf({ ...node, line: { message: { content: blocks } } }));
    if (entry.kind === "told") return this.#notify(node, entry.text);
    if (entry.kind !== "prompt") return;
    const facts = { ...this.#message(node), ...entry };
    if (this.builder.turn === undefined) this.builder.units.push(messageUnit(facts));
    else this.builder.turn.draft.steer(messageDraft(facts));
  }

  #system(node: ClaudeNode): void {
    const content = nonBlankText(node.line["content"]);
    switch (node.line["subtype"]) {
      case "compact_boundary": {
        // In mid-turn the program compacts automatically and continues.
        if (this.builder.turn?.ending.reason !== UNFINISHED) this.builder.endTurn();
        this.#compacted(undefined);
        const before = amountOf(fieldsOf(node.line["compactMetadata"])?.["preTokens"]) ?? 0;
        this.#boundary = { node, before };
        break;
      }
      case "api_error":
        this.builder.turn?.draft.note(node.ts, retrying(node));
        break;
      case "local_command":
      case "informational": {
        if (content === undefined) break;
        const entry = parseUserEntry([{ type: "text", text: content }]);
        if (entry.kind === "told" || entry.kind === "prompt") this.#notify(node, entry.text);
        break;
      }
    }
  }

  #notify(node: ClaudeNode, text: string): void {
    this.builder.note(node, { type: "ui_notify", message: shortText(text), notifyType: "info" });
  }

  #compacted(summary: ClaudeNode | undefined): void {
    const boundary = this.#boundary;
    this.#boundary = undefined;
    const node = boundary?.node ?? summary;
    if (node === undefined) return;
    const text =
      summary === undefined
        ? ""
        : blocksOf(summary)
            .map((block) => textOf(block["text"]) ?? "")
            .join("\n");
    this.builder.note(node, compactionDraft(this.#options.member, text, boundary?.before ?? 0));
  }
}

function retrying({ line }: ClaudeNode): EventDraft {
  const error = fieldsOf(line["error"]);
  return {
    type: "retrying",
    turnId: "",
    member: "",
    attempt: Math.round(numberOf(line["retryAttempt"]) ?? 1),
    of: Math.round(numberOf(line["maxRetries"]) ?? 1),
    delayMs: amountOf(line["retryInMs"]) ?? 0,
    reason: shortText(
      nonBlankText(error?.["formatted"]) ?? nonBlankText(error?.["message"]) ?? "the provider failed",
      500,
    ),
  };
}
