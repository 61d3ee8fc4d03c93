/** The moments of the design, as keys and events for the real app. */
import { systemClock } from "../../../src/kit/clock.ts";
import type { Json } from "../../../src/protocol/index.ts";
import type { Arrangement } from "../../../src/tui/panels/panel.ts";
import { held, keys as KEYS } from "../key-bytes.ts";
import { openApp, type OpenApp } from "../open-app.ts";
import type { Part } from "./compare.ts";
import { changes, failures } from "./failures.ts";
import { commandRequest, deniedWithReason, editRequest, questions, toolRequest } from "./requests.ts";
import { asking, BRANCHES, SESSIONS, TRANSCRIPTS } from "./sessions.ts";
import { six } from "./six.ts";
import { askedWhileTyping, readAgain, shortOfEverything, twoAnswers, unguarded, withModels } from "./status.ts";
import { oneWorks, paused, startedElsewhere, steered, steeredTwo, stopped } from "./steering.ts";
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
  /** What is typed before anything happens. */
  readonly draft?: string;
  /** What is pressed, one after the other. */
  readonly keys?: readonly string[];
  /** What happens after that. */
  readonly after?: (story: Story) => Story;
  /** What wishes are answered with, by their type. */
  readonly results?: Readonly<Record<string, Json>>;
  /** Another screen has asked the question. */
  readonly isElsewhere?: boolean;
  /** The connection is lost in the end. */
  readonly isLost?: boolean;
  readonly branch?: string;
  /** Of the screen; 24-bit colours on a dark ground unless told. */
  readonly theme?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The sheet that has the tones, where it is another one. */
  readonly tones?: string;
  /** The rows of a sheet with several moments, and what this one is called. */
  readonly part?: { readonly rows: Part; readonly moment: string };
  readonly isClean?: boolean;
}

const LIVE: Part = [5, [12, 15], [17, 19], [24, 28], 31, 37, 38, 40, [43, 46], [48, 53], 55];
const OPEN: Part = [[6, 10], 16, [20, 23], 29, [32, 36], 41];

const DEPTHS = [
  ["light", { theme: "light", env: { TERM: "xterm-256color", COLORTERM: "truecolor" } }],
  ["256", { theme: "dark", env: { TERM: "xterm-256color" } }],
  ["16", { theme: "auto", env: { TERM: "xterm" } }],
  ["none", { theme: "auto", env: { TERM: "xterm-256color", NO_COLOR: "1" } }],
] as const;

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
  { name: "07-steering", size: "100x30", story: () => steered(), part: { rows: [[15, 24]], moment: "B" } },
  { name: "07-steering", size: "100x30", story: steeredTwo, part: { rows: [[29, 30]], moment: "C" } },
  {
    name: "07-steering",
    size: "100x30",
    story: () => steered("Retry keeps the lease, so its tests do not cover this. I will add"),
    keys: [KEYS.escape],
    results: { interrupt: { stopped: 1, members: ["codex"], othersRunning: 0, others: [] } },
    after: stopped,
    part: { rows: [[35, 44]], moment: "D" },
  },
  { name: "07-steering", size: "100x30", story: paused, part: { rows: [[49, 53]], moment: "E" } },
  {
    name: "07-steering",
    size: "100x30",
    story: startedElsewhere,
    isElsewhere: true,
    keys: [KEYS.escape],
    results: {
      interrupt: {
        stopped: 0,
        members: [],
        othersRunning: 1,
        others: [{ turnId: "codex-question", member: "codex", clientId: "another" }],
      },
    },
    part: { rows: [[58, 64]], moment: "F" },
  },
  { name: "08-slash-100x30", size: "100x30", story: () => answered(), keys: ["/"] },
  { name: "08-keys-100x30", size: "100x30", story: () => answered(), keys: ["?"] },
  {
    name: "08-model-100x30",
    size: "100x30",
    story: () => answered(withModels(seated())),
    keys: ["/model codex", KEYS.enter, KEYS.down, KEYS.down],
  },
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
  {
    name: "13-status",
    size: "120x40",
    story: askedWhileTyping,
    draft: "one more thing before",
    part: { rows: [[16, 20]], moment: "request" },
  },
  {
    name: "13-status",
    size: "120x40",
    story: readAgain,
    keys: [KEYS.pageUp, KEYS.pageUp],
    after: twoAnswers,
    part: { rows: [[23, 27]], moment: "scrolled" },
  },
  {
    name: "13-status",
    size: "120x40",
    story: unguarded,
    branch: "fix/lease",
    part: { rows: [[37, 41]], moment: "unguarded" },
  },
  { name: "13-status", size: "120x40", story: shortOfEverything, part: { rows: [[44, 48]], moment: "short" } },
  {
    name: "13-status",
    size: "80x24",
    story: () => streaming(),
    view: "focus",
    part: { rows: [[51, 55]], moment: "narrow" },
  },
  {
    name: "13-status",
    size: "120x40",
    story: () => seated(),
    isLost: true,
    part: { rows: [[58, 62]], moment: "lost" },
  },
  { name: "09-sessions-120x40", size: "120x40", story: asking, keys: [KEYS.escape, KEYS.escape, held("ctrl", "l")] },
  { name: "12-failure-120x40", size: "120x40", story: failures, keys: [KEYS.tab] },
  ...DEPTHS.map(([depth, { theme, env }]): Moment => ({
    name: `14-depth-${depth}-160x50`,
    size: "160x50",
    story: () => streaming(),
    tones: "02-columns-160x50",
    theme,
    env,
  })),
  ...DEPTHS.filter(([depth]) => depth !== "256").map(([depth, { theme, env }]): Moment => ({
    name: `14-depth-${depth}-edit-120x40`,
    size: "120x40",
    story: editRequest,
    view: "focus",
    tones: "05-approval-edit-120x40",
    theme,
    env,
  })),
];

