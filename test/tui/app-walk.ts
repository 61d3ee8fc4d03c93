/**
 * Random operations on the whole app in the emulator: keys, lines, pastes, the mouse, resizes, views and every kind of
 * event, requests among them. After each of them the screen keeps its invariants; the same seed takes the same steps.
 */
import { expect } from "vitest";
import { systemClock } from "../../src/kit/clock.ts";
import type { SessionEvent } from "../../src/protocol/index.ts";
import { sampleLog } from "../generate/session-log.ts";
import { createRandom } from "../log/seeded-random.ts";
import { RESTORED } from "./emulator.ts";
import { alt, ctrl, keys } from "./key-bytes.ts";
import { openApp, type OpenApp } from "./open-app.ts";

const SIZES = [
  [40, 12],
  [80, 24],
  [120, 40],
  [160, 50],
  [220, 60],
] as const;

const LINES = [
  "/diff",
  "/diff session",
  "/model",
  "/members",
  "/sessions",
  "/settings",
  "/keys",
  "/queue later",
  "/permissions",
  "/view columns",
  "/view stack",
  "/view focus",
  "/view auto",
  "/raw",
  "/inbox",
  "/stats",
  "/search a",
  "/theme light",
  "/theme dark",
  "/help",
  "/rewind",
  "/copy",
  "/nonsense",
  "hello",
  "two words",
  "@ada go on",
];

/** Nothing here leaves the app or waits for another program. */
const KEYS = [
  ...Object.values(keys),
  ...["a", "b", "e", "f", "k", "l", "n", "o", "p", "r", "s", "t", "u", "w", "x", "y", "-"].map(ctrl),
  ...["a", "c", "d", "f", "i", "m", "o", "s", "y", "/", ".", ","].map(alt),
  "y",
  "s",
  "a",
  "n",
  "w",
  "v",
  "g",
  "h",
  "o",
  "r",
  "j",
  "k",
  "J",
  "K",
  "p",
  "q",
  "[",
  "]",
  "0",
  "1",
  "2",
  "3",
  "5",
  " ",
  "/",
  "@",
  "!",
  "?",
  "\\",
  "日",
  "🧭",
  "x",
];

const PASTES = [
  "two\nlines",
  "日本語 🧭 e\u0301 \u202e",
  "\u001b[2J\u001b]0;owned\u0007\u009b31m",
  "x".repeat(3_000),
  "many\n".repeat(60),
];

const VIEWS = ["columns", "stack", "focus"] as const;

/** Steps until another session is opened. */
const STEPS_OF_A_SESSION = 500;

export interface AppWalkOptions {
  readonly seed: number;
  readonly steps: number;
}

export async function walkApp({ seed, steps }: AppWalkOptions): Promise<void> {
  for (let done = 0; done < steps; done += STEPS_OF_A_SESSION)
    await walkSession(seed + done, Math.min(STEPS_OF_A_SESSION, steps - done));
}

async function walkSession(seed: number, steps: number): Promise<void> {
  const walk = await begin(seed);
  try {
    for (let step = 0; step < steps; step += 1) {
      walk.taken.push(takeStep(walk));
      await walk.opened.draw();
      expectScreen(walk);
    }
    await walk.opened.settle();
    expectScreen(walk);
    await walk.opened.close();
    expect(walk.opened.modes).toMatchObject(RESTORED);
  } catch (error) {
    const message = error instanceof Error ? error.stack : String(error);
    const screen = walk.opened.screen().join("\n");
    throw new Error(
      `seed ${seed}, ${walk.taken.length} steps (${walk.taken.slice(-12).join(", ")}):\n${screen}\n${message}`,
      { cause: error },
    );
  }
}

interface Walk {
  readonly opened: OpenApp;
  readonly random: () => number;
  readonly pick: <One>(list: readonly One[]) => One;
  /** What is still to happen in the session. */
  readonly events: SessionEvent[];
  readonly taken: string[];
  readonly time: { aheadMs: number };
  size: { columns: number; rows: number };
}

