/**
 * Keeps an event of an agent below the size that a log takes: long strings are cut with a mark that says how much is
 * missing, then long lists. What still does not fit becomes a warning that names it, so nothing vanishes unsaid.
 */
import { EVENT_BYTES_MAX, type EventDraft } from "../protocol/index.ts";

/** Room for the envelope and the checksum. */
const ENVELOPE_BYTES = 4 * 1024;
const BODY_BYTES_MAX = EVENT_BYTES_MAX - ENVELOPE_BYTES;
const STEPS = [
  { chars: 24 * 1024, items: 2_000 },
  { chars: 4 * 1024, items: 500 },
  { chars: 512, items: 100 },
  { chars: 128, items: 20 },
];
const DEPTH_MAX = 64;

export function fitEvent(draft: EventDraft): EventDraft {
  if (draftBytes(draft) <= BODY_BYTES_MAX) return draft;
  for (const step of STEPS) {
    const cut = shorten(draft, step, 0) as EventDraft;
    if (draftBytes(cut) <= BODY_BYTES_MAX) return cut;
  }
  return {
    type: "warning",
    ...(draft.turnId === undefined ? {} : { turnId: draft.turnId }),
    ...(draft.member === undefined ? {} : { member: draft.member }),
    code: "event_too_large",
    message: `An event of type ${draft.type} was larger than an event may be and could not be shortened. It was not kept.`,
  };
}

export function draftBytes(draft: EventDraft): number {
  return Buffer.byteLength(JSON.stringify(draft));
}

function shorten(value: unknown, step: (typeof STEPS)[number], depth: number): unknown {
  if (typeof value === "string") return shortenText(value, step.chars);
  if (typeof value !== "object" || value === null) return value;
  if (depth > DEPTH_MAX) return "… (deeper than can be kept)";
  if (Array.isArray(value)) {
    const kept = value.slice(0, step.items).map((item) => shorten(item, step, depth + 1));
    return kept;
  }
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
