/**
 * Builds one turn of an external session: texts and calls in order, and exactly one end. Guarantees: every tool call
 * gets one result, at the latest an interrupted one at the end of the turn; a result without a call becomes a warning;
 * subagents end before the turn that sent them.
 */
import type { DraftOf, EventDraft, Outcome, ToolErrorCode, Usage } from "../../../protocol/index.ts";
import { boundedArgs, splitText, shortName, shortText, shownResult } from "./bodies.ts";
import { fieldsOf } from "../../../kit/fields.ts";
import { IMPORT_CODE, type ImportUnit, type TimedDraft } from "./external-session.ts";
import { toolKind, toolTitle } from "./tool-labels.ts";
import type { MessageDraft } from "./message-draft.ts";

/** As in a live session: further or deeper subagents are shown by their call only. */
const SUBAGENT_DEPTH_MAX = 8;
const NAME_CHARS_MAX = 80;
const DIFF_CHARS_MAX = 64 * 1024;
const INTERRUPTED = "The conversation ends before the tool's result.";

/** The result of a call that has none in the file. */
export function isUnsettled(draft: EventDraft): boolean {
  return draft.type === "tool_result" && draft.error?.message === INTERRUPTED;
}

export interface TurnOpening {
  /** Local name of the turn. */
  readonly id: string;
  readonly member: string;
  readonly line: number;
  readonly ts: number;
  readonly origin: string;
  readonly model?: string | undefined;
  /** Local name of the message it answers. */
  readonly rootMessageId?: string | undefined;
}

export interface ToolCall {
  readonly nativeId: string;
  readonly name: string;
  readonly args: unknown;
}

export interface ToolResult {
  readonly ok: boolean;
  readonly text: string;
  readonly code?: ToolErrorCode;
  readonly diff?: string | undefined;
  readonly durationMs?: number | undefined;
}

export interface TurnEnding {
  readonly outcome: Outcome;
  readonly reason?: string | undefined;
  readonly error?: { readonly code: string; readonly message: string } | undefined;
  readonly usage?: Usage | undefined;
}

export interface SubagentOpening {
  readonly name: string;
  readonly task: string;
  /** Native id of the call that sent it. */
  readonly nativeId?: string | undefined;
  readonly model?: string | undefined;
}

export class TurnDraft {
  readonly opening: TurnOpening;
  readonly depth: number;
  readonly #drafts: TimedDraft[];
  readonly #open = new Map<string, { toolCallId: string; ts: number }>();
  readonly #calls = new Map<string, string>();
  #partCount = 0;
  #retractedCount = 0;
  #lastMs: number;
  #hasEnded = false;

