/**
 * Three members stream 100 tokens a second each over a session of 2,000 messages at 220 × 60, as `columns` or as
 * `stack`: the log and the terminal library alone, on a screen that takes every byte. Prints microseconds of CPU and
 * bytes for each token, and the longest frames.
 */
import { TuiAltScreen, type Terminal } from "@earendil-works/pi-tui";
import { empty, reduce, type Transcript } from "../../src/transcript/index.ts";
import { createLogView } from "../../src/tui/log/create-log-view.ts";
import { loadHighlighter } from "../../src/tui/markdown/highlight.ts";
import { createTheme } from "../../src/tui/theme/create-theme.ts";
import type { EventDraft } from "../../src/protocol/index.ts";
import { created, ended, joined, said, started } from "../../test/generate/drafts.ts";
import { stamped, START_TS } from "../../test/generate/stamped.ts";
import { percentile, report } from "./product.ts";

const MEMBERS = ["claude", "codex", "gemini"];
const MESSAGES = 2_000;
const FRAMES = 900;
/** At 30 frames a second. */
const TOKENS_PER_FRAME = 100 / 30;
const TOKEN_CHARS = 4;

const ANSWER = [
  "## What I found\n\nThe scheduler reads the **clock** itself, so the test depends on the time of day (src/clock.ts:41).\n\n",
  "- it is read in three files\n- two of them are in loops\n- none is injected\n\n",
  "```ts\nexport function createClock(now: () => number): Clock {\n  return { now, later: (ms) => now() + ms };\n}\n```\n\n",
  "| file | reads | writes |\n|---|--:|--:|\n| a.ts | 3 | 0 |\n| b.ts | 1 | 2 |\n\n",
  "A longer paragraph follows, with words that are wrapped at the width of the column, and with `inline code` in it.\n\n",
].join("");

const view = process.argv[2] === "columns" ? "columns" : "stack";
let bytes = 0;
let now = START_TS;

const terminal = {
  start: () => {},
  stop: () => {},
  drainInput: () => Promise.resolve(),
  write: (data: string) => {
    bytes += data.length;
  },
  columns: 220,
  rows: 60,
  kittyProtocolActive: true,
  moveBy: () => {},
  hideCursor: () => {},
  showCursor: () => {},
  clearLine: () => {},
  clearFromCursor: () => {},
  clearScreen: () => {},
  setTitle: () => {},
  setProgress: () => {},
} as unknown as Terminal;

let transcript: Transcript = empty("session");
function add(...drafts: EventDraft[]): void {
  transcript = stamped(drafts, transcript.head.seq).reduce(reduce, transcript);
}

add(created(), ...MEMBERS.map((member) => joined(member)));
for (let made = 0; made < MESSAGES / 4; made += 1) {
  add(said(`m${made}`, MEMBERS, { toAll: true, text: `question ${made}` }));
  const turns = MEMBERS.map((member) => ({ turnId: `t${made}-${member}`, member }));
  for (const { turnId, member } of turns) add(started(turnId, member, { rootMessageId: `m${made}`, round: 1 }));
  for (const turn of turns)
    add({ type: "text_done", ...turn, segmentId: turn.turnId, text: ANSWER }, ended(turn.turnId, turn.member));
}
add(said("last", MEMBERS, { toAll: true, text: "And now?" }));
for (const member of MEMBERS) add(started(member, member, { rootMessageId: "last", round: 1 }));

await loadHighlighter();
const theme = createTheme({ name: "dark", depth: "truecolor", hasLinks: true });
const settings = { thinking: "dim", isExpanded: false, hasTimes: false, isRaw: false, arrangement: view } as const;
const log = createLogView({
  theme,
  settings,
  now: () => now,
  requestRender: () => {},
  loadPage: () => {},
  rowsMax: () => 60,
});
const tui = new TuiAltScreen(terminal);
tui.setLayoutRoot(log.component);
tui.start();

const nextFrame = () => new Promise((resolve) => setTimeout(resolve, 0));

let written = 0;
let tokens = 0;
const framesMs: number[] = [];
/** Deltas are folded before the clock starts: both views pay the same for them. */
async function run(frames: number, isMeasured: boolean): Promise<number> {
  let spentUs = 0;
  for (let at = 0; at < frames; at += 1) {
    written += TOKENS_PER_FRAME;
    for (; tokens < Math.floor(written); tokens += 1) {
      const from = (tokens * TOKEN_CHARS) % ANSWER.length;
      const text = ANSWER.slice(from, from + TOKEN_CHARS);
      for (const member of MEMBERS) add({ type: "text_delta", turnId: member, member, segmentId: member, text });
    }
    now += 33;
    await nextFrame();
    const before = process.cpuUsage();
    const began = performance.now();
    log.show(transcript);
    tui.renderNow();
    const { user, system } = process.cpuUsage(before);
    if (isMeasured) framesMs.push(performance.now() - began);
    spentUs += user + system;
  }
  return spentUs;
}

log.show(transcript);
await run(60, false);
bytes = 0;
const first = tokens;
const spentUs = await run(FRAMES, true);
const measured = (tokens - first) * MEMBERS.length;
tui.stop();
framesMs.sort((a, b) => a - b);
report({
  cpuUs: spentUs / measured,
  bytes: bytes / measured,
  frameP50Ms: percentile(framesMs, 0.5),
  frameP95Ms: percentile(framesMs, 0.95),
  rssMb: process.memoryUsage().rss / 1e6,
});
process.exit(0);
