import { visibleWidth } from "@earendil-works/pi-tui";
import { afterEach, describe, expect, test } from "vitest";
import type { MemberSpec, QueueItem } from "../../protocol/index.ts";
import { empty, type Head, type MemberState, type OpenRequest } from "../../transcript/index.ts";
import { SETTINGS } from "../../../test/session/session-run.ts";
import { KEY, letters, paste, showOverlay, type ShownOverlay } from "../../../test/tui/shown-overlay.ts";
import { createConfirmOverlay, createLineOverlay } from "./question-overlays.ts";
import { createInboxOverlay, createMembersOverlay, createSettingsOverlay } from "./lists/session-lists.ts";
import type { Overlay, OverlaySurface } from "./overlay-surface.ts";
import { createPickOverlay } from "./lists/pick-overlay.ts";
import { createQueueOverlay } from "./lists/queue-overlay.ts";
import { diffTone } from "./reading-rows.ts";
import { createTextOverlay } from "./text-overlay.ts";

const NOW = 1_700_000_000_000;
const HOSTILE = "\u001b]52;c;eA==\u0007\u001b[2J\u009b31m\u202eevil\u2066\r\n\u0000🇩🇪全角 word ".repeat(30);

const open: ShownOverlay<Overlay>[] = [];
afterEach(() => open.splice(0).forEach((one) => one.close()));

function show(make: (surface: OverlaySurface) => Overlay, size: { columns?: number; rows?: number } = {}) {
  const shown = showOverlay(make, size);
  open.push(shown);
  return shown;
}

describe("text", () => {
  const lines = ["Cost", "  ada 3 turns", "", ...Array.from({ length: 60 }, (_, index) => `line ${index + 1}`)];
  function text(size: { columns?: number; rows?: number } = {}) {
    const log: string[] = [];
    const shown = show(
      (surface) => createTextOverlay(surface, { title: "A page", lines, onClose: () => log.push("closed") }),
      size,
    );
    return { ...shown, log };
  }

  test("shows a page, scrolls with the usual keys and says where it stands", async () => {
    const shown = text({ columns: 40, rows: 12 });
    expect(await shown.text()).toMatchInlineSnapshot(`
      "─ A page ───────────────────────────────
       Cost
         ada 3 turns

       line 1
       line 2
       line 3
       line 4
       line 5
        ▼ 1–8 of 63 · PgUp PgDn
      ────────────────────────────────────────
      / find · n next · Esc close"
    `);
    shown.press("j", KEY.down, KEY.ctrlN, "k");
    expect(await shown.text()).toMatch(/▲▼ 3–\d+ of 63/);
    shown.press("G");
    expect(await shown.text()).toMatch(/▲ {2}\d+–63 of 63/);
    shown.press("g", " ");
    expect(await shown.text()).toMatch(/▲▼ \d+–\d+ of 63/);
  });

  test("/ finds, n goes on, Escape ends the search first and then closes", async () => {
    const shown = text({ columns: 40, rows: 12 });
    await shown.text();
    shown.press("/", ...letters("LINE 3"));
    expect(await shown.text()).toContain("> LINE 3");
    expect(await shown.text()).toContain("line 3");
    shown.press(KEY.enter, "n");
    expect(await shown.text()).toContain("line 30");
    shown.press("N", "/", "x", "x");
    expect(await shown.text()).toContain("no match");
    shown.press(KEY.escape);
    expect(shown.log).toEqual([]);
    shown.press(KEY.escape);
    expect(shown.log).toEqual(["closed"]);
  });

  test("q and Ctrl+C close too", () => {
    const shown = text();
    shown.press("q", KEY.ctrlC);
    expect(shown.log).toEqual(["closed", "closed"]);
  });

  test("lines of a diff look added and removed", async () => {
    const make = (surface: OverlaySurface) =>
      createTextOverlay(surface, { title: "d", lines: ["+new", "-old", " same"], toneOf: diffTone, onClose() {} });
    const rows = await show(make).screen.styledRows();
    const looks = ["+new", "-old", "same"].map((word) => {
      const row = rows.find((one) => one.includes(word)) ?? "";
      return row
        .slice(0, row.indexOf(word))
        .match(/\{[^}]*\}/g)
        ?.at(-1);
    });
    expect(new Set(looks).size).toBe(3);
  });
});