  constructor(opening: TurnOpening, parent?: { turn: TurnDraft; drafts: TimedDraft[]; toolCallId?: string }) {
    this.opening = opening;
    this.depth = parent === undefined ? 0 : parent.turn.depth + 1;
    this.#drafts = parent?.drafts ?? [];
    this.#lastMs = opening.ts;
    const { id, member, ts, origin, model, rootMessageId } = opening;
    this.#push(ts, {
      type: "turn_start",
      turnId: id,
      member,
      cause: "imported",
      messageIds: [],
      ...(rootMessageId === undefined ? {} : { rootMessageId }),
      ...(parent === undefined ? {} : { parentTurnId: parent.turn.opening.id }),
      ...(parent?.toolCallId === undefined ? {} : { toolCallId: parent.toolCallId }),
      depth: this.depth,
      origin: shortName(origin),
      ...(model === undefined ? {} : { model: shortName(model) }),
    });
  }

  get lastMs(): number {
    return this.#lastMs;
  }

  get hasOpenCalls(): boolean {
    return this.#open.size > 0;
  }

  get hasSpoken(): boolean {
    return this.#partCount > this.#retractedCount;
  }

  get hasCalled(): boolean {
    return this.#calls.size > 0;
  }

  hasCall(nativeId: string): boolean {
    return this.#calls.has(nativeId);
  }

  text(ts: number, text: string, { interrupted = false } = {}): void {
    if (text === "") return;
    for (const chunk of splitText(text)) {
      const cut = interrupted ? { interrupted } : {};
      this.#push(ts, { type: "text_done", ...this.#stamp, segmentId: this.#part("s"), text: chunk, ...cut });
    }
  }

  thinking(ts: number, text: string): void {
    if (text.trim() === "") return;
    for (const chunk of splitText(text)) {
      this.#push(ts, { type: "thinking_done", ...this.#stamp, segmentId: this.#part("s"), text: chunk });
    }
  }

  /** A repeated call counts once. */
  call(ts: number, { nativeId, name, args }: ToolCall): void {
    if (this.#calls.has(nativeId)) return;
    const toolCallId = this.#part("c");
    this.#calls.set(nativeId, toolCallId);
    this.#open.set(nativeId, { toolCallId, ts });
    const title = toolTitle(fieldsOf(args) ?? {});
    this.#push(ts, {
      type: "tool_call_start",
      ...this.#stamp,
      toolCallId,
      nativeId: shortText(nativeId, NAME_CHARS_MAX),
      name: shortText(name, NAME_CHARS_MAX),
      args: boundedArgs(args),
      kind: toolKind(name),
      ...(title === undefined ? {} : { title }),
    });
  }

  /** The first result of a call counts. */
  result(ts: number, nativeId: string, { ok, text, code, diff, durationMs }: ToolResult): void {
    const call = this.#open.get(nativeId);
    if (call === undefined) return this.#warnUnmatched(ts, nativeId);
    this.#open.delete(nativeId);
    const { text: shown, truncated, whole } = shownResult(text);
    const outcome = ok ? { result: shown } : { error: { code: code ?? "tool_error", message: shown } };
    const draft: DraftOf<"tool_result"> = {
      type: "tool_result",
      ...this.#stamp,
      toolCallId: call.toolCallId,
      ok,
      ...outcome,
      ...(truncated === undefined ? {} : { truncated }),
      ...(diff === undefined ? {} : { diff: shortText(diff, DIFF_CHARS_MAX) }),
      durationMs: durationMs ?? Math.max(0, ts - call.ts),
    };
    this.#push(ts, draft, whole === undefined ? {} : { whole });
  }

  /** A message that was steered into the turn. */
  steer({ timed, messageId }: MessageDraft): void {
    const { ts } = timed[0] ?? { ts: this.#lastMs };
    this.#drafts.push(...timed);
    this.#push(ts, { type: "steering", messageId, ...this.#stamp });
    this.#partCount += 1;
  }

  /** Any other event of the turn. */
  note(ts: number, draft: EventDraft, more: Pick<TimedDraft, "retainedFrom"> = {}): void {
    this.#push(ts, { ...draft, ...this.#stamp }, more);
  }

  /** An event of someone other than the turn's member. */
  noteOther(ts: number, draft: EventDraft): void {
    this.#push(ts, { ...draft, turnId: this.opening.id });
  }

  warn(ts: number, message: string): void {
    this.#push(ts, { type: "warning", ...this.#stamp, code: IMPORT_CODE, message });
  }

  /** Undefined when it would be nested too deeply, which is noted. */
  subagent(ts: number, { name, task, nativeId, model }: SubagentOpening): TurnDraft | undefined {
    const label = shortText(name, NAME_CHARS_MAX);
    if (this.depth >= SUBAGENT_DEPTH_MAX) {
      this.warn(ts, `Subagent "${label}" is not shown: it would be nested more than ${SUBAGENT_DEPTH_MAX} deep.`);
      return undefined;
    }
    const id = this.#part("a");
    const toolCallId = nativeId === undefined ? undefined : this.#calls.get(nativeId);
    const call = toolCallId === undefined ? {} : { toolCallId };
    this.#push(ts, {
      type: "subagent_spawned",
      ...this.#stamp,
      subagentTurnId: id,
      name: label,
      task: shortText(task),
      depth: this.depth + 1,
      ...call,
    });
    const { member, line, origin, rootMessageId } = this.opening;
    const opening = { id, member, line, ts, origin, model, rootMessageId };
    return new TurnDraft(opening, { turn: this, drafts: this.#drafts, ...call });
  }

  endSubagent(child: TurnDraft, ending: TurnEnding, text?: string): void {
    child.end(child.lastMs, ending);
    this.#push(child.lastMs, {
      type: "subagent_result",
      ...this.#stamp,
      subagentTurnId: child.opening.id,
      outcome: ending.outcome,
      ...(text === undefined ? {} : { text: shortText(text) }),
    });
  }

  end(ts: number, { outcome, reason, error, usage }: TurnEnding): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    if (outcome !== "completed") this.#cutText();
    for (const { toolCallId } of this.#open.values()) {
      const unsettled = { code: "tool_interrupted", message: INTERRUPTED } as const;
      this.#push(ts, { type: "tool_result", ...this.#stamp, toolCallId, ok: false, error: unsettled });
    }
    this.#open.clear();
    this.#push(ts, {
      type: "turn_end",
      ...this.#stamp,
      outcome,
      ...(reason === undefined ? {} : { reason: shortName(reason) }),
      ...(error === undefined ? {} : { error: { code: shortName(error.code), message: shortText(error.message) } }),
      ...(usage === undefined ? {} : { usage }),
      durationMs: Math.max(0, ts - this.opening.ts),
      copied: true,
    });
  }

  /** Retracts the last text if it matches; false otherwise. */
  retractText(isMeant: (text: string) => boolean): boolean {
    const last = this.#drafts.at(-1);
    if (last?.draft.type !== "text_done" || !isMeant(last.draft.text)) return false;
    this.#drafts.pop();
    this.#retractedCount += 1;
    return true;
  }

  /** Text that was being written when the turn was cut is marked as interrupted. */
  #cutText(): void {
    const last = this.#drafts.at(-1);
    if (last?.draft.type !== "text_done" || last.draft.turnId !== this.opening.id) return;
    this.#drafts[this.#drafts.length - 1] = { ...last, draft: { ...last.draft, interrupted: true } };
  }

  /** For an ended turn. */
  get unit(): ImportUnit {
    return { line: this.opening.line, drafts: this.#drafts };
  }

  get #stamp(): { turnId: string; member: string } {
    return { turnId: this.opening.id, member: this.opening.member };
  }

  #part(sign: string): string {
    this.#partCount += 1;
    return `${this.opening.id}/${sign}${this.#partCount}`;
  }

  #warnUnmatched(ts: number, nativeId: string): void {
    if (this.#calls.has(nativeId)) return;
    this.warn(ts, `A result of the tool call ${shortText(nativeId, NAME_CHARS_MAX)} arrived without its call.`);
  }

  #push(ts: number, draft: EventDraft, more: Pick<TimedDraft, "whole" | "retainedFrom"> = {}): void {
    this.#lastMs = ts;
    this.#drafts.push({ ts, draft, ...more });
  }
}
