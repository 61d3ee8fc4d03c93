/**
 * Text of a turn: messages, plans and thoughts, streamed in chunks and repeated as a whole at their end. Pure.
 * Guarantees: each item is emitted once, in whatever order its chunks, its end and other items arrive; a broken text
 * stays until something replaces it.
 */
import { numberOf, textOf, textsOf, type Fields } from "../../../json-rpc/fields.ts";
import type { DialectEvent } from "../../../process/dialect.ts";
import { withTurn, type CodexState, type CodexStep, type CodexTurn, type Streamed } from "../state.ts";

type Kind = "text" | "thinking";

/** A complete item emits nothing more, even if it is repeated. */
const ALL = Number.POSITIVE_INFINITY;

export function handleTextDelta(state: CodexState, params: Fields, turn: CodexTurn): CodexStep {
  const itemId = textOf(params, "itemId") ?? "";
  return appendDelta(state, turn, "text", { itemId, text: textOf(params, "delta") ?? "" });
}

export function handleThinkingDelta(state: CodexState, params: Fields, turn: CodexTurn, isRaw: boolean): CodexStep {
  const itemId = textOf(params, "itemId") ?? "";
  const part = numberOf(params, isRaw ? "contentIndex" : "summaryIndex") ?? 0;
  const delta = textOf(params, "delta") ?? "";
  const same = turn.thinking?.itemId === itemId ? turn.thinkingPart : undefined;
  // Both the summary and the raw thoughts: whichever came first is shown.
  if (same !== undefined && same.isRaw !== isRaw) return { state };
  const text = same === undefined || same.part === part ? delta : `\n\n${delta}`;
  const step = appendDelta(state, turn, "thinking", { itemId, text });
  return { ...step, state: withTurn(step.state, { thinkingPart: { part, isRaw } }) };
}

export function completeThinking(state: CodexState, turn: CodexTurn, id: string, item: Fields): CodexStep {
  const isStreamed = turn.thinking?.itemId === id;
  const summary = textsOf(item, "summary");
  const content = textsOf(item, "content");
  const isRaw = isStreamed ? turn.thinkingPart?.isRaw === true : summary.length === 0;
  return completeItem(state, turn, "thinking", { itemId: id, text: (isRaw ? content : summary).join("\n\n") });
}

interface ItemText {
  readonly itemId: string;
  readonly text: string;
}

function appendDelta(state: CodexState, turn: CodexTurn, kind: Kind, { itemId, text }: ItemText): CodexStep {
  // It emitted nothing, so there is nothing to retract.
  if (text === "") return { state };
  const delta: DialectEvent = { type: `${kind}_delta`, text };
  const open = turn[kind];
  if (open?.itemId === itemId) {
    return { state: withTurn(state, { [kind]: { ...open, chars: open.chars + text.length } }), events: [delta] };
  }
  const back = kind === "text" ? retractBroken(turn) : [];
  const before = turn.emitted.get(itemId) ?? 0;
  const begun = { [kind]: { itemId, before, chars: text.length }, emitted: emittedWith(turn, open) };
  const texts = kind === "text" ? { unfinished: turn.unfinished + 1, broken: undefined } : {};
  return { state: withTurn(state, { ...begun, ...texts }), events: [...back, ...closing(kind, open), delta] };
}

/** End of an item. Text emitted before another item interrupted it is not emitted again. */
export function completeItem(state: CodexState, turn: CodexTurn, kind: Kind, { itemId, text }: ItemText): CodexStep {
  const open = turn[kind];
  if (open?.itemId === itemId) {
    const rest = text.slice(open.before);
    const hasText = rest !== "" || (kind === "text" && open.before === 0);
    const done: DialectEvent = { type: `${kind}_done`, ...(hasText ? { text: rest } : {}) };
    const emitted = new Map(turn.emitted).set(itemId, ALL);
    return { state: withTurn(state, { [kind]: undefined, emitted, ...finished(kind) }), events: [done] };
  }
  const rest = text.slice(turn.emitted.get(itemId) ?? 0);
  const emitted = new Map(emittedWith(turn, rest === "" ? undefined : open)).set(itemId, ALL);
  if (rest === "") return { state: withTurn(state, { emitted }) };
  const back = kind === "text" ? retractBroken(turn) : [];
  // Never streamed: without a delta it would be taken for a repetition of the text before it.
  const whole: DialectEvent[] = [
    { type: `${kind}_delta`, text: rest },
    { type: `${kind}_done`, text: rest },
  ];
  const next = withTurn(state, { [kind]: undefined, emitted, ...finished(kind) });
  return { state: next, events: [...back, ...closing(kind, open), ...whole] };
}

/** The stream broke and is restarted. Its text stays until the new one emits something. */
export function breakOff(state: CodexState, turn: CodexTurn, reason: string): CodexStep {
  const broken = turn.unfinished === 0 ? turn.broken : { texts: turn.unfinished, reason };
  return {
    state: withTurn(state, { text: undefined, thinking: undefined, unfinished: 0, broken }),
    events: closing("thinking", turn.thinking),
  };
}

/** A steer stops the message that is being streamed; Codex drops it and answers again. */
export function forgetUnfinished(state: CodexState, turn: CodexTurn): CodexStep {
  const events = [...retractBroken(turn), ...retractions(turn.unfinished, "steered")];
  return { state: withTurn(state, { text: undefined, unfinished: 0, broken: undefined }), events };
}

/** Anything that replaces it is emitted after this. */
export function retractBroken({ broken }: CodexTurn): DialectEvent[] {
  return broken === undefined ? [] : retractions(broken.texts, broken.reason);
}

function retractions(count: number, reason: string): DialectEvent[] {
  return Array.from({ length: count }, () => ({ type: "text_retracted", reason }));
}

function closing(kind: Kind, open: Streamed | undefined): DialectEvent[] {
  return open === undefined ? [] : [{ type: `${kind}_done` }];
}

function finished(kind: Kind): Partial<CodexTurn> {
  return kind === "text" ? { unfinished: 0, broken: undefined } : {};
}

function emittedWith({ emitted }: CodexTurn, open: Streamed | undefined): ReadonlyMap<string, number> {
  return open === undefined ? emitted : new Map(emitted).set(open.itemId, open.before + open.chars);
}