describe("pick", () => {
  const many = Array.from({ length: 5_000 }, (_, index) => ({
    label: `file ${index}.ts`,
    description: index % 2 === 0 ? "even" : "odd",
    value: index,
  }));

  test("filters as one types, by every word, and keeps the order", async () => {
    const picked: number[] = [];
    const shown = show((surface) =>
      createPickOverlay(surface, {
        title: "Files",
        choices: many,
        onPick: (value) => picked.push(value),
        onClose() {},
      }),
    );
    shown.write("odd 499");
    expect(await shown.text()).toMatchInlineSnapshot(`
      "─ Files ────────────────────────────────────────────────────────────── 10/5000 ─
       > odd 499
       ❯ file 499.ts                     odd
         file 1499.ts                    odd
         file 2499.ts                    odd
         file 3499.ts                    odd
         file 4499.ts                    odd
         file 4991.ts                    odd
         file 4993.ts                    odd
         file 4995.ts                    odd
         file 4997.ts                    odd
         file 4999.ts                    odd
      ────────────────────────────────────────────────────────────────────────────────
       Enter choose · ↑ ↓ move · Esc close"
    `);
    shown.press(KEY.down, KEY.ctrlN, KEY.up, KEY.enter);
    expect(picked).toEqual([1499]);
  });

  test("nothing that fits is said, and Enter then does nothing", async () => {
    const log: string[] = [];
    const shown = show(
      (surface) =>
        createPickOverlay(surface, {
          title: "Files",
          choices: many,
          onPick: () => log.push("picked"),
          onClose: () => log.push("closed"),
        }),
      { columns: 40 },
    );
    shown.write("zzz");
    shown.press(KEY.enter);
    expect(await shown.text()).toMatchInlineSnapshot(`
      "─ Files ─────────────────────── 0/5000 ─
       > zzz
         no match
      ────────────────────────────────────────
      Enter choose · ↑ ↓ move · Esc close"
    `);
    shown.press(KEY.escape);
    expect(log).toEqual(["closed"]);
  });

  test("a key in a list of 20,000 lays out only the rows that are seen", () => {
    let asked = 0;
    const choices = Array.from({ length: 20_000 }, (_, index) => ({
      get label() {
        asked += 1;
        return `entry ${index}`;
      },
      value: index,
    }));
    const shown = show((surface) => createPickOverlay(surface, { title: "Many", choices, onPick() {}, onClose() {} }));
    shown.overlay.render(80);
    asked = 0;
    shown.press(KEY.pageDown, "1", "9");
    shown.overlay.render(80);
    expect(asked).toBeLessThan(200);
  });
});

describe("the mouse in lists", () => {
  test("a click takes a row, the wheel moves the choice", async () => {
    const picked: string[] = [];
    const choices = ["one", "two", "three"].map((label) => ({ label, value: label }));
    const pick = show((surface) =>
      createPickOverlay(surface, { title: "p", choices, onPick: (value) => picked.push(value), onClose() {} }),
    );
    await pick.text();
    pick.screen.terminal.click(5, 3);
    pick.screen.terminal.click(5, 9);
    pick.screen.terminal.wheel("down", 5, 3);
    pick.press(KEY.enter);
    const inbox = show((surface) =>
      createInboxOverlay(surface, {
        requests: () => [request("a", "ada", "x"), request("b", "bob", "y")],
        now: () => NOW,
        onPick: (id) => picked.push(id),
        onClose() {},
      }),
    );
    await inbox.text();
    inbox.screen.terminal.click(5, 3);
    inbox.press(KEY.enter);
    inbox.screen.terminal.wheel("up", 5, 3);
    inbox.press(KEY.enter);
    expect(picked).toEqual(["two", "two", "b", "a"]);
  });
});

