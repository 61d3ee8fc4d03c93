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
import { Notes } from "./notes.ts";
import { createKeymap } from "../../keys/keymap.ts";
import { Addressing } from "../session/addressing.ts";
import { boxRule } from "./box-rule.ts";
import { queueRows, widgetRows } from "./chrome-rows.ts";
import { hintRow } from "./hints.ts";
import { statusRow } from "./status-bar.ts";
import { titleRow } from "./title-row.ts";

const begun = created({ settings: { ...SETTINGS, writable: false } });
const play = (...drafts: EventDraft[]): Transcript =>
  fold(empty("session"), stamped([begun, joined("claude"), joined("codex"), ...drafts]));
const online = { state: "online", attempt: 0, nextInMs: 0, reason: "" } as const;
const usage = { inputTokens: 1_234, outputTokens: 500, costUsd: 0.04 };

const facts = (transcript: Transcript | undefined, more: object = {}) => ({
  transcript,
  theme,
  directory: { path: "~/tidepool", branch: "main", isDirty: true },
  newMembers: [{ name: "claude" }, { name: "codex" }],
  ...more,
});
const status = (transcript: Transcript | undefined, width: number, more: object = {}) =>
  stripVTControlCharacters(statusRow(facts(transcript, more), width));
const left = (member: string, used: number): EventDraft => ({
  type: "context_update",
  member,
  used,
  window: 100,
  measured: true,
});

test("the title row has the title, and on the right the round, or what the latest message took, and the session's id", () => {
  const names = ["claude", "codex"];
  const asked = [
    { type: "session_renamed", title: "Fix the login" } as const,
    said("m1", names, { toAll: true }),
    ...names.map((member) => started(`t${member}`, member, { rootMessageId: "m1", round: 1 })),
  ];
  const row = (transcript: Transcript | undefined, width: number) =>
    stripVTControlCharacters(titleRow({ transcript, theme }, width));
  expect(row(play(...asked), 60)).toBe(` Fix the login${" ".repeat(38)}round 1`);
  expect(row(play(...asked), 100)).toMatch(/^ Fix the login +round 1 · ession$/);
  const over = play(...asked, ...names.map((member) => ended(`t${member}`, member, { usage })));
  expect(row(over, 60)).toMatch(/^ Fix the login +1 round · 0:0\d · \$0\.08$/);
  expect(row(over, 26)).toMatch(/^ Fix the login +\$0\.08$/);
  // What the round took is old once one member was asked.
  const single = [said("m2", ["codex"]), started("t3", "codex", { rootMessageId: "m2" })];
  const rounds = names.map((member) => ended(`t${member}`, member, { usage }));
  expect(row(play(...asked, ...rounds, ...single), 60).trim()).toBe("Fix the login");
  expect(row(play(...asked, ...rounds, ...single, ended("t3", "codex")), 60)).toMatch(/^ Fix the login +\$0\.08$/);
  expect(row(play(...asked), 12)).toBe(" Fix the l…");
  expect(row(undefined, 40).trim()).toBe("");
});

test("the status line says where, how much context is left, what members may do, and what it cost", () => {
  const transcript = play(left("claude", 22), left("codex", 12), started("t1", "claude"), {
    ...ended("t1", "claude"),
    usage: { inputTokens: 1, outputTokens: 1, costUsd: 0.38 },
  });
  const [long, short] = [status(transcript, 120), status(transcript, 70)];
  expect(long).toMatch(/^ ~\/tidepool on main\* │ claude .*78% {2}codex .*88% +read-only │ \$0\.38 of \$\d+\.\d\d$/);
  expect(short).toMatch(/^ ~?\/?tidepool on main\* │ .*78.*88%? +read-only │ \$0\.38 of/);
  expect(status(transcript, 38)).toMatch(/^tidepool on main\* +read-only · \$0\.38$/);
  expect(status(transcript, 20)).toMatch(/^ +read-only · \$0\.38$/);
  for (const width of [60, 90, 200]) expect(visibleWidth(status(transcript, width))).toBe(width - 1);
  for (const width of [20, 30, 40]) expect(visibleWidth(status(transcript, width))).toBe(width);
});

