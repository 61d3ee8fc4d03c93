/**
 * Fits an agent's event into the size limit of the log: truncates long strings with a marker, then long lists and deep
 * values. What still does not fit becomes a warning.
 */
import { isTooDeep } from "../kit/nesting.ts";
import { EVENT_BYTES_MAX, type EventDraft } from "../protocol/index.ts";

/** Reserve for the envelope and the checksum. */
const ENVELOPE_BYTES = 4 * 1024;
const BODY_BYTES_MAX = EVENT_BYTES_MAX - ENVELOPE_BYTES;
const STEPS = [
  { chars: 24 * 1024, items: 2_000, depth: 64 },
  { chars: 4 * 1024, items: 500, depth: 16 },
  { chars: 512, items: 100, depth: 8 },
  { chars: 128, items: 20, depth: 4 },
];
const TOO_LARGE = "… (too large to store)";

type Step = (typeof STEPS)[number];

/** The event, and a warning when it was truncated. */
export function fitEvents(draft: EventDraft): EventDraft[] {
  const fitted = fitEvent(draft);
  if (fitted === draft || fitted.type === "warning") return [fitted];
  const message = `An event of type ${draft.type} exceeded the size limit and was truncated.`;
  return [fitted, { type: "warning", ...stampOf(draft), code: "event_shortened", message }];
}

export function fitEvent(draft: EventDraft): EventDraft {
  if (draftBytes(draft) <= BODY_BYTES_MAX) return draft;
  for (const step of STEPS) {
    const cut = Object.fromEntries(Object.entries(draft).map(([key, value]) => [key, shorten(value, step, 1)]));
    if (draftBytes(cut as EventDraft) <= BODY_BYTES_MAX) return cut as EventDraft;
  }
  // A call that is not in the log could get no result, so it is recorded without arguments.
  if (draft.type === "tool_call_start") return fitEvent({ ...draft, args: TOO_LARGE });
  const message = `An event of type ${draft.type} exceeded the size limit and was dropped.`;
  return { type: "warning", ...stampOf(draft), code: "event_too_large", message };
}

/** Infinity for values nested too deeply to serialise. */
export function draftBytes(draft: EventDraft): number {
  if (isTooDeep(draft)) return Infinity;
  return Buffer.byteLength(JSON.stringify(draft));
}

function stampOf({ turnId, member }: EventDraft): { turnId?: string; member?: string } {
  return { ...(turnId === undefined ? {} : { turnId }), ...(member === undefined ? {} : { member }) };
}

function shorten(value: unknown, step: Step, depth: number): unknown {
  if (typeof value === "string") return shortenText(value, step.chars);
  if (typeof value !== "object" || value === null) return value;
  if (depth > step.depth) return TOO_LARGE;
  if (Array.isArray(value)) return value.slice(0, step.items).map((item) => shorten(item, step, depth + 1));
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, step.items)
      .map(([key, item]) => [shortenText(key, step.chars), shorten(item, step, depth + 1)]),
  );
}

function shortenText(text: string, chars: number): string {
  if (text.length <= chars) return text;
  return `${text.slice(0, chars).toWellFormed()}… (${text.length - chars} more characters not kept)`;
}