describe("line and confirm", () => {
  test("a line is edited from its end; Enter gives it, Escape gives none", async () => {
    const done: (string | undefined)[] = [];
    const shown = show((surface) =>
      createLineOverlay(surface, { title: "Title", prefill: "old\u001b[31m name", onDone: (text) => done.push(text) }),
    );
    shown.write("!");
    expect(await shown.text()).toMatchInlineSnapshot(`
      "─ Title ────────────────────────────────────────────────────────────────────────
       > old name!
      ────────────────────────────────────────────────────────────────────────────────
       Enter done · Esc cancel"
    `);
    shown.press(paste("a\nb\u001b[2J"), KEY.enter, KEY.escape);
    expect(done).toEqual(["old name!a b", undefined]);
  });

  test("a hasty Enter is a no; y, 2 and a choice are a yes; Escape and Ctrl+C are a no", async () => {
    const answers: boolean[] = [];
    const shown = show(
      (surface) =>
        createConfirmOverlay(surface, {
          title: "Reset?",
          message: "Members forget what was said.",
          onAnswer: (isYes) => answers.push(isYes),
        }),
      { columns: 40 },
    );
    expect(await shown.text()).toMatchInlineSnapshot(`
      "─ Reset? ───────────────────────────────
       Members forget what was said.
       ❯ 1  No
         2  Yes
      ────────────────────────────────────────
      Enter choose · 1–2 pick · Esc no"
    `);
    shown.press(KEY.enter, "y", "2", "k", KEY.enter, "j", KEY.enter, KEY.escape, KEY.ctrlC, "n");
    expect(answers).toEqual([false, true, true, false, true, false, false, false]);
  });
});

const request = (requestId: string, member: string, title: string): OpenRequest => ({
  requestId,
  member,
  seq: 1,
  ts: NOW,
  request: { method: "confirm", title, message: "" },
  timeoutMs: 300_000,
  default: false,
});

describe("inbox", () => {
  test("lists every open request with member, kind, title, age and time left, and picks one", async () => {
    const picked: string[] = [];
    let requests = [request("a", "ada", "Delete it?"), request("b", "bob", "Push it?")];
    const make = (surface: OverlaySurface) =>
      createInboxOverlay(surface, {
        requests: () => requests,
        now: () => NOW + 65_000,
        onPick: (id) => picked.push(id),
        onClose: () => picked.push("closed"),
      });
    const shown = show(make);
    expect(await shown.text()).toMatchInlineSnapshot(`
      "─ Waiting for you ────────────────────────────────────────────────────────── 2 ─
       ❯ 1. ada · Delete it?
            asked 1 min ago · 3:55 left
         2. bob · Push it?
            asked 1 min ago · 3:55 left
      ────────────────────────────────────────────────────────────────────────────────
       Enter answer · ↑ ↓ move · Esc close"
    `);
    shown.press("2", "k", KEY.enter, "j");
    // Answered elsewhere: the choice stays on bob's.
    requests = requests.slice(1);
    shown.press(KEY.enter, KEY.escape);
    expect(picked).toEqual(["b", "a", "b", "closed"]);
    const many = show(make);
    requests = [request("b", "bob", "Push it?"), request("c", "cleo", "Stop?")];
    many.press("j");
    requests = [request("a", "ada", "Delete it?"), ...requests];
    many.press(KEY.enter);
    expect(picked.at(-1)).toBe("c");
    requests = [];
    expect(await show(make, { columns: 40 }).text()).toContain("Nobody is waiting for an answer.");
  });
});

