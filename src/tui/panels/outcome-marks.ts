/** How a turn ended, as a glyph and a word. */
import type { Outcome } from "../../protocol/index.ts";
import type { Tone } from "../theme/theme.ts";

export const outcomeMarks: Readonly<Record<Outcome, { glyph: string; word: string; tone: Tone }>> = {
  completed: { glyph: "✓", word: "done", tone: "good" },
  interrupted: { glyph: "■", word: "interrupted", tone: "warn" },
  errored: { glyph: "✗", word: "errored", tone: "bad" },
  timed_out: { glyph: "⧗", word: "timed out", tone: "bad" },
};