test("before contexts are known, members stand with their models as far as there is room", () => {
  const spec = { name: "pi", kind: "pi" as const, model: "fake/fake-text" };
  const transcript = play(joined("pi", { spec }));
  expect(status(transcript, 100)).toContain("│ claude  codex  pi fake/fake-text ");
  expect(status(transcript, 56)).toContain("│ claude  codex  pi ");
});

test("while members work only figures are left of their contexts", () => {
  const transcript = play(left("claude", 22), left("codex", 12), started("t1", "claude"));
  expect(status(transcript, 100)).toContain("│ context left 78 88%");
  expect(status(transcript, 48)).toContain("│ left 78 88%");
});

test("a short context is amber and never dropped", () => {
  const coloured = createTheme({ name: "dark", depth: "truecolor" });
  const transcript = play(left("claude", 89), left("codex", 12));
  expect(statusRow(facts(transcript, { theme: coloured }), 100)).toContain(coloured.paint("ask", "11% left"));
  expect(status(transcript, 34)).toContain("claude 11% left");
});

test("a session that does not exist yet shows its members and whether they may edit", () => {
  expect(status(undefined, 80)).toMatch(/codex *$/);
  expect(status(undefined, 80, { isNewWritable: false })).toMatch(
    /^ ~\/tidepool on main\* │ claude {2}codex +read-only$/,
  );
  expect(status(undefined, 80, { isNewWritable: true })).toMatch(/can edit$/);
  const writable: EventDraft = { type: "settings_changed", settings: { writable: true } };
  expect(status(play(writable), 80)).toMatch(/can edit$/);
});

