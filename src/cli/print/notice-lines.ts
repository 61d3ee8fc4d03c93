/** One-line notices for events outside the answers. */
import type { SessionEvent, UnknownEvent } from "../../protocol/index.ts";
import { eventLine } from "../../transcript/index.ts";

export interface NoticeLine {
  text: string;
  /** True for notices shown even when only answers are printed. */
  isImportant: boolean;
}

export function noticeLine(event: SessionEvent | UnknownEvent): NoticeLine {
  return { text: eventLine(event), isImportant: IMPORTANT.has(event.type) };
}

const IMPORTANT = new Set(["warning", "error", "damage", "read_only", "recovered", "council_paused", "ui_notify"]);