async function begin(seed: number): Promise<Walk> {
  const random = createRandom(seed);
  const pick = <One>(list: readonly One[]): One => list[Math.floor(random() * list.length)] as One;
  const events = sampleLog(seed, { steps: 250 });
  const first = Math.max(1, Math.floor(events.length * random() * 0.5));
  const size = { columns: 100, rows: 30 };
  const time = { aheadMs: 0 };
  const opened = await openApp({
    ...size,
    events: events.slice(0, first),
    now: events.at(-1)?.ts ?? 0,
    // A request takes keys only after a moment.
    monotonic: () => systemClock.monotonic() + time.aheadMs,
  });
  return { opened, random, pick, events: events.slice(first), taken: [], time, size };
}

function takeStep(walk: Walk): string {
  const { opened, random, pick } = walk;
  const dice = random();
  walk.time.aheadMs += 2_000;
  if (dice < 0.5) {
    const key = pick(KEYS);
    opened.type(key);
    return JSON.stringify(key);
  }
  if (dice < 0.58) {
    const line = pick(LINES);
    opened.type(ctrl("u"));
    for (const char of line) opened.type(char);
    opened.type(keys.enter);
    return line;
  }
  if (dice < 0.68) return resize(walk);
  if (dice < 0.86) return happen(walk);
  if (dice < 0.9) {
    const view = pick(VIEWS);
    opened.app.log.setView(view);
    return view;
  }
  if (dice < 0.93) {
    opened.type(`\u001b[200~${pick(PASTES)}\u001b[201~`);
    return "paste";
  }
  const [column, row] = [1 + Math.floor(random() * walk.size.columns), 1 + Math.floor(random() * walk.size.rows)];
  const button = pick([64, 65, 0]);
  opened.type(`\u001b[<${button};${column};${row}M`);
  if (button === 0) opened.type(`\u001b[<0;${column};${row}m`);
  return `mouse ${button} ${column},${row}`;
}

function resize(walk: Walk): string {
  const { random, pick } = walk;
  const [columns, rows] =
    random() < 0.7 ? pick(SIZES) : [10 + Math.floor(random() * 230), 4 + Math.floor(random() * 60)];
  walk.size = { columns, rows };
  walk.opened.resize(columns, rows);
  return `resize ${columns}x${rows}`;
}

/** The next few events of the session; nothing once it is over. */
function happen(walk: Walk): string {
  const next = walk.events.splice(0, 1 + Math.floor(walk.random() * 4));
  walk.opened.peer.play(next);
  return next.map(({ type }) => type).join("+") || "nothing";
}

// oxlint-disable-next-line no-control-regex -- none of them may be on the screen.
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
const JSON_OBJECT = /\{\s*"\w+"\s*:/;
const MISTAKES = /\bundefined\b|\bNaN\b|\[object |(?:Type|Range|Reference)Error/;
/** Views without a status line. */
const WHOLE_SCREEN = /^ (?:Sessions|Changes of)\b/;
/** Of a smaller screen the status line may be gone. */
const STATUS = { columns: 40, rows: 16 };

function expectScreen({ opened, size }: Walk): void {
  const rows = opened.screen();
  expect(rows.length).toBe(size.rows);
  const text = rows.join("\n");
  for (const row of rows) expect(row).not.toMatch(CONTROLS);
  expect(text).not.toMatch(JSON_OBJECT);
  expect(text).not.toMatch(MISTAKES);
  expect(opened.wrapped()).toEqual([]);
  const { column, row } = opened.cursor();
  expect(column).toBeLessThanOrEqual(size.columns);
  expect(row).toBeLessThan(size.rows);
  const isFull = WHOLE_SCREEN.test(rows[0] ?? "");
  if (!isFull && size.columns >= STATUS.columns && size.rows >= STATUS.rows) expect(text).toMatch(/read-only|can edit/);
}
