import { stripVTControlCharacters } from "node:util";
import { visibleWidth } from "@earendil-works/pi-tui";
import { expect, test } from "vitest";
import { created, ended, joined, said, SETTINGS, started } from "../../../../test/generate/drafts.ts";
import { stamped, START_TS } from "../../../../test/generate/stamped.ts";
import { plainTheme as theme } from "../../../../test/tui/plain-theme.ts";
import { disallowedControls } from "../../../../test/tui/row-checks.ts";
import type { EventDraft } from "../../../protocol/index.ts";
import { createTheme } from "../../theme/create-theme.ts";
import { empty, fold, type Transcript } from "../../../transcript/index.ts";
import { createManualClock } from "../../../../test/host/manual-clock.ts";
import { headerRows, type HeaderFacts } from "./header.ts";
import { Notes } from "./notes.ts";
import { queueRows, widgetRows, workingRow } from "./chrome-rows.ts";
import { statusRow } from "./status-bar.ts";

const begun = created({ settings: { ...SETTINGS, writable: false } });
const play = (...drafts: EventDraft[]): Transcript =>
  fold(empty("session"), stamped([begun, joined("claude"), joined("codex"), ...drafts]));
const header = (facts: HeaderFacts, width: number) => headerRows(facts, width).map(stripVTControlCharacters);
const online = { state: "online", attempt: 0, nextInMs: 0, reason: "" } as const;
const usage = { inputTokens: 1_234, outputTokens: 500, costUsd: 0.04 };
const context: EventDraft = { type: "context_update", member: "claude", used: 12_000, window: 200_000, measured: true };

test("the header shows the title and every member with a glyph; when narrow it drops states before names, the title last", () => {
  const transcript = play(
    { type: "session_renamed", title: "Fix the login" },
    { type: "member_muted", member: "codex" },
  );
  const facts = { transcript, newMembers: [], theme };
  expect(header(facts, 60)).toEqual(
    [" Fix the login                      ○ claude  ⊘ codex muted", "─".repeat(60)].map((row) => row.trimEnd()),
  );
  expect(header(facts, 38)[0]).toBe(" Fix the login      ○ claude  ⊘ codex");
  expect(header(facts, 20)[0]).toBe(" Fix the login");
  expect(header(facts, 10)[0]).toBe(" Fix the …");
});

test("a session that does not exist yet shows its members", () => {
  expect(header({ transcript: undefined, newMembers: ["scout", "critic"], theme }, 50)[0]).toContain(
    "○ scout  ○ critic",
  );
});

test("the status row has what was used on the left and the place on the right, and drops fields in order", () => {
  const transcript = play(started("t1", "claude"), context, { ...ended("t1", "claude"), usage });
  const facts = { transcript, connection: online, hostLabel: "hosted here", theme };
  expect(statusRow(facts, 90)).toContain("ctx 12k/200k (6%) · turn 1 · ↑1.2k ↓500 · $0.04");
  expect(statusRow(facts, 90)).toContain("hosted here");
  for (const width of [20, 30, 40, 60, 90, 200])
    expect(visibleWidth(statusRow(facts, width))).toBeLessThanOrEqual(width);
  expect(statusRow(facts, 40).trim()).toContain("ctx 12k/200k (6%)");
  expect(statusRow(facts, 40)).not.toContain("hosted here");
});

test("the status row says as text where members may write, and drops everything else first", () => {
  const writable: EventDraft = { type: "settings_changed", settings: { writable: true } };
  const facts = { transcript: play(context, writable), connection: online, hostLabel: "hosted here", theme };
  const row = (more: object, width = 90) => stripVTControlCharacters(statusRow({ ...facts, ...more }, width)).trim();
  expect(row({})).toMatch(/^ctx 12k\/200k \(6%\) +✎ writable · .* · hosted here$/);
  expect(row({}, 14)).toBe("✎ writable");
  const coloured = createTheme({ name: "dark", depth: "truecolor" });
  expect(statusRow({ ...facts, theme: coloured }, 90)).toContain(coloured.paint("ask", "✎ writable"));
  expect(row({ transcript: play(context) })).not.toContain("writable");
  expect(row({ transcript: undefined })).toBe("hosted here");
  expect(row({ transcript: undefined, isNewWritable: true })).toBe("✎ writable · hosted here");
});

test("the status row says the round of how many and who is next; without room for both, who is next goes first", () => {
  const names = ["claude", "codex"];
  const answered = names.flatMap((member): EventDraft[] => [
    started(`t${member}`, member, { rootMessageId: "m1", round: 1 }),
    ended(`t${member}`, member),
    { type: "message_delivery", messageId: "m1", member, state: "answered" },
  ]);
  const opened = [said("m1", names, { toAll: true }), ...answered];
  const row = (drafts: EventDraft[], width: number) =>
    statusRow({ transcript: play(...drafts), connection: online, hostLabel: "", theme }, width).trim();
  const second = [...opened, started("t2", "claude", { rootMessageId: "m1", round: 2, cause: "round" })];
  expect(row(second, 90)).toMatch(/^turn 2 · round 2 of 4 · codex is next {2,}/);
  expect(row(second, 30)).toMatch(/^round 2 of 4 · codex is next$/);
  expect(row(second, 24)).toBe("round 2 of 4");
  const paused: EventDraft = { type: "council_paused", why: "limit", limit: "turns", message: "x" };
  expect(row([...opened, paused], 90)).toContain("round 1 of 4 · paused");
  const rounds: EventDraft = { type: "council_resumed", rootMessageId: "m1", rounds: 6 };
  expect(row([...opened, paused, rounds], 90)).toContain("round 1 of 6 · claude is next");
  expect(row([said("m1", ["claude"], { toAll: true })], 90)).not.toContain("round");
});