describe("members", () => {
  const member = (name: string, more: Partial<MemberState>): MemberState => ({
    name,
    spec: { name, kind: "claude" },
    capabilities: { steer: true, keepsContext: true, tools: true, requests: true, images: false, switchModel: true },
    seated: true,
    muted: false,
    state: "idle",
    totals: {
      turns: 3,
      inputTokens: 1_200,
      outputTokens: 500,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      reasoningTokens: 0,
      costUsd: 0.04,
    },
    seenSeq: 0,
    ...more,
  });
  const head: Head = {
    ...empty("S").head,
    members: {
      ada: member("ada", {
        state: "running",
        model: "opus",
        context: { used: 12_000, window: 200_000, measured: true },
      }),
      bob: member("bob", {
        muted: true,
        capabilities: {
          steer: false,
          keepsContext: true,
          tools: false,
          requests: false,
          images: true,
          switchModel: false,
        },
      }),
    },
  };

  test("shows what keeps each from changing files, as the session is now", async () => {
    const guarded = (writable: boolean): Head => ({
      ...head,
      settings: { ...SETTINGS, writable },
      members: {
        ada: member("ada", { guard: { kind: "sandbox" } }),
        bob: member("bob", { guard: { kind: "unguarded", detail: "no sandbox" } }),
      },
    });
    const text = (writable: boolean) =>
      show((surface) =>
        createMembersOverlay(surface, {
          head: () => guarded(writable),
          planned: () => undefined,
          onMute: () => undefined,
          onInterrupt: () => undefined,
          onAdd: () => undefined,
          onRemove: () => undefined,
          onClose: () => undefined,
        }),
      ).text();
    expect(await text(false)).toContain("idle · sandboxed, cannot change files · takes");
    expect(await text(true)).toContain("idle · sandboxed, cannot change files elsewhere");
    expect(await text(true)).toContain("idle · unguarded, can change files without asking");
  });

  test("before the first message it lists those the session will start with", async () => {
    const members: MemberSpec[] = [
      { name: "ada", kind: "claude", model: "opus", effort: "high" },
      { name: "bob", kind: "codex" },
    ];
    const planned = { cwd: "/project", settings: SETTINGS, members, muted: ["bob"] };
    const log: unknown[] = [];
    const shown = show((surface) =>
      createMembersOverlay(surface, {
        head: () => undefined,
        planned: () => planned,
        onMute: (name, muted) => log.push([name, muted]),
        onInterrupt: () => undefined,
        onAdd: () => undefined,
        onRemove: () => undefined,
        onClose: () => undefined,
      }),
    );
    expect(await shown.text()).toMatch(/● ada · claude · opus, high effort *\n +● bob · codex *\n +muted/);
    shown.press("m", "j", "m");
    expect(log).toEqual([
      ["ada", true],
      ["bob", false],
    ]);
  });

  test("shows state, model, abilities, context and cost; m mutes and unmutes, i stops who works, x removes, a adds", async () => {
    const log: unknown[] = [];
    const make = (surface: OverlaySurface) =>
      createMembersOverlay(surface, {
        head: () => head,
        planned: () => undefined,
        onMute: (name, muted) => log.push([name, muted]),
        onInterrupt: (name) => log.push(name),
        onAdd: () => log.push("add"),
        onRemove: (name) => log.push(`remove ${name}`),
        onClose: () => log.push("closed"),
      });
    const wide = show(make);
    expect(await wide.text()).toMatchInlineSnapshot(`
      "─ Members ────────────────────────────────────────────────────────────────── 2 ─
       ❯ ● ada · claude · opus
           running · takes messages while it works · uses tools · can ask you
           ctx ▰▱▱▱▱▱▱▱▱▱ 12k/200k (6%) · 3 turns · $0.04
         ⊘ bob · claude
           muted · gets messages after its turn · sees images · 3 turns · $0.04
      ────────────────────────────────────────────────────────────────────────────────
       a add · m mute · x remove · i stop · ↑ ↓ move · Esc close"
    `);
    expect(await show(make, { columns: 40 }).text()).toMatchInlineSnapshot(`
      "─ Members ────────────────────────── 2 ─
       ❯ ● ada · claude · opus
           running
           takes messages while it works
           uses tools · can ask you
           ctx ▰▱▱▱▱▱▱▱▱▱ 12k/200k (6%)
           3 turns · $0.04
         ⊘ bob · claude
           muted
           gets messages after its turn
           sees images · 3 turns · $0.04
      ────────────────────────────────────────
      a add · m mute · x remove · Esc close"
    `);
    wide.press("m", "i", "j", "m", "i");
    expect(await wide.text()).toContain("! bob is not working.");
    wide.press("x", "a", KEY.escape);
    expect(log).toEqual([["ada", true], "ada", ["bob", false], "remove bob", "add", "closed"]);
  });
});

