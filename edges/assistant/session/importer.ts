/** Imports the events of an assistant session: messages, turns, and questions between agents. */
import { MEMBER_NAME, type EventDraft } from "../../../src/protocol/index.ts";
import { shortText, type ImportUnit, messageDraft, messageUnit, TurnDraft } from "../../../src/host/index.ts";
import { textOf, nonBlankText, type Fields } from "../../../src/kit/fields.ts";
import { withoutPanelLine } from "../format/context-line.ts";
import type { ChatLine } from "./chat-lines.ts";
import { OpenTurn } from "./open-turn.ts";

const SPOKEN = new Set([
  "assistant_chunk",
  "assistant_done",
  "thinking_chunk",
  "thinking_done",
  "tool_call",
  "agent_message",
]);
/** Events that imply a started turn, possibly without text. */
const ABOUT_TURN = new Set(["interrupt", "error"]);

export class Importer {
  readonly units: ImportUnit[] = [];
  readonly #origin: string;
  #speaker: string;
  #turn: OpenTurn | undefined;
  #messageId: string | undefined;
  /** A turn id may occur again, for another turn. */
  readonly #begun = new Set<string>();

  constructor({ origin, speaker }: { origin: string; speaker: string }) {
    this.#origin = origin;
    this.#speaker = speaker;
  }

  handle(line: ChatLine): void {
    switch (line.type) {
      case "turn_start":
        return this.endTurn();
      case "user_message":
        return this.#onUserMessage(line, nonBlankText(withoutPanelLine(textOf(line.payload["text"]) ?? "")));
      case "user_audio":
        return this.#onUserMessage(line, nonBlankText(line.payload["transcription"]));
      case "agent_switch":
        this.endTurn();
        this.#speaker = speakerName(textOf(line.payload["toAgentId"])) ?? this.#speaker;
        return;
      case "custom_message":
      case "summary_message":
        return this.#notify(line);
      case "agent_message":
        return this.#onAgentMessage(line);
      case "agent_callback":
        return this.#onAgentAnswer(line);
    }
    this.#onWork(line);
  }

  endTurn(): void {
    if (this.#turn === undefined) return;
    this.#turn.end();
    this.units.push(this.#turn.draft.unit);
    this.#turn = undefined;
  }

  #onWork(line: ChatLine): void {
    if (this.#turn !== undefined && line.turnId !== undefined && line.turnId !== this.#turn.turnId) this.endTurn();
    const isAbout = ABOUT_TURN.has(line.type) && this.#messageId !== undefined;
    if (this.#turn === undefined && (SPOKEN.has(line.type) || isAbout)) this.#turn = this.#begin(line);
    this.#turn?.handle(line);
    // A cancelled turn has none, and its program may stream a little longer.
    if (line.type === "turn_end") this.endTurn();
  }

  #begin({ id, number: line, ts, turnId }: ChatLine): OpenTurn {
    const isNew = turnId !== undefined && !this.#begun.has(turnId);
    if (isNew) this.#begun.add(turnId);
    const opening = { id: `t:${isNew ? turnId : id}`, member: this.#speaker, line, ts, origin: this.#origin };
    return new OpenTurn(new TurnDraft({ ...opening, rootMessageId: this.#messageId }), turnId);
  }

  /** A message of another agent is not the user's: its origin names the author. */
  #onUserMessage({ id, number: line, ts, payload, turnId }: ChatLine, text: string | undefined): void {
    if (text === undefined) return;
    const from = nonBlankText(payload["fromAgentId"]);
    const origin = from === undefined ? this.#origin : `${this.#origin} from ${shortText(from, 80)}`;
    const facts = { id: `m:${id}`, line, ts, text, origin };
    if (this.#turn !== undefined && turnId !== undefined && this.#turn.turnId === turnId) {
      this.#turn.settleText(ts);
      return this.#turn.draft.steer(messageDraft(facts));
    }
    this.endTurn();
    this.#messageId = facts.id;
    this.units.push(messageUnit(facts));
  }

  #notify({ number: line, ts, payload }: ChatLine): void {
    const label = nonBlankText(payload["label"]) ?? nonBlankText(payload["summaryType"]);
    const text = textOf(payload["text"]) ?? "";
    const message = shortText(label === undefined ? text : `${label}: ${text}`);
    const draft: EventDraft = { type: "ui_notify", message, notifyType: "info" };
    if (this.#turn === undefined) this.units.push({ line, drafts: [{ ts, draft }] });
    else this.#turn.draft.note(ts, draft);
  }

  #onAgentMessage(line: ChatLine): void {
    const { ts, payload } = line;
    const to = speakerName(textOf(payload["targetAgentId"]));
    if (to === undefined) return;
    this.#turn ??= this.#begin(line);
    this.#turn.settleText(ts);
    const text = shortText(textOf(payload["message"]) ?? "");
    const draft = { type: "agent_message", agentExchangeId: exchangeOf(payload), to, text } as const;
    this.#turn.draft.note(ts, { ...draft, member: this.#speaker, wait: payload["wait"] === true });
  }

  #onAgentAnswer({ number: line, ts, payload }: ChatLine): void {
    const from = speakerName(textOf(payload["fromAgentId"])) ?? this.#speaker;
    const text = shortText(textOf(payload["result"]) ?? "");
    const agentExchangeId = exchangeOf(payload);
    const draft: EventDraft = { type: "agent_callback_result", agentExchangeId, member: from, ok: true, text };
    if (this.#turn === undefined) this.units.push({ line, drafts: [{ ts, draft }] });
    else this.#turn.draft.noteOther(ts, draft);
  }
}

function exchangeOf(payload: Fields): string {
  return shortText(textOf(payload["messageId"]) ?? "exchange", 80);
}

/** As a member name: assistant's ids allow more characters. */
export function speakerName(agentId: string | undefined): string | undefined {
  if (agentId === undefined) return undefined;
  const name = agentId
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, "-")
    .replace(/^[^a-z]+/, "")
    .slice(0, 32);
  return MEMBER_NAME.test(name) && name !== "all" ? name : undefined;
}