test("a lost connection is said in the status row with when the next try is", () => {
  const connection = { state: "offline", attempt: 2, nextInMs: 3_400, reason: "the server is gone" } as const;
  expect(statusRow({ transcript: undefined, connection, hostLabel: "", theme }, 120)).toBe(
    " ⚠ offline (the server is gone) · try 3 in 4 s · what you send is kept",
  );
});

test("the row above the input shows who works and for how long, key hints when nobody does, and what waits", () => {
  const idle = { theme, now: START_TS, unseen: 0, requestsWaiting: 0 };
  expect(workingRow({ ...idle, transcript: play() }, 90)).toContain(
    "Enter send · Shift+Enter newline · @ member or file",
  );
  expect(workingRow({ ...idle, transcript: play() }, 90)).not.toContain("Esc");
  const transcript = play(started("t1", "claude"), started("t2", "codex"));
  const running = workingRow({ ...idle, transcript, now: START_TS + 16_000 }, 90);
  expect(running).toContain("claude, codex working · 12s · Esc interrupts");
  expect(workingRow({ ...idle, transcript: play(), unseen: 3, requestsWaiting: 2 }, 120)).toMatch(
    /↓ 3 new.*\? 2 waiting for you/,
  );
});

test("lines that are shown at the first start are broken where they do not fit, below their second column", () => {
  const notes = new Notes(createManualClock(), () => {});
  notes.showLines([
    "roundtable: first start.",
    "  found      no agent program, no API key",
    "             and no model server",
  ]);
  expect(notes.rows(theme, 60)).toEqual([
    " roundtable: first start.",
    "   found      no agent program, no API key",
    "              and no model server",
  ]);
  expect(notes.rows(theme, 34).map((row) => row.trimEnd())).toEqual([
    " roundtable: first start.",
    "   found      no agent program,",
    "              no API key",
    "              and no model server",
  ]);
  for (const width of [1, 8, 20, 33])
    for (const row of notes.rows(theme, width)) expect(row.length).toBeLessThanOrEqual(Math.max(3, width));
});

test("an agent's own status replaces the text of the working row, sanitised", () => {
  const transcript = play(started("t1", "claude"), { type: "ui_working", message: "Reading\u001b]0;x\u0007\nfiles" });
  expect(workingRow({ transcript, theme, now: START_TS, unseen: 0, requestsWaiting: 0 }, 90)).toContain(
    "Reading files ·",
  );
});

test("the queue is visible above the input, at most three rows of it, and says how to change it", () => {
  const items = ["one", "two", "three", "four\u001b[2J"].map((text, index) => ({
    messageId: `m${index}`,
    text,
    to: ["all"],
    attachments: [],
    ts: 0,
  }));
  const rows = queueRows(play(started("t1", "claude"), { type: "queue_updated", items }).head, theme);
  expect(rows).toEqual([
    " 1. queued → all: one",
    " 2. queued → all: two",
    " 3. queued → all: three",
    " Alt+Up puts the last one back into the box · /queue edits · 1 more",
  ]);
  expect(queueRows(play().head, theme)).toEqual([]);
});

test("names, modes and models of an untrusted log send no control bytes in the rows around the input", () => {
  const bad = "b\u001b[2Jad\u0007\u202e";
  const transcript = play(
    { type: "settings_changed", settings: { ...SETTINGS, mode: bad as "broadcast" } },
    { type: "queue_updated", items: [{ messageId: "m", text: "t", to: [bad], attachments: [], ts: 0 }] },
    { type: "ui_status", member: "claude", key: "k", text: bad },
    { type: "session_renamed", title: bad.repeat(100_000) },
  );
  const facts = { transcript, newMembers: [], theme, connection: online, hostLabel: "here" };
  const rows = [...queueRows(transcript.head, theme), statusRow(facts, 60), ...headerRows(facts, 60)];
  expect(rows.flatMap(disallowedControls)).toEqual([]);
  expect(rows[0]).toBe(" 1. queued → bad^G⟨U+202E⟩: t");
  expect(rows.at(-3)).toContain("bad^G⟨U+202E⟩ · here");
});

test("widgets stand above the input unless they ask for below it, and never take more than six rows", () => {
  const widget = (key: string, content: string | string[], opts = {}): EventDraft => ({
    type: "ui_widget",
    key,
    content,
    opts,
  });
  const { head } = play(widget("a", "above\u001b[31m"), widget("b", ["below"], { placement: "belowEditor" }));
  expect(widgetRows(head, "above", theme)).toEqual([" above"]);
  expect(widgetRows(head, "below", theme)).toEqual([" below"]);
  const long = play(
    widget(
      "c",
      Array.from({ length: 20 }, (_, row) => `row ${row}`),
    ),
  ).head;
  expect(widgetRows(long, "above", theme)).toEqual([
    " row 0",
    " row 1",
    " row 2",
    " row 3",
    " row 4",
    " … 15 more rows",
  ]);
});
