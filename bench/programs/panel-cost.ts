/**
 * CPU per chunk of updating and drawing the panel of a long streamed Markdown answer, beside a panel that is created
 * again each time.
 */
import { empty, reduce, type Transcript } from "../../src/transcript/index.ts";
import { loadHighlighter } from "../../src/tui/markdown/highlight.ts";
import { createPanel } from "../../src/tui/panels/create-panel.ts";
import type { Panel, PanelContext } from "../../src/tui/panels/panel.ts";
import { createTheme } from "../../src/tui/theme/create-theme.ts";
import { created, joined, started } from "../../test/generate/drafts.ts";
import { stamped } from "../../test/generate/stamped.ts";
import { report } from "./product.ts";

const PIECES = 4000;
const PIECES_PER_FRAME = 7;
const WIDTH = 120;

const ANSWER = [
  "## What I found\n\nThe scheduler reads the **clock** itself, so the test depends on the time of day. See `src/clock.ts`.\n\n",
  "- it is read in three places\n- two of them are in loops\n- none is injected\n\n",
  "```ts\nexport function createClock(now: () => number): Clock {\n  return { now, later: (ms) => now() + ms };\n}\n```\n\n",
  "| file | reads | writes |\n|---|--:|--:|\n| a.ts | 3 | 0 |\n| b.ts | 1 | 2 |\n\n",
  "A longer paragraph follows, with words that are wrapped at the width of the screen, and with a [link](https://example.org).\n\n",
].join("");

const theme = createTheme({ name: "dark", depth: "truecolor", hasLinks: true });
const settings = { thinking: "dim", isExpanded: false, hasTimes: false, isRaw: false } as const;

function contextOf(transcript: Transcript): PanelContext {
  return { theme, settings, transcript, liveRowsMax: 12, isSelected: false, now: 0 };
}

function pieceAt(index: number): string {
  const from = (index * 4) % ANSWER.length;
  return ANSWER.slice(from, from + 4);
}

/** Microseconds of CPU per chunk. */
function measure(isKept: boolean, pieces: number): number {
  let transcript = [...stamped([created(), joined("claude"), started("t1", "claude")])].reduce(
    reduce,
    empty("session"),
  );
  let panel: Panel | undefined;
  let spentUs = 0;
  for (let index = 0; index < pieces; index += 1) {
    const delta = { type: "text_delta", turnId: "t1", member: "claude", segmentId: "s", text: pieceAt(index) } as const;
    transcript = stamped([delta], transcript.head.seq).reduce(reduce, transcript);
    if (index % PIECES_PER_FRAME !== 0) continue;
    const turn = transcript.head.openTurns["t1"];
    if (turn === undefined) throw new Error("The turn is not open.");
    const before = process.cpuUsage();
    if (panel === undefined || !isKept) panel = createPanel(turn, contextOf(transcript));
    panel.update(turn, contextOf(transcript));
    panel.render(WIDTH);
    const { user, system } = process.cpuUsage(before);
    spentUs += user + system;
  }
  return spentUs / pieces;
}

await loadHighlighter();
measure(true, 500);
const kept = measure(true, PIECES);
const anew = measure(false, PIECES / 8);
report({ keptUs: kept, anewUs: anew });
