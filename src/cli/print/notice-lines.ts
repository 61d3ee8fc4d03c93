/** What happened outside the answers, in one line each, and whether a person must know it. */
import type { SessionEvent, UnknownEvent } from "../../protocol/index.ts";
import { eventLine } from "../../transcript/index.ts";

export interface NoticeLine {
  text: string;
  /** True for what a person must know even when only answers are printed. */
  isImportant: boolean;
}

export function noticeLine(event: SessionEvent | UnknownEvent): NoticeLine {
  return { text: eventLine(event), isImportant: IMPORTANT.has(event.type) };
}

const IMPORTANT = new Set(["warning", "error", "damage", "read_only", "recovered", "council_paused", "ui_notify"]);
