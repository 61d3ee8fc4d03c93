/** The moments of the design, as keys and events for the real app. */
import { systemClock } from "../../../src/kit/clock.ts";
import type { Arrangement } from "../../../src/tui/panels/panel.ts";
import { keys as KEYS } from "../key-bytes.ts";
import { openApp, type OpenApp } from "../open-app.ts";
import type { Part } from "./compare.ts";
import { changes, failures, oneWorks } from "./failures.ts";
import { commandRequest, deniedWithReason, editRequest, questions, toolRequest } from "./requests.ts";
import { six } from "./six.ts";
import {
  answered,
  CLAUDE_AT_100,
  CLAUDE_AT_40,
  CLAUDE_AT_80,
  earlierMessage,
  seated,
  SESSION_ID,
  streaming,
  type Story,
} from "./tidepool.ts";
import { finishedWork, liveWork } from "./work.ts";

export interface Moment {
  /** Of the design's sheet. */
  readonly name: string;
  readonly size: `${number}x${number}`;
  readonly story: () => Story;
  readonly view?: Arrangement;
  /** What is pressed, one after the other. */
  readonly keys?: readonly string[];
  /** The rows of a sheet with several moments, and what this one is called. */
  readonly part?: { readonly rows: Part; readonly moment: string };
  readonly isClean?: boolean;
}

const LIVE: Part = [5, [12, 15], [17, 19], [24, 28], 31, 37, 38, 40, [43, 46], [48, 53], 55];
const OPEN: Part = [[6, 10], 16, [20, 23], 29, [32, 36], 41];

export const MOMENTS: readonly Moment[] = [
  { name: "02-columns-160x50", size: "160x50", story: () => streaming() },
  { name: "02-columns-220x60", size: "220x60", story: () => streaming(earlierMessage(seated())) },
  { name: "02-columns-six-160x50", size: "160x50", story: six, isClean: true },
  { name: "03-narrow-100x30", size: "100x30", story: () => streaming(seated(), CLAUDE_AT_100), view: "focus" },
  { name: "03-narrow-80x24", size: "80x24", story: () => streaming(seated(), CLAUDE_AT_80), view: "focus" },
  { name: "03-narrow-40x12", size: "40x12", story: () => streaming(seated(), CLAUDE_AT_40), view: "focus" },
  { name: "04-done-160x50", size: "160x50", story: () => answered() },
  { name: "05-approval-command-120x40", size: "120x40", story: commandRequest, view: "focus" },
  { name: "05-approval-edit-120x40", size: "120x40", story: editRequest, view: "focus" },
  { name: "05-approval-command-40x12", size: "40x12", story: commandRequest, view: "focus" },
  { name: "05-approval-edit-40x12", size: "40x12", story: editRequest, view: "focus" },
  {
    name: "05-approval-question-120x26",
    size: "120x30",
    story: () => questions(20),
    keys: [KEYS.down, KEYS.down],
    part: { rows: [[1, 12]], moment: "first" },
  },
  {
    name: "05-approval-question-120x26",
    size: "120x30",
    story: () => questions(38),
    keys: ["3", " ", KEYS.down, " "],
    part: { rows: [[14, 23]], moment: "second" },
  },
  {
    name: "05-approval-question-120x26",
    size: "120x30",
    story: () => questions(40, { grace: "both", platforms: ["linux", "macos"] }),
    part: { rows: [26], moment: "afterwards" },
  },
  {
    name: "05-approval-tool-120x20",
    size: "120x24",
    story: toolRequest,
    part: { rows: [[1, 19]], moment: "asked" },
  },
  {
    name: "05-approval-why-120x14",
    size: "120x30",
    story: () => commandRequest().after(7),
    keys: ["w", "we use pnpm, and fast-check is in the workspace root already"],
    part: { rows: [[1, 9]], moment: "asked" },
  },
  {
    name: "05-approval-why-120x14",
    size: "120x40",
    story: deniedWithReason,
    keys: [KEYS.escape],
    part: { rows: [12, 13], moment: "afterwards" },
  },
  { name: "06-work", size: "120x90", story: liveWork, part: { rows: LIVE, moment: "live" } },
  {
    name: "06-work",
    size: "120x60",
    story: finishedWork,
    keys: [KEYS.tab, "o", KEYS.escape],
    part: { rows: OPEN, moment: "open" },
  },
  {
    name: "07-steering",
    size: "100x30",
    story: oneWorks,
    keys: ["also look at the tests for retry"],
    part: { rows: [[3, 10]], moment: "A" },
  },
  { name: "08-slash-100x30", size: "100x30", story: () => answered(), keys: ["/"] },
  { name: "08-keys-100x30", size: "100x30", story: () => answered(), keys: ["?"] },
  { name: "08-model-100x30", size: "100x30", story: () => answered(), keys: ["/model codex", KEYS.enter] },
  {
    name: "10-diff-120x40",
    size: "120x40",
    story: changes,
    keys: ["/diff codex", KEYS.enter],
    part: { rows: [[1, 12], 17, [20, 24]], moment: "changes" },
  },
  { name: "13-status", size: "120x40", story: () => answered(), part: { rows: [[2, 6]], moment: "idle" } },
  {
    name: "13-status",
    size: "120x40",
    story: () => streaming(),
    view: "columns",
    part: { rows: [[9, 13]], moment: "working" },
  },
  {
    name: "13-status",
    size: "120x40",
    story: () => answered(),
    view: "columns",
    keys: [KEYS.tab, KEYS.right],
    part: { rows: [[30, 34]], moment: "focus" },
  },
  { name: "12-failure-120x40", size: "120x40", story: failures, keys: [KEYS.tab] },
];

/** The session as somebody sees it who has asked the questions on this screen. */
export async function showMoment({
  size,
  story,
  view,
  keys = [],
  isClean = false,
}: Omit<Moment, "name" | "part">): Promise<OpenApp> {
  const [columns = 80, rows = 24] = size.split("x").map(Number);
  const { events, now } = story();
  // A request takes no key in the first moment; so much time has passed when keys are pressed.
  let waitedMs = 0;
  const begun = events.findIndex(({ type }) => type === "user_message");
  const opened = await openApp({
    columns,
    rows,
    events: events.slice(0, begun),
    now,
    monotonic: () => systemClock.monotonic() + waitedMs,
    sessionId: SESSION_ID,
    more: {
      env: { TERM: "xterm-256color", COLORTERM: "truecolor", HOME: "/home/ada" },
      describeDirectory: async () => ({ path: "~/tidepool", branch: "main", isDirty: !isClean }),
    },
  });
  if (view !== undefined) opened.app.log.setView(view);
  for (const key of ["Asked here.", KEYS.enter]) opened.type(key);
  await opened.settle();
  const said = events.slice(begun);
  // All members have begun before the first has answered.
  const running = said.findLastIndex((event) => event.type === "turn_start" && event.depth === 0) + 1;
  for (const part of [said.slice(0, running), said.slice(running)]) {
    opened.peer.play(part);
    await opened.settle();
  }
  waitedMs = 10_000;
  for (const key of keys) {
    opened.type(key);
    await opened.settle();
  }
  return opened;
}