type MomentSetting = Omit<Moment, "name" | "part" | "tones">;

/** The session as somebody sees it who has asked the questions on this screen. */
export async function showMoment(moment: MomentSetting): Promise<OpenApp> {
  const { view, draft = "", keys = [], after, isElsewhere = false, isLost = false } = moment;
  const story = moment.story();
  const { events } = story;
  const begun = events.findIndex(({ type }) => type === "user_message");
  const before = begun < 0 ? events : events.slice(0, begun);
  // A request takes no key in the first moment; so much time has passed when keys are pressed.
  let waitedMs = 0;
  const opened = await openMoment(moment, { story, before, waitedMs: () => waitedMs });
  if (view !== undefined) opened.app.log.setView(view);
  if (begun >= 0) {
    if (!isElsewhere) for (const key of ["Asked here.", KEYS.enter]) opened.type(key);
    if (draft !== "") opened.type(draft);
    await opened.settle();
    const said = events.slice(begun);
    // All members have begun before the first has answered.
    const running = said.findLastIndex((event) => event.type === "turn_start" && event.depth === 0) + 1;
    for (const part of [said.slice(0, running), said.slice(running)]) {
      opened.peer.play(part);
      await opened.settle();
    }
  }
  for (const key of keys) {
    waitedMs += 10_000;
    opened.type(key);
    await opened.settle();
  }
  const known = story.events.length;
  if (after !== undefined) opened.peer.play(after(story).events.slice(known));
  if (isLost) opened.peer.disconnect();
  await opened.settle();
  return opened;
}

interface MomentFacts {
  readonly story: Story;
  /** What was said before the screen was opened. */
  readonly before: Story["events"];
  readonly waitedMs: () => number;
}

async function openMoment(moment: MomentSetting, { story, before, waitedMs }: MomentFacts): Promise<OpenApp> {
  const { theme = "dark", env = { TERM: "xterm-256color", COLORTERM: "truecolor" } } = moment;
  const { size, results = {}, isClean = false, isLost = false, branch = "main" } = moment;
  const [columns = 80, rows = 24] = size.split("x").map(Number);
  const opened = await openApp({
    columns,
    rows,
    events: before,
    now: story.now,
    monotonic: () => systemClock.monotonic() + waitedMs(),
    sessionId: SESSION_ID,
    isLasting: isLost,
    more: {
      theme,
      env: { ...env, HOME: "/home/ada" },
      describeDirectory: async (cwd = "") => ({
        path: "~/tidepool",
        branch: cwd === "" || cwd.endsWith("tidepool") ? branch : (BRANCHES[cwd.split("/").at(-1) ?? ""] ?? branch),
        isDirty: !isClean,
      }),
    },
  });
  for (const [type, result] of Object.entries(results)) opened.peer.results.set(type, result);
  opened.peer.sessions = SESSIONS;
  for (const [id, transcript] of TRANSCRIPTS) if (id !== SESSION_ID) opened.peer.others.set(id, transcript);
  return opened;
}