describe("queue", () => {
  const item = (messageId: string, text: string, more: Partial<QueueItem> = {}): QueueItem => ({
    messageId,
    text,
    to: ["all"],
    attachments: [],
    ts: NOW,
    ...more,
  });

  function queueOf(items: QueueItem[], size: { columns?: number; rows?: number } = {}) {
    const log: unknown[] = [];
    const shown = show(
      (surface) =>
        createQueueOverlay(surface, {
          queue: () => items,
          onEdit: (id, text) => log.push(["edit", id, text]),
          onRemove: (id) => log.push(["remove", id]),
          onReorder: (ids) => log.push(["order", ...ids]),
          onPromote: (id) => log.push(["now", id]),
          onPullBack: ({ messageId }) => log.push(["back", messageId]),
          onClose: () => log.push("closed"),
        }),
      size,
    );
    return { ...shown, log };
  }

  test("shows what waits and for whom; keys edit, remove, send, take back and put in another order", async () => {
    const items = [
      item("1", "then run the tests"),
      item("2", "and write\nthe changelog", { to: ["ada"] }),
      item("3", "push"),
    ];
    const shown = queueOf(items);
    expect(await shown.text()).toMatchInlineSnapshot(`
      "─ Queue ──────────────────────────────────────────────────────────────────── 3 ─
       ❯ 1. then run the tests
            → all
         2. and write the changelog
            → ada
         3. push
            → all
      ────────────────────────────────────────────────────────────────────────────────
       Enter edit · d remove · s send now · e edit in the box · Esc close"
    `);
    expect(await queueOf(items, { columns: 40 }).text()).toMatchInlineSnapshot(`
      "─ Queue ──────────────────────────── 3 ─
       ❯ 1. then run the tests
            → all
         2. and write the changelog
            → ada
         3. push
            → all
      ────────────────────────────────────────
      Enter edit · d remove · Esc close"
    `);
    shown.press(KEY.shiftUp, KEY.shiftDown, "j", KEY.shiftDown, KEY.shiftUp, "d", "s", KEY.altUp, "e", KEY.escape);
    expect(shown.log).toEqual([
      ["order", "2", "1", "3"],
      ["order", "1", "3", "2"],
      ["order", "2", "1", "3"],
      ["remove", "2"],
      ["now", "2"],
      ["back", "2"],
      ["back", "2"],
      "closed",
    ]);
  });

  test("an item is edited in place with all its lines; Escape leaves it as it was", async () => {
    const shown = queueOf([item("1", "first\nsecond")]);
    shown.press(KEY.enter, "!", KEY.escape, KEY.enter, KEY.ctrlJ, "x");
    expect(await shown.text()).toMatchInlineSnapshot(`
      "─ Edit a queued message ────────────────────────────────────────────────────────
       ──────────────────────────────────────────────────────────────────────────────
       first
       second
       x
       ──────────────────────────────────────────────────────────────────────────────
      ────────────────────────────────────────────────────────────────────────────────
       Enter keep · Shift+Enter new line · Esc discard"
    `);
    shown.press(KEY.enter);
    shown.press(KEY.enter, KEY.enter);
    expect(shown.log).toEqual([["edit", "1", "first\nsecond\nx"]]);
  });

  test("a truncated text is not edited, and returning it to the draft asks for the rest", async () => {
    const blob = { sha256: "0".repeat(64), bytes: 900_000 };
    const shown = queueOf([item("1", "the beginning", { textBlob: blob })]);
    shown.press(KEY.enter);
    expect(await shown.text()).toContain("! This message is too long to edit here.");
    shown.press("e");
    expect(shown.log).toEqual([["back", "1"]]);
  });
});

