import { expect, onTestFinished, test } from "vitest";
import { created, joined, said, started } from "../../../../test/generate/drafts.ts";
import { stamped, START_TS } from "../../../../test/generate/stamped.ts";
import { createManualClock } from "../../../../test/host/manual-clock.ts";
import { KEY, showOverlay } from "../../../../test/tui/shown-overlay.ts";
import type { EventDraft, SessionSummary } from "../../../protocol/index.ts";
import { empty, fold } from "../../../transcript/index.ts";
import { createSessionCentre } from "./session-centre.ts";

const ASKED: EventDraft = {
  type: "ui_request",
  requestId: "r1",
  member: "ada",
  request: {
    method: "approval",
    title: "",
    tool: "shell",
    call: JSON.stringify({ args: { command: "npm test" } }),
    callHash: "hash",
    options: [
      { value: "allow", label: "Allow once" },
      { value: "deny", label: "Deny" },
    ],
  },
  timeoutMs: 300_000,
  default: false,
};
const waiting = fold(
  empty("s1"),
  stamped([created(), joined("ada"), said("m1", ["ada"]), started("t1", "ada", { messageIds: ["m1"] }), ASKED]),
);

function summary(sessionId: string, title: string, more: Partial<SessionSummary> = {}): SessionSummary {
  const { cwd = "/projects/tidepool", updatedTs = START_TS - 3_600_000 } = more;
  const counts = { messages: 1, turns: 1, createdTs: 0, archived: false, status: "idle" as const, seq: 1 };
  return { ...counts, sessionId, title, members: ["ada"], ...more, cwd, updatedTs };
}

const SESSIONS = [
  summary("s3", "Ready one"),
  summary("s2", "Busy one", { status: "running", cwd: "/projects/harbour" }),
  summary("s1", "Asking one", { waiting: 1, status: "running" }),
  summary("s4", "Old one", { archived: true }),
];

function open(columns = 120, sessions = SESSIONS) {
  const log: unknown[] = [];
  const clock = createManualClock();
  const shown = showOverlay(
    (surface) =>
      createSessionCentre(Object.assign(Object.create(surface), { home: "/projects" }), {
        sessions,
        clock: { ...clock, now: () => START_TS, monotonic: () => clock.monotonic() },
        cwd: "/projects/tidepool",
        load: async () => sessions,
        readSession: async (sessionId) => (sessionId === "s1" ? waiting : empty(sessionId)),
        answer: async (...given) => void log.push(["answer", ...given]),
        archive: async (...given) => void log.push(["archive", ...given]),
        onPick: (sessionId) => log.push(["pick", sessionId]),
        onClose: () => log.push("closed"),
      }),
    { columns, rows: 34 },
  );
  onTestFinished(() => {
    shown.overlay.stop();
    shown.close();
  });
  return { ...shown, log, clock };
}

test("o sorts by start instead of by last change", async () => {
  const centre = open(120, [
    summary("s5", "Begun late", { createdTs: START_TS - 60_000, updatedTs: START_TS - 7_200_000 }),
    summary("s6", "Changed late", { createdTs: START_TS - 86_400_000, updatedTs: START_TS - 3_600_000 }),
  ]);
  expect(await centre.text()).toMatch(/Changed late +1 h [^]*Begun late +2 h [^]*o last started first/);
  centre.press("o");
  expect(await centre.text()).toMatch(/Begun late +1 min [^]*Changed late +yesterday [^]*o last changed first/);
});

test("sessions stand by what they need, with counts; the first that needs you is shown with its request", async () => {
  const centre = open();
  await centre.text();
  expect(await centre.text()).toMatchInlineSnapshot(`
    " Sessions                                                                          all folders · Ctrl+A only ~/tidepool

      Needs you 1    Working 1    Ready 1    Archived 1                                 / search titles and everything said
    ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
     ❯ Asking one                                       5:05 left │ Asking one
       ◆ ada asks to use shell npm test                           │ No answer yet
       ~/tidepool · 1 request                                     │
                                                                  │─ ◆ ada asks to use shell ────────────── denied in 5:05 ─
    ─ Working ──────────────────────────────────────────────── 1 ─│
       Busy one                                               1 h │ args.command  npm test
       ⠋ ada working                                              │
       ~/harbour                                                  │ ❯ y  Allow once
                                                                  │   n  Deny
    ─ Ready ────────────────────────────────────────────────── 1 ─│   w  Deny and say why …
       Ready one                                              1 h │
                                                                  │
                                                                  │
                                                                  │
                                                                  │
                                                                  │
                                                                  │
                                                                  │
                                                                  │
                                                                  │
                                                                  │
                                                                  │
                                                                  │
                                                                  │
                                                                  │
                                                                  │
                                                                  │
    ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
     3 open sessions in 2 folders
     Enter open · y s a n w answer here · Tab next section · / search · Ctrl+N new · Ctrl+X archive · Esc back"
  `);
});

test("y answers what could be read, w sends a reason, and nothing is answered before that", async () => {
  const centre = open();
  await centre.text();
  await centre.text();
  centre.press("y");
  expect(centre.log).toEqual([]);
  centre.clock.advance(1_000);
  centre.press("y");
  expect(centre.log).toEqual([["answer", "s1", "r1", { result: "allow", reason: undefined }]]);
  await centre.text();
  centre.clock.advance(1_000);
  centre.press("w");
  centre.write("say why");
  centre.press(KEY.enter);
  expect(centre.log.slice(1)).toEqual([["answer", "s1", "r1", { result: "deny", reason: "say why" }]]);
});

test("Enter opens, Tab goes to the next section, / searches, Ctrl+A keeps to the folder, Ctrl+N begins, Ctrl+X archives", async () => {
  const centre = open();
  centre.press(KEY.enter, KEY.tab, KEY.enter, KEY.tab, KEY.enter, KEY.tab, KEY.enter);
  centre.press("\u0018", KEY.ctrlN, "/");
  centre.write("busy");
  expect(await centre.text()).toMatch(/Needs you 0 +Working 1 +Ready 0/);
  centre.press(KEY.enter, KEY.escape, "\u0001");
  expect(await centre.text()).toMatch(
    /Needs you 1 +Working 0 +Ready 1[^]*only ~\/tidepool|only ~\/tidepool[^]*Working 0/,
  );
  centre.press(KEY.escape);
  expect(centre.log).toEqual([
    ["pick", "s1"],
    ["pick", "s2"],
    ["pick", "s3"],
    ["pick", "s4"],
    ["archive", "s4", false],
    ["pick", undefined],
    ["pick", "s2"],
    "closed",
  ]);
});
