/**
 * Random walks of a log: messages come, grow, end and are retried, pages come and go, while the user scrolls, opens
 * blocks, selects, searches and resizes. After every step the screen must be that of a fresh view at the same place;
 * scrolled up, a step that changes nothing in view must move nothing.
 */
import { expect } from "vitest";
import { type Transcript, turnById } from "../../src/transcript/index.ts";
import { LogScene, withoutPages } from "./log-scene.ts";
import { openLog, type OpenLog } from "./open-log.ts";
import { createPanel } from "../../src/tui/panels/create-panel.ts";
import { createWaitingRows } from "../../src/tui/panels/waiting-rows.ts";
import { plainLogDeps, type PlainLogDeps } from "./plain-panel.ts";
import { ended, started } from "../generate/drafts.ts";

interface Walk {
  readonly scene: LogScene;
  readonly log: OpenLog;
  readonly panels: WalkOptions["panels"];
  readonly pick: (count: number) => number;
  /** Pages that had to be fetched and were; those from `fetchedBelow` on never left memory. */
  readonly loaded: Set<number>;
  readonly fetchedBelow: number;
  /** The turn that has the focus, or had it last: in the view of one in full it stays that one. */
  inFull: string | undefined;
  hasFocus: boolean;
  isWide: boolean;
  /** The focus has just moved. */
  hasMoved: boolean;
  /** Whether the focused turn had something to open. */
  hasOpened: boolean;
}

interface Step {
  readonly name: string;
  readonly weight: number;
  /** True when the step changes what the log shows, not where it is: then rows in view must stay. */
  readonly isFromOutside: boolean;
  /** Returns the positions that changed; undefined when anything may have. */
  run(walk: Walk): readonly number[] | undefined;
}

const text = (walk: Walk): string =>
  Array.from(
    { length: walk.pick(7) },
    (_, row) => `${"word ".repeat(walk.pick(12))}${row % 3 === 0 ? "[fold]" : ""}`,
  ).join("\n");

const STEPS: readonly Step[] = [
  fromOutside("user", 4, (walk) => {
    walk.scene.user(text(walk));
    return [];
  }),
  fromOutside("answer", 3, (walk) => {
    const live = livePositions(walk);
    walk.scene.answer(text(walk));
    return live;
  }),
  fromOutside("start", 2, (walk) => {
    const live = livePositions(walk);
    if (live.length < 4) walk.scene.start(["ann", "bob", "cleo"][walk.pick(3)]);
    return [...live, ...livePositions(walk)];
  }),
  fromOutside("delta", 10, (walk) => {
    const turn = openTurn(walk);
    if (turn !== undefined) walk.scene.delta(turn.turnId, `${text(walk)}\n`);
    return turn === undefined ? [] : [turn.position];
  }),
  fromOutside("end", 2, (walk) => {
    const live = livePositions(walk);
    const turn = openTurn(walk);
    if (turn !== undefined) walk.scene.end(turn.turnId);
    return live;
  }),
  fromOutside("retry", 1, (walk) => {
    const { head, live } = walk.scene.transcript;
    const last = live.at(-1)?.messages.at(-1);
    if (last?.kind !== "turn" || last.end === undefined) return [];
    walk.scene.add(started(`${last.turnId}+`, last.member, { cause: "retry", replaces: last.turnId }));
    return [last.position, ...Object.values(head.openTurns).map((turn) => turn.position)];
  }),
  fromOutside("page comes", 3, (walk) => {
    const page = walk.log.asked.find((asked) => !walk.loaded.has(asked));
    if (page !== undefined) walk.loaded.add(page);
    return page === undefined ? [] : Array.from({ length: 128 }, (_, at) => page * 128 + at);
  }),
  byUser("page up", 5, ({ log }) => log.log.pageUp()),
  byUser("page down", 4, ({ log }) => log.log.pageDown()),
  byUser("rows", 6, ({ log, pick }) => log.log.scrollBy(pick(40) - 20)),
  byUser("wheel", 4, ({ log, pick }) => log.screen.terminal.wheel(pick(2) === 0 ? "up" : "down", 2, 2)),
  byUser("start", 1, ({ log }) => log.log.toStart()),
  byUser("end", 1, ({ log }) => log.log.toEnd()),
  byUser("jump", 2, ({ log, pick }) => log.log.jumpToUser(pick(2) === 0 ? "previous" : "next")),
  byUser("click", 4, ({ log, pick }) => log.screen.terminal.click(4 + pick(20), pick(log.screen.terminal.rows - 1))),
  byUser("select", 2, ({ log, pick }) => log.log.select(pick(2) === 0 ? "previous" : "next")),
  byUser("toggle selected", 1, ({ log }) => log.log.toggleSelected()),
  byUser("unselect", 1, ({ log }) => log.log.clearSelection()),
  byUser("resize", 3, ({ log, pick }) => log.screen.terminal.resize(20 + pick(60), 6 + pick(40))),
  byUser("input grows", 2, ({ log, pick }) => log.setInputRows(1 + pick(4))),
];