test("members have the same colours before the first message as after it", () => {
  const coloured = createTheme({ name: "dark", depth: "truecolor" });
  const members = [{ name: "claude", color: "#ff0000" }, { name: "codex" }];
  const before = statusRow(facts(undefined, { theme: coloured, newMembers: members }), 100);
  const joins = members.map((spec) => joined(spec.name, { spec: { kind: "embedded", ...spec } }));
  const transcript = fold(empty("session"), stamped([begun, ...joins]));
  const after = statusRow(facts(transcript, { theme: coloured }), 100);
  for (const { name } of members) {
    const painted = (row: string) => /\[[0-9;]+m$/.exec(row.slice(0, row.indexOf(name)))?.[0];
    expect(painted(before), name).toBeDefined();
    expect(painted(before), name).toBe(painted(after));
  }
});

const rule = (transcript: Transcript | undefined, width: number, more: object = {}) =>
  stripVTControlCharacters(
    boxRule(
      {
        theme,
        transcript,
        connection: online,
        now: START_TS + 31_000,
        recipients: new Addressing().recipients("", transcript),
        unseen: 0,
        newestKey: "End",
        request: undefined,
        isElsewhere: false,
        ...more,
      },
      width,
    ),
  );

test("the box's rule says who gets what you type, what happens, and the key that ends it", () => {
  expect(rule(play(), 40)).toBe(`─ to everyone ${"─".repeat(26)}`);
  const one = play(said("m1", ["codex"]), started("t1", "codex", { rootMessageId: "m1" }));
  expect(rule(one, 80)).toMatch(/^─ to codex while it works ─+ . codex · 0:2\d · Esc stops it ─$/);
  expect(rule(one, 80, { isElsewhere: true })).toMatch(/ Esc Esc stops it ─$/);
  const both = play(
    said("m1", ["claude", "codex"], { toAll: true }),
    started("t1", "claude", { rootMessageId: "m1" }),
    started("t2", "codex", { rootMessageId: "m1" }),
  );
  expect(rule(both, 90)).toMatch(/^─ to claude, codex while they work ─+ . 2 working · 0:2\d · Esc stops all ─$/);
  expect(rule(both, 72)).toMatch(/^─ to 2 members while they work ─+ . 2 working · 0:2\d · Esc stops all ─$/);
  const oneLeft = play(
    said("m1", ["claude", "codex"], { toAll: true }),
    started("t1", "claude", { rootMessageId: "m1" }),
    started("t2", "codex", { rootMessageId: "m1" }),
    ended("t1", "claude"),
  );
  expect(rule(oneLeft, 90)).toMatch(/^─ to claude, codex while codex works ─+ . codex · 0:2\d · Esc stops it ─$/);
  expect(rule(both, 40)).toMatch(/^─ to 2 members ─+ (?:. 2 · 0:2\d · )?Esc stops ─$/);
  for (const width of [12, 20, 40, 90, 200]) expect(visibleWidth(rule(both, width))).toBe(width);
  expect(rule(play(), 90, { unseen: 2 })).toMatch(/─ ↓ 2 new answers · End goes there ─$/);
  expect(rule(play(), 90, { unseen: 1, newestKey: "Ctrl+End" })).toMatch(/─ ↓ 1 new answer · Ctrl\+End goes there ─$/);
  expect(rule(both, 100, { unseen: 2 })).toMatch(/─ ↓ 2 new · . 2 working · 0:2\d · Esc stops all ─$/);
  const offline = { state: "offline", attempt: 2, nextInMs: 3_400, reason: "gone" } as const;
  expect(rule(play(), 90, { connection: offline })).toMatch(/─ . reconnecting · your text is safe ─$/);
});

test("a request that waits is announced with its number of others, and nobody is named who has left", () => {
  const asks = (requestId: string): EventDraft => ({
    type: "ui_request",
    requestId,
    member: "codex",
    request: { method: "confirm", title: "Drop the table?", message: "" },
    timeoutMs: 60_000,
    default: false,
  });
  const [request] = play(asks("r1"), asks("r2")).head.requests;
  expect(rule(play(), 100, { request, inboxKey: "Alt+I", moreRequests: 1 })).toMatch(
    /─ ◆ codex asks: Drop the table\? · 1 more waiting · Alt\+I answers ─$/,
  );
  expect(rule(play(), 70, { request, inboxKey: "Alt+I", moreRequests: 1 })).toMatch(
    /─ ◆ codex asks: Drop the table\? · Alt\+I answers ─$/,
  );
  expect(rule(play(), 100, { request, inboxKey: "Alt+I" })).toMatch(
    /─ ◆ codex asks: Drop the table\? · Alt\+I answers ─$/,
  );
  const addressing = new Addressing();
  addressing.cycle(play());
  expect(addressing.recipients("", play()).names).toEqual(["claude"]);
  const without = play({ type: "member_left", member: "claude", reason: "removed" });
  expect(addressing.recipients("", without).isEveryone).toBe(true);
  expect(addressing.recipients("@codex hello", undefined, ["claude", "codex"]).names).toEqual(["codex"]);
});

test("without motion the rule has no spinner", () => {
  const still = createTheme({ name: "none", depth: "none", hasMotion: false });
  const one = play(said("m1", ["codex"]), started("t1", "codex", { rootMessageId: "m1" }));
  expect(rule(one, 80, { theme: still })).toMatch(/─ codex · 0:2\d · Esc stops it ─$/);
});

test("Shift+Tab goes from those working over everyone to each member, for one message", () => {
  const one = play(said("m1", ["codex"]), started("t1", "codex", { rootMessageId: "m1" }));
  const addressing = new Addressing();
  const seen = Array.from({ length: 5 }, () => {
    const { isEveryone, names } = addressing.recipients("", one);
    addressing.cycle(one);
    return isEveryone ? "everyone" : names.join(", ");
  });
  expect(seen).toEqual(["codex", "everyone", "claude", "codex", "codex"]);
  expect([addressing.to("x"), addressing.nextLabel(one)]).toEqual([["all"], "to claude only"]);
  expect(addressing.to("@claude x")).toBeUndefined();
  addressing.reset();
  expect(addressing.to("x")).toBeUndefined();
});

test("the hints fit the state, and the keys are those of the keymap", () => {
  const keymap = createKeymap();
  const base = {
    theme,
    connection: online,
    isFollowing: true,
    view: "columns",
    hasFocus: false,
    isNew: false,
    request: undefined,
    nextRecipient: "to everyone",
  } as const;
  const hints = (transcript: Transcript, more: object, width = 120) =>
    stripVTControlCharacters(
      hintRow({ ...base, transcript, hasDraft: false, keyOf: (action) => keymap.hint(action), ...more }, width),
    ).trim();
  expect(hints(play(), {})).toBe(
    "Enter send · Shift+Enter new line · @ one member or a file · / commands · Ctrl+L sessions · ? keys",
  );
  expect(hints(play(), { isNew: true })).toBe(
    "Enter send · Shift+Enter new line · @ one member or a file · / commands · ? keys",
  );
  expect(hints(play(), {}, 40)).toBe("Enter send · ? keys");
  const one = play(started("t1", "codex"));
  expect(hints(one, {})).toBe(
    "Enter send to those working · Tab choose a column · Ctrl+O open work · PgUp scroll · ? keys",
  );
  expect(hints(one, { view: "stack" })).toContain(" · Tab choose a member · ");
  expect(hints(one, { view: "focus" })).toBe(
    "← → other member · Enter send to those working · Ctrl+O open work · ? keys",
  );
  expect(hints(one, { hasDraft: true })).toBe(
    "Enter send now · Tab queue for afterwards · Shift+Tab to everyone · Shift+Enter new line",
  );
  expect(hints(play(), { isFollowing: false })).toBe(
    "End newest · PgUp PgDn scroll · Ctrl+↓ ↑ next, previous answer · Alt+/ search",
  );
  expect(hints(one, { hasFocus: true })).not.toContain("Enter");
  expect(hints(one, { hasFocus: true, isWide: true })).toContain("other column · Enter narrow · ");
  expect(hints(one, { hasFocus: true, isWide: false })).toBe(
    "← → other column · Enter widen · ↑ ↓ scroll it · o open work · y copy · Esc back to the box",
  );
  expect(hints(one, { hasFocus: true, canRetry: true })).toContain(" · y copy · r retry · ");
  const keys = [
    { action: "retry-focused", does: "ask codex again", short: "ask again" },
    { action: "go-on-without", does: "go on without codex", short: "go on without it" },
  ] as const;
  const failed = { hasFocus: true, failure: { member: "codex", keys } };
  expect(hints(one, failed)).toMatch(/^r ask again · g go on without it · Tab next member · /);
  expect(hints(one, failed, 44)).toMatch(/^r g on codex · /);
  expect(hints(play(), { hasDraft: true, nextRecipient: "to codex only" })).toBe(
    "Enter send · Shift+Tab to codex only · Ctrl+C clear · Shift+Enter new line",
  );
  for (const transcript of [play(), one])
    expect(hints(transcript, { hasDraft: true, isCommand: true })).toBe("Enter run · Ctrl+C clear");
  expect(hints(play(left("claude", 89)), {})).toMatch(/^\/compact claude · Enter send · /);
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

test("an agent's own status replaces the text of the rule, sanitised", () => {
  const transcript = play(started("t1", "claude"), { type: "ui_working", message: "Reading\u001b]0;x\u0007\nfiles" });
  expect(rule(transcript, 90)).toContain("Reading files ·");
});

test("the queue is visible above the box, at most three rows of it, and says how to change it", () => {
  const items = ["one", "two", "three", "four\u001b[2J"].map((text, index) => ({
    messageId: `m${index}`,
    text,
    to: ["all"],
    attachments: [],
    ts: 0,
  }));
  const rows = queueRows(play(started("t1", "claude"), { type: "queue_updated", items }).head, theme, 70);
  expect(rows).toEqual([
    " ◌ queued for everyone: one",
    " ◌ queued for everyone: two",
    ` ◌ queued for everyone: three${" ".repeat(11)}1 more · Alt+↑ edits · /queue`,
  ]);
  const held = queueRows(play({ type: "queue_updated", items: items.slice(0, 1) }).head, theme, 60);
  expect(held[0]).toMatch(/^ ‖ held for everyone: one +Alt\+↑ edits · \/queue$/);
  expect(queueRows(play().head, theme, 60)).toEqual([]);
});

test("names, modes and models of an untrusted log send no control bytes in the rows around the box", () => {
  const bad = "b\u001b[2Jad\u0007\u202e";
  const transcript = play(
    { type: "settings_changed", settings: { ...SETTINGS, mode: bad as "broadcast" } },
    { type: "queue_updated", items: [{ messageId: "m", text: "t", to: [bad], attachments: [], ts: 0 }] },
    { type: "ui_status", member: "claude", key: "k", text: bad },
    { type: "session_renamed", title: bad.repeat(100_000) },
  );
  const rows = [
    ...queueRows(transcript.head, theme, 80),
    statusRow(facts(transcript), 100),
    titleRow({ transcript, theme }, 60),
  ];
  expect(rows.flatMap(disallowedControls)).toEqual([]);
  expect(rows[0]).toContain("queued for bad^G⟨U+202E⟩: t");
  expect(rows[1]).toContain("│ bad^G⟨U+202E⟩");
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
