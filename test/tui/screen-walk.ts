/**
 * A random walk through the real program: keys, mouse, paste, resizes and streams, and afterwards what must hold of the
 * picture and of every byte that was written. The same seed takes the same steps, though not at the same moments.
 */
import { expect } from "vitest";
import { createRandom } from "../log/seeded-random.ts";
import { alt, ctrl, keys } from "./key-bytes.ts";
import { bytesOutsideFrames, clearsIn, framesIn, rawSince } from "./recorded-bytes.ts";
import { connected, expectRestored, openTestTerminal, homeWithThree, type Finally } from "./test-terminal.ts";
import type { SeenTerminal } from "./terminal.ts";

const SIZES = [
  [80, 24],
  [40, 24],
  [120, 40],
  [20, 8],
  [81, 11],
  [60, 17],
] as const;

const PASTES = [
  "two\nlines",
  "日本語 and 🧭 and e\u0301 and \u202e turned",
  "\u001b[2J\u001b]0;owned\u0007\u009b31m",
  "x".repeat(3_000),
  "many\n".repeat(60),
];

const LINES = [
  "@all /try slow",
  "@ada /try long 3000",
  "@bob /try tools",
  "@cyd /try tool-output 200",
  "@ada /try question",
  "@bob /try approval",
  "@cyd /try thinking",
  "@ada /try plan",
  "@all /try silence",
  "@bob /try error",
  "@cyd /try widget",
  "/members",
  "/settings",
  "/keys",
  "/queue for later",
  "/raw",
  "/find quote",
  "/search quote",
  "/theme light",
  "/nonsense",
];

/** Nothing here leaves the program or waits for another one. */
const KEYS = [
  ...Object.values(keys),
  ...["a", "b", "e", "k", "n", "o", "p", "r", "s", "t", "u", "w", "y", "-"].map(ctrl),
  ...["a", "c", "d", "f", "i", "m", "o", "y", "/", ".", ","].map(alt),
  "a",
  "Z",
  " ",
  "9",
  "/",
  "@",
  "?",
  "\\",
  "日",
  "🧭",
];

type Pick = <One>(list: readonly One[]) => One;

export interface WalkOptions {
  readonly seed: number;
  readonly steps: number;
}

export async function walkScreen(after: Finally, { seed, steps }: WalkOptions): Promise<void> {
  const random = createRandom(seed);
  const pick: Pick = (list) => list[Math.floor(random() * list.length)] as (typeof list)[number];
  const seen = openTestTerminal(after, { home: homeWithThree() });
  await seen.sees(connected);
  await seen.rests();
  const began = seen.recording.length;
  const taken: string[] = [];
  // One more at the end, so that every picture is judged at the same size.
  let resizes = 1;
  try {
    for (let step = 0; step < steps; step += 1) {
      const what = takeStep(seen, random, pick);
      taken.push(what);
      if (what.startsWith("resize")) resizes += 1;
      if (random() < 0.7) await new Promise((resolve) => setTimeout(resolve, Math.floor(random() * 40)));
    }
    seen.resize(100, 30);
    await comeToRest(seen);
    const raw = rawSince(seen, began);
    expect(bytesOutsideFrames(raw)).toBe("");
    expect(clearsIn(raw).filter((clear) => !clear.includes("[2J"))).toEqual([]);
    expect(clearsIn(raw).length).toBeLessThanOrEqual(resizes);
    await expectLikeRepaint(seen);
    process.kill(seen.programPid, "SIGTERM");
    await seen.sees(/exit \d+/);
    expectRestored(seen);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`seed ${seed}, after ${taken.length} steps (${taken.slice(-12).join(", ")}): ${message}`, {
      cause: error,
    });
  }
}

function takeStep(seen: SeenTerminal, random: () => number, pick: Pick): string {
  const dice = random();
  if (dice < 0.55) {
    const key = pick(KEYS);
    seen.type(key);
    return JSON.stringify(key);
  }
  if (dice < 0.7) {
    const line = pick(LINES);
    // Whatever stands in the box is put away first, so that the line is one.
    seen.type(`${ctrl("u")}${line}${keys.enter}`);
    return line;
  }
  if (dice < 0.8) {
    const [columns, rows] = pick(SIZES);
    seen.resize(columns, rows);
    return `resize ${columns}x${rows}`;
  }
  if (dice < 0.87) {
    seen.paste(pick(PASTES));
    return "paste";
  }
  const [column, row] = [Math.floor(random() * 80), Math.floor(random() * 24)];
  if (dice < 0.95) seen.wheel(dice < 0.92 ? "up" : "down", column, row);
  else seen.click(column, row);
  return `mouse ${column},${row}`;
}

/** Until nothing runs, nothing is open and the log is at its end: Escape closes or interrupts one thing at a time. */
async function comeToRest(seen: SeenTerminal): Promise<void> {
  for (let turn = 0; turn < 60; turn += 1) {
    await seen.rests();
    const text = seen.text();
    const isOpen = /^─ (?!to )\S|→ [@/]|history: /m.test(text);
    const isWaiting = text.includes("queued for ");
    if (!isOpen && !isWaiting && /Enter send ·/.test(text)) return;
    // A log that the walk has scrolled stays where it is, whatever Escape does.
    if (!isOpen && text.includes("End newest")) {
      seen.type(keys.end);
      continue;
    }
    // What waits would begin when the rest has ended; it is taken back into the box.
    seen.type(isWaiting && !isOpen ? `${keys.altUp}${ctrl("u")}` : keys.escape);
    if (!isOpen && /Esc stops/.test(text)) seen.type(`${ctrl("u")}/interrupt all${keys.enter}`);
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  throw new Error(`it did not come to rest:\n${seen.text()}`);
}

/** A picture that changes by itself meanwhile (a note that goes) proves nothing, so it is looked at again. */
export async function expectLikeRepaint(seen: SeenTerminal): Promise<void> {
  for (let look = 0; look < 10; look += 1) {
    await comeToRest(seen);
    const [before, written] = [seen.cells(), seen.recording.length];
    seen.type(keys.f5);
    await seen.shows(() => rawSince(seen, written).includes("\u001b[2J"));
    const after = seen.cells();
    if (framesIn(rawSince(seen, written)).length > 1 || seen.text().includes("Esc stops")) continue;
    expect(after).toEqual(before);
    return;
  }
  throw new Error("the screen never stood still");
}