/** One after another they become one line; only real panels draw it. */
const QUIET: Step = fromOutside("quiet", 6, ({ scene, pick }) => {
  const [turnId, member] = [`quiet-${scene.transcript.head.seq}`, ["ann", "bob"][pick(2)] ?? "ann"];
  const text = pick(4) === 0 ? "Line 7 is not safe." : "Nothing to add.";
  scene.add(
    started(turnId, member, { cause: "round", round: 2, rootMessageId: "m1" }),
    { type: "text_done", turnId, member, segmentId: turnId, text },
    ended(turnId, member),
  );
  return [];
});

const OPENING = new Set(["click", "select", "toggle selected"]);

/** What only real panels have: turns side by side, the focus, columns that scroll alone. */
const SIDE_BY_SIDE: readonly Step[] = [
  fromOutside("beside", 4, (walk) => {
    const live = livePositions(walk);
    const members = ["ann", "bob", "cleo", "dan"].slice(0, 2 + walk.pick(3));
    if (live.length === 0) for (const member of members) walk.scene.start(member);
    return [...live, ...livePositions(walk)];
  }),
  byUser("view", 3, ({ log, pick }) =>
    log.log.setView((["auto", "columns", "stack", "focus"] as const)[pick(4)] ?? "auto"),
  ),
  byUser("wide", 3, ({ log, pick }) => log.screen.terminal.resize(90 + pick(140), 8 + pick(50))),
  byUser("focus", 3, (walk) => {
    walk.hasMoved = walk.log.log.moveFocus(walk.pick(2) === 0 ? "previous" : "next");
    walk.hasFocus ||= walk.hasMoved;
  }),
  byUser("widen", 2, (walk) => {
    if (walk.log.log.widenFocused()) walk.isWide = !walk.isWide;
  }),
  byUser("scroll column", 3, ({ log, pick }) => void log.log.scrollFocused(pick(20) - 10)),
  byUser("open work", 1, (walk) => {
    const { log } = walk.log;
    // What is left out of a turn that grows is shown for good.
    walk.hasOpened = log.focused?.end !== undefined && log.toggleFocused();
  }),
  byUser("unfocus", 4, (walk) => {
    walk.log.log.clearFocus();
    walk.hasFocus = walk.isWide = false;
  }),
  byUser("answer", 2, ({ log, pick }) => log.log.jumpToAnswer(pick(2) === 0 ? "previous" : "next")),
];

/** More turns are never in view. */
const FOCUSABLE_MAX = 100;

export interface WalkOptions {
  readonly steps: number;
  /** Real panels keep what was opened to themselves, so nothing is opened in them. */
  readonly panels: "plain" | "real";
  /** Messages that are there when it begins; some hundreds when absent. */
  readonly begun?: number;
}

export async function walkLog(seed: number, { steps, panels, begun }: WalkOptions): Promise<void> {
  const random = mulberry32(seed);
  const pick = (count: number) => Math.floor(random() * count);
  const scene = new LogScene();
  const count = begun ?? 150 + pick(500);
  for (let made = 0; made < count; made += 1) scene.user(`begin ${made} ${"x ".repeat(pick(60))}`);
  const log = openLog(
    withoutPages(scene.transcript, () => false),
    { columns: 50, rows: 24, ...(panels === "real" && { deps: realLogDeps() }) },
  );
  // Two clicks on a word in quick succession would be a double click, which copies the word and says so.
  log.screen.tui.setCopyOnSelect(false);
  const fetchedBelow = scene.transcript.frozen.length;
  const choices = { inFull: undefined, hasFocus: false, isWide: false, hasMoved: false, hasOpened: false };
  const walk: Walk = { scene, log, panels, pick, loaded: new Set(), fetchedBelow, ...choices };
  try {
    for (let step = 0; step < steps; step += 1) await takeStep(walk, `seed ${seed}, step ${step}`);
  } finally {
    log.close();
  }
}

