import { describe, expect, test } from "vitest";
import { rowFaults } from "../../../../test/tui/row-checks.ts";
import { KEY, showOverlay, type ShownOverlay } from "../../../../test/tui/shown-overlay.ts";
import type { SessionSummary } from "../../../protocol/index.ts";
import type { Overlay, OverlaySurface } from "../overlay-surface.ts";
import { createSessionOverlay, type SessionOverlayOptions } from "./session-overlay.ts";
import { sessionChoices } from "./session-rows.ts";

const NOW = 1_700_000_000_000;

const session = (sessionId: string, more: Partial<SessionSummary> = {}): SessionSummary => ({
  sessionId,
  title: `session ${sessionId}`,
  cwd: "/home/ann/app",
  members: ["ada", "bob"],
  messages: 12,
  turns: 6,
  createdTs: NOW - 90_000_000,
  updatedTs: NOW - 3_600_000,
  archived: false,
  status: "idle",
  seq: 40,
  ...more,
});

const SESSIONS = [
  session("01AAAAAAAA", { updatedTs: NOW - 200_000_000, turns: 1 }),
  session("01RRRRRRRR", { status: "running", updatedTs: NOW - 1_000, title: "The parser" }),
  session("01DDDDDDDD", { problem: "the log is damaged at line 7", updatedTs: NOW - 100_000 }),
  session("01GGGGGGGG", { cwd: "/gone/away", status: "interrupted" }),
  session("01ZZZZZZZZ", { archived: true, title: "Old talk", members: ["cyd"] }),
];

interface Shown extends ShownOverlay<Overlay> {
  readonly picked: (string | undefined)[];
  readonly left: () => number;
}

function show(size: { columns?: number; rows?: number } = {}, more: Partial<SessionOverlayOptions> = {}): Shown {
  const picked: (string | undefined)[] = [];
  let left = 0;
  const make = (surface: OverlaySurface) =>
    createSessionOverlay(surface, {
      sessions: SESSIONS,
      now: NOW,
      currentId: "01RRRRRRRR",
      hasDirectory: (cwd) => cwd !== "/gone/away",
      onPick: (id) => picked.push(id),
      onClose: () => (left += 1),
      ...more,
    });
  return Object.assign(showOverlay(make, size), { picked, left: () => left });
}

