/** How a turn ended, as a glyph and a word. */
import { terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import type { Outcome } from "../../protocol/index.ts";
import type { Tone } from "../theme/theme.ts";

export interface OutcomeMark {
  readonly glyph: string;
  readonly word: string;
  readonly tone: Tone;
}

const MARKS: Readonly<Record<Outcome, OutcomeMark>> = {
  completed: { glyph: "✓", word: "done", tone: "good" },
  interrupted: { glyph: "■", word: "interrupted", tone: "warn" },
  errored: { glyph: "✗", word: "failed", tone: "bad" },
  timed_out: { glyph: "⧗", word: "timed out", tone: "bad" },
};

/** An outcome that only a later version knows is its own word. */
export function outcomeMark(outcome: Outcome): OutcomeMark {
  if (Object.hasOwn(MARKS, outcome)) return MARKS[outcome];
  return { glyph: "■", word: terminalSafeLine(outcome), tone: "warn" };
}