async function takeStep(walk: Walk, where: string): Promise<void> {
  const { log } = walk;
  const chosen = choose(walk);
  const before = await log.rows();
  const inView = new Set(await log.positions());
  const wasFollowing = log.log.isFollowing;
  const changed = chosen.run(walk);
  log.show(shownNow(walk));
  const after = await log.rows();
  const isOutside = chosen.isFromOutside && changed !== undefined && changed.every((position) => !inView.has(position));
  const isMissing = before.some((row) => row.startsWith("⋯"));
  if (isOutside && !wasFollowing && !isMissing && walk.panels === "plain") {
    // Blank rows at the end stand in for what became shorter; what comes takes their place.
    const shown = withoutBlankEnd(before);
    expect(after.slice(0, shown.length), `${where}: ${chosen.name} moved the view`).toEqual(shown);
  }
  if (walk.hasOpened) expect(log.log.toggleFocused(), `${where}: what was opened is closed`).toBe(true);
  if (walk.hasMoved) {
    expect(log.log.focused, `${where}: what has the focus is in view`).toBeDefined();
    walk.inFull = log.log.focused?.turnId;
  }
  walk.hasOpened = walk.hasMoved = false;
  // Columns away from their ends are the user's: a fresh view has none.
  if (log.log.hasScrolledColumns) return;
  await expectFresh(walk, await log.rows(), `${where}: ${chosen.name}`);
}

/** A view that never saw anything else must look the same. */
async function expectFresh(walk: Walk, rows: readonly string[], where: string): Promise<void> {
  const { log } = walk;
  const { terminal } = log.screen;
  const fresh = openLog(shownNow(walk), {
    columns: terminal.columns,
    rows: terminal.rows,
    deps: walk.panels === "plain" ? plainLogDeps(log.deps.opened) : realLogDeps(),
    inputRows: terminal.rows - rows.length,
  });
  try {
    await chooseSame(walk, fresh, shownNow(walk));
    fresh.log.setView(log.log.view.chosen);
    await fresh.rows();
    fresh.log.goTo(log.log.position);
    const own = rows.map((row) => row.replace("|>", "|"));
    const expected = await fresh.rows();
    const isSame = own.every((row, at) => row === expected[at]);
    if (!isSame && log.log.position !== undefined && own.at(-1) === "") {
      // Blank rows stand in for what became shorter below; a fresh view goes to the end instead.
      const [shown, all] = [withoutBlankEnd(own), withoutBlankEnd(expected)];
      expect(all.slice(Math.max(0, all.length - shown.length)), where).toEqual(shown);
    } else expect(own, where).toEqual(expected);
  } finally {
    fresh.close();
  }
}

/** What was chosen with the focus, which is nowhere in the state: below each other, every turn can be reached. */
async function chooseSame({ inFull, hasFocus, isWide }: Walk, fresh: OpenLog, now: Transcript): Promise<void> {
  const { log } = fresh;
  const turn = inFull === undefined ? undefined : turnById(now, inFull);
  if (turn === undefined) return;
  log.setView("stack");
  await fresh.rows();
  log.goTo({ key: turn.position, offset: 0 });
  await fresh.rows();
  for (let left = FOCUSABLE_MAX; left > 0 && log.focused?.turnId !== inFull; left -= 1) log.moveFocus("next");
  if (!hasFocus) log.clearFocus();
  else if (isWide) log.widenFocused();
}

/** A real panel ends with a blank row of its own. */
function withoutBlankEnd(rows: readonly string[]): readonly string[] {
  return rows.slice(0, rows.findLastIndex((row) => row !== "") + 1);
}

function realLogDeps(): PlainLogDeps {
  return { ...plainLogDeps(), createPanel, waitingRows: createWaitingRows() };
}

function shownNow({ scene, loaded, fetchedBelow }: Walk): Transcript {
  return withoutPages(scene.transcript, (page) => page >= fetchedBelow || loaded.has(page));
}

function openTurn({ scene, pick }: Walk): { turnId: string; position: number } | undefined {
  const open = Object.values(scene.transcript.head.openTurns);
  return open[pick(open.length)];
}

function livePositions({ scene }: Walk): number[] {
  return Object.values(scene.transcript.head.openTurns).map((turn) => turn.position);
}

function fromOutside(name: string, weight: number, run: (walk: Walk) => readonly number[]): Step {
  return { name, weight, isFromOutside: true, run };
}

function byUser(name: string, weight: number, run: (walk: Walk) => void): Step {
  return {
    name,
    weight,
    isFromOutside: false,
    run(walk) {
      run(walk);
      return undefined;
    },
  };
}

function choose({ pick, panels }: Walk): Step {
  const possible =
    panels === "plain" ? STEPS : [...STEPS.filter(({ name }) => !OPENING.has(name)), QUIET, ...SIDE_BY_SIDE];
  let left = pick(possible.reduce((sum, step) => sum + step.weight, 0));
  return possible.find((step) => (left -= step.weight) < 0)!;
}

function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
