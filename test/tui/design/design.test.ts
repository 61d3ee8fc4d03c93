/** The screens of the design, drawn by the real app. */
import { onTestFinished, test } from "vitest";
import type { Arrangement } from "../../../src/tui/panels/panel.ts";
import { keys as KEYS } from "../key-bytes.ts";
import { openApp, type OpenApp } from "../open-app.ts";
import { expectDesign, expectDesignPart, type Part } from "./compare.ts";
import { failures, oneWorks } from "./moments.ts";
import { commandRequest, editRequest } from "./requests.ts";
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

interface Moment {
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

const MOMENTS: readonly Moment[] = [
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
  { name: "06-work", size: "120x90", story: liveWork, part: { rows: LIVE, moment: "live" } },
  {
    name: "06-work",
    size: "120x60",
    story: finishedWork,
    keys: [KEYS.tab, "o", KEYS.escape],
    part: { rows: OPEN, moment: "open" },
  },
  { name: "07-steering", size: "100x30", story: oneWorks, part: { rows: [[3, 10]], moment: "A" } },
  { name: "08-slash-100x30", size: "100x30", story: () => answered(), keys: ["/"] },
  { name: "08-keys-100x30", size: "100x30", story: () => answered(), keys: ["?"] },
  { name: "08-model-100x30", size: "100x30", story: () => answered(), keys: ["/model codex", KEYS.enter] },
  { name: "12-failure-120x40", size: "120x40", story: failures, keys: [KEYS.tab] },
];

const labelled = MOMENTS.map((moment) => ({ moment, label: `${moment.name} ${moment.part?.moment ?? ""}`.trim() }));

test.each(labelled)("$label", async ({ moment: { name, part, ...moment } }) => {
  const opened = await show(moment);
  if (part === undefined) expectDesign(opened.screen(), name);
  else expectDesignPart(opened.screen(), name, part.rows, part.moment);
});

/** The session as somebody sees it who has asked the questions on this screen. */
async function show({
  size,
  story,
  view,
  keys = [],
  isClean = false,
}: Omit<Moment, "name" | "part">): Promise<OpenApp> {
  const [columns = 80, rows = 24] = size.split("x").map(Number);
  const { events, now } = story();
  const begun = events.findIndex(({ type }) => type === "user_message");
  const opened = await openApp({
    columns,
    rows,
    events: events.slice(0, begun),
    now,
    sessionId: SESSION_ID,
    more: { describeDirectory: async () => ({ path: "~/tidepool", branch: "main", isDirty: !isClean }) },
  });
  onTestFinished(() => opened.close());
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
  for (const key of keys) {
    opened.type(key);
    await opened.settle();
  }
  return opened;
}