describe("settings", () => {
  test("a value is changed with Enter, Space and the arrows, round and round, and seen at once", async () => {
    let thinking = "dim";
    let mouse = "unheard of";
    const make = (surface: OverlaySurface) =>
      createSettingsOverlay(surface, {
        settings: () => [
          {
            label: "Thinking",
            description: "how thoughts are shown",
            value: thinking,
            values: ["dim", "folded", "hidden"],
            set: (value) => (thinking = value),
          },
          { label: "Mouse", value: mouse, values: ["on", "off"], set: (value) => (mouse = value) },
        ],
        onClose() {},
      });
    const shown = show(make, { columns: 40 });
    expect(await shown.text()).toMatchInlineSnapshot(`
      "─ Settings ───────────────────────── 2 ─
       ❯ Thinking: ‹dim›
         how thoughts are shown
         Mouse: ‹unheard of›
      ────────────────────────────────────────
      Enter next value · Esc close"
    `);
    const seen = [KEY.enter, " ", KEY.right, KEY.left, KEY.left].map((key) => {
      shown.press(key);
      return thinking;
    });
    expect(seen).toEqual(["folded", "hidden", "dim", "hidden", "folded"]);
    shown.press("j", KEY.enter);
    expect(mouse).toBe("on");
    expect(await shown.text()).toContain("Thinking: ‹folded›");
  });

  test("a value and its marks stay in one row", async () => {
    const set = () => {};
    const labels = Array.from({ length: 12 }, (_, at) => `Some words of a setting ${"x".repeat(at)}`);
    const settings = () => labels.map((label) => ({ label, value: "on", values: ["on", "off"], set }));
    const shown = show((surface) => createSettingsOverlay(surface, { settings, onClose() {} }), {
      columns: 40,
      rows: 40,
    });
    expect((await shown.text()).match(/‹on›/g)).toHaveLength(labels.length);
  });
});

test("hostile titles, names and texts reach no row raw, in any overlay, from 20 columns up", () => {
  const makers: ((surface: OverlaySurface) => Overlay)[] = [
    (surface) => createTextOverlay(surface, { title: HOSTILE, lines: [HOSTILE, HOSTILE], onClose() {} }),
    (surface) =>
      createPickOverlay(surface, {
        title: HOSTILE,
        choices: [{ label: HOSTILE, description: HOSTILE, value: 1 }],
        onPick() {},
        onClose() {},
      }),
    (surface) => createLineOverlay(surface, { title: HOSTILE, prefill: HOSTILE, onDone() {} }),
    (surface) => createConfirmOverlay(surface, { title: HOSTILE, message: HOSTILE, yes: HOSTILE, onAnswer() {} }),
    (surface) =>
      createInboxOverlay(surface, {
        requests: () => [request("a", HOSTILE, HOSTILE)],
        now: () => NOW,
        onPick() {},
        onClose() {},
      }),
    (surface) =>
      createQueueOverlay(surface, {
        queue: () => [{ messageId: "1", text: HOSTILE, to: [HOSTILE], attachments: [], ts: NOW }],
        onEdit() {},
        onRemove() {},
        onReorder() {},
        onPromote() {},
        onPullBack() {},
        onClose() {},
      }),
    (surface) =>
      createSettingsOverlay(surface, {
        settings: () => [{ label: HOSTILE, description: HOSTILE, value: HOSTILE, values: [], set() {} }],
        onClose() {},
      }),
  ];
  for (const make of makers) {
    for (const columns of [20, 33, 40, 80, 160]) {
      const shown = show(make, { columns });
      const { overlay } = shown;
      const before = overlay.render(columns);
      shown.press(paste(HOSTILE), KEY.down, "e");
      for (const row of [...before, ...overlay.render(columns)]) {
        // oxlint-disable-next-line no-control-regex -- the look and the cursor are ours, everything else must be text.
        const plain = row.replaceAll(/\u001b\[[\d;]*m|\u001b_pi:c\u0007/g, "");
        // oxlint-disable-next-line no-control-regex -- naming control characters is the purpose here.
        expect(plain).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u200b\u202a-\u202e\u2066-\u2069]/);
        expect(visibleWidth(row)).toBe(columns);
      }
    }
  }
});