describe("the list of sessions", () => {
  test("columns of id, title, members, turns, age and status; what is wrong with a session stands below it", async () => {
    const wide = show({ columns: 100 });
    expect(await wide.text()).toMatchInlineSnapshot(`
      "─ Sessions ─────────────────────────────────────────────────────────────────────────────────── 4/5 ─
       > type to search
           ID      TITLE                                 MEMBERS            TURNS    UPDATED  STATUS
         + New session  starts with your first message
       ❯ ● rrrrrr  The parser                            ada,bob                6        now  this one
         ✗ dddddd  session 01DDDDDDDD                    ada,bob                6      1 min  damaged
         the log is damaged at line 7
         ◌ gggggg  session 01GGGGGGGG                    ada,bob                6        1 h  interrupted
         its directory is gone
         ○ aaaaaa  session 01AAAAAAAA                    ada,bob                1     2 days  idle
      ────────────────────────────────────────────────────────────────────────────────────────────────────
       Enter choose · Tab archived · ↑ ↓ move · Esc close"
    `);
    wide.close();
  });

  test("on a narrow screen a session is its title with the rest below it, on a wide one its directory stands beside it", async () => {
    const narrow = show({ columns: 40, rows: 30 });
    expect(await narrow.text()).toMatchInlineSnapshot(`
      "─ Sessions ─────────────────────── 4/5 ─
       > type to search
         + New session
         starts with your first message
       ❯ ● The parser
         rrrrrr · this one · now · 6 turns
         ada,bob
         ✗ session 01DDDDDDDD
         dddddd
         the log is damaged at line 7
         damaged · 1 min · 6 turns · ada,bob
         ◌ session 01GGGGGGGG
         gggggg · its directory is gone
         interrupted · 1 h · 6 turns
         ada,bob
         ○ session 01AAAAAAAA
         aaaaaa · idle · 2 days · 1 turn
         ada,bob
      ────────────────────────────────────────
      Enter choose · Tab archived · Esc close"
    `);
    narrow.close();
    const wide = show({ columns: 130 });
    expect((await wide.text()).split("\n")[4]).toMatch(/The parser .*this one +\/home\/ann\/app/);
    wide.close();
  });

  test("no row is wider than the screen, from 20 columns on, whatever titles say", () => {
    const hostile = session("01HHHHHHHH", { title: "表".repeat(90) + "\u001b[2J\u202e", members: ["x".repeat(64)] });
    for (let columns = 20; columns <= 140; columns += 5) {
      const list = show({ columns }, { sessions: [...SESSIONS, hostile] });
      list.press(KEY.tab);
      // The library marks the place of the cursor with a sequence of its own.
      list.overlay.focused = false;
      expect(rowFaults(list.overlay.render(columns), columns), `${columns} columns`).toEqual([]);
      list.close();
    }
  });

  test("a new session comes first, then the newest", async () => {
    const list = show();
    const text = await list.text();
    const order = ["+ New session", "rrrrrr", "dddddd", "gggggg", "aaaaaa"].map((terms) => text.indexOf(terms));
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(order).not.toContain(-1);
    list.close();
  });

  test("what is typed is looked for in id, title, members, directory, status and reason", async () => {
    const matches: Record<string, (string | undefined)[]> = {};
    for (const terms of ["01dd", "PARSER ada", "gone/away", "interrupted", "line 7", "running"]) {
      const list = show();
      list.write(terms);
      list.press(KEY.enter);
      matches[terms] = list.picked;
      list.close();
    }
    expect(matches).toEqual({
      "01dd": ["01DDDDDDDD"],
      "PARSER ada": ["01RRRRRRRR"],
      "gone/away": ["01GGGGGGGG"],
      interrupted: ["01GGGGGGGG"],
      "line 7": ["01DDDDDDDD"],
      running: ["01RRRRRRRR"],
    });
  });

  test("archived sessions are shown by Tab, and a search that only they fit says so", async () => {
    const list = show();
    expect(await list.text()).not.toContain("Old talk");
    list.write("cyd");
    expect(await list.text()).toContain("no other match; Tab shows 1 archived");
    list.press(KEY.tab);
    expect(await list.text()).toMatch(/Old talk[^]*archived/);
    expect(await list.text()).toContain("Tab hide archived");
    list.press(KEY.enter);
    expect(list.picked).toEqual(["01ZZZZZZZZ"]);
    list.press(KEY.tab);
    expect(await list.text()).not.toContain("Old talk");
    list.close();
  });

  test("it begins on the newest session; keys alone move, page, choose a new one and leave", async () => {
    const list = show();
    await list.text();
    list.press(KEY.enter, KEY.up, KEY.enter, KEY.pageDown, KEY.enter, KEY.ctrlP, KEY.enter, KEY.escape);
    expect(list.picked).toEqual(["01RRRRRRRR", undefined, "01AAAAAAAA", "01GGGGGGGG"]);
    expect(list.left()).toBe(1);
    const asked = show({}, { query: "parser", hasNew: false });
    expect(await asked.text()).toContain("> parser");
    asked.press(KEY.enter);
    expect(asked.picked).toEqual(["01RRRRRRRR"]);
    list.close();
    asked.close();
  });

  test("of thousands of sessions only those in view are laid out", async () => {
    let looked = 0;
    const many = Array.from({ length: 5_000 }, (_, at) =>
      session(`01${String(at).padStart(8, "0")}`, { cwd: `/p/${at}` }),
    );
    const hasDirectory = () => {
      looked += 1;
      return true;
    };
    const list = show({ rows: 30 }, { sessions: many, hasDirectory });
    await list.text();
    list.press(KEY.pageDown, KEY.pageDown);
    expect(await list.text()).toContain("of 5001");
    expect(looked).toBeLessThan(300);
    list.write("00004321");
    expect(await list.text()).toContain("1/5000");
    list.press(KEY.enter);
    expect(list.picked).toEqual(["0100004321"]);
    list.close();
  });

  test("where choices are read out, a session is its title and the same facts with its directory", () => {
    expect(sessionChoices({ sessions: SESSIONS, now: NOW, currentId: "01RRRRRRRR" }).slice(0, 3)).toEqual([
      { label: "+ New session", description: "starts with your first message", value: {} },
      {
        label: "● The parser",
        description: "rrrrrr · this one · now · 6 turns · ada,bob · /home/ann/app",
        value: { sessionId: "01RRRRRRRR" },
      },
      {
        label: "✗ session 01DDDDDDDD",
        description: "dddddd · the log is damaged at line 7 · damaged · 1 min · 6 turns · ada,bob · /home/ann/app",
        value: { sessionId: "01DDDDDDDD" },
      },
    ]);
  });
});
