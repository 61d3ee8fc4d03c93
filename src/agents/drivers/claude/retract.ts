/**
 * What the program takes back after it was told whole: an answer that safeguards stopped and another model gives anew,
 * or one whose tool call could not be read. Texts are taken back, and calls that will never run are over.
 */
import type { DialectEvent } from "../../process/dialect.ts";
import type { RetractableRecord, TurnState } from "./state.ts";

/** Answers are taken back soon after they were told; what lies further back stands. */
const RETRACTABLE_MAX = 100;
const REASON = "the answer was taken back";

export function remember(turn: TurnState, record: RetractableRecord): TurnState {
  return { ...turn, retractable: [...turn.retractable.slice(1 - RETRACTABLE_MAX), record] };
}

/** A record that is unknown, or taken back already, is none. */
export function retractMessages(
  turn: TurnState,
  uuids: readonly string[],
): { turn: TurnState; events: DialectEvent[] } {
  const gone = new Set(uuids);
  const first = turn.retractable.findIndex(({ uuid }) => gone.has(uuid));
  if (first < 0) return { turn, events: [] };
  const since = turn.retractable.slice(first);
  const remaining = since.filter(({ uuid }) => !gone.has(uuid));
  const texts = since.flatMap(({ text }) => text ?? []);
  const isGone = texts.length > remaining.flatMap(({ text }) => text ?? []).length;
  const { open } = turn;
  // The newest text goes first, so what stands after a text that is gone is told again.
  const isOpenGone = isGone && open?.kind === "text" && open.isShown;
  const events: DialectEvent[] = isGone ? retractions(texts.length + (isOpenGone ? 1 : 0)) : [];
  if (isGone) {
    for (const text of remaining.flatMap((one) => one.text ?? [])) {
      events.push({ type: "text_delta", text }, { type: "text_done", text });
    }
  }
  const tools = new Set(turn.tools);
  for (const { uuid, toolId } of since) {
    if (toolId === undefined || !gone.has(uuid) || !tools.delete(toolId)) continue;
    const error = { code: "tool_interrupted", message: REASON } as const;
    events.push({ type: "tool_result", nativeId: toolId, ok: false, error });
  }
  const retractable = [...turn.retractable.slice(0, first), ...remaining];
  return { turn: { ...turn, retractable, tools, open: isOpenGone ? { ...open, isShown: false } : open }, events };
}

function retractions(count: number): DialectEvent[] {
  return Array.from({ length: count }, () => ({ type: "text_retracted", reason: REASON }));
}
