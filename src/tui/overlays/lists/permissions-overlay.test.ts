import { visibleWidth } from "@earendil-works/pi-tui";
import { afterEach, expect, test } from "vitest";
import type { Permission, Permissions } from "../../../protocol/index.ts";
import { KEY, showOverlay, type ShownOverlay } from "../../../../test/tui/shown-overlay.ts";
import type { Overlay } from "../overlay-surface.ts";
import { createPermissionsOverlay } from "./session-lists.ts";

const NOW = 1_700_000_000_000;
const FILE = "/home/me/.config/roundtable/config.jsonc";
const given = { verdict: "allow", member: "ada", ts: NOW - 180_000 } as const;
const LISTED: readonly Permission[] = [
  { verdict: "deny", reach: "rule", rule: "shell: rm *", from: `${FILE}:3:13` },
  { ...given, reach: "session", rule: "shell: npm test", permissionId: "s" },
  { verdict: "ask", reach: "rule", rule: "edit: lib/**", from: `${FILE}:4:12` },
  { ...given, reach: "edits", rule: "", permissionId: "e" },
  { verdict: "allow", reach: "always", rule: "shell: ls", from: "/home/me/approvals.json", permissionId: "a" },
];

const open: ShownOverlay<Overlay>[] = [];
afterEach(() => open.splice(0).forEach((one) => one.close()));

function show(more: Partial<Permissions> = {}, size: { columns?: number; rows?: number } = {}, isKept = false) {
  let listed: Permissions = { writable: true, cwd: "/project", permissions: [...LISTED], leftOut: 0, ...more };
  const log: string[] = [];
  const shown = showOverlay(
    (surface) =>
      createPermissionsOverlay(surface, {
        list: () => listed,
        async revoke(permissionId) {
          log.push(permissionId);
          await Promise.resolve();
          const gone = listed.permissions.find((one) => one.permissionId === permissionId);
          if (permissionId === "e") throw new Error("It is still allowed: the disk is full.");
          if (!isKept) listed = { ...listed, permissions: listed.permissions.filter((one) => one !== gone) };
          return `Revoked. You will be asked again: ${gone?.rule ?? ""}`;
        },
        now: () => NOW,
        onClose: () => log.push("closed"),
      }),
    size,
  );
  open.push(shown);
  return { ...shown, log };
}

test("the page shows what decides in the order in which it counts, with where it comes from and a number to take it back", async () => {
  expect(await show().text()).toMatchInlineSnapshot(`
    "─ Permissions ─────────────────────────────────────────────── first match wins ─
     ❯ ·  Writable: members can edit files and run commands; you are asked unless a
          rule allows it
          /writable off ends it
       ·  deny shell: rm *
          /home/me/.config/roundtable/config.jsonc:3:13
       1. allow shell: npm test
          exactly this, for this session; your answer to ada, 3 min ago
       ·  ask edit: lib/**
          /home/me/.config/roundtable/config.jsonc:4:12
       2. allow changes to every file here
          for this session, but not for files of git or of agents; your answer to
          ada, 3 min ago
       3. allow shell: ls
          exactly this, always in this folder; /home/me/approvals.json
       ·  ask everything else
          that changes files or runs commands
    ────────────────────────────────────────────────────────────────────────────────
     d revoke · ↑ ↓ move · Esc close"
  `);
});

test("in forty columns the chosen row is there in full, and a read-only session says what counts", async () => {
  const shown = show({ writable: false, leftOut: 7 }, { columns: 40, rows: 40 });
  shown.press(...Array<string>(5).fill(KEY.down));
  expect(await shown.text()).toMatchInlineSnapshot(`
    "─ Permissions ─────── first match wins ─
       ·  Read-only: members only read and
          advise
          /writable on changes it; until
          then, nothing below allows…
       ·  deny shell: rm *
          /home/me/.config/roundtable/confi
          g.jsonc:3:13
       1. allow shell: npm test
          exactly this, for this session;
          your answer to ada, 3 min ago
       ·  ask edit: lib/**
          /home/me/.config/roundtable/confi
          g.jsonc:4:12
       2. allow changes to every file here
          for this session, but not for
          files of git or of agents; your…
     ❯ 3. allow shell: ls
          exactly this, always in this
          folder; /home/me/approvals.json
       ·  7 more
          are not listed
    ────────────────────────────────────────
    d revoke · ↑ ↓ move · Esc close"
  `);
});

test("with nothing allowed and no rule, the page says that everything is asked about", async () => {
  expect(await show({ permissions: [] }).text()).toMatchInlineSnapshot(`
    "─ Permissions ─────────────────────────────────────────────── first match wins ─
     ❯ ·  Writable: members can edit files and run commands; you are asked unless a
          rule allows it
          /writable off ends it
       ·  ask everything else
          that changes files or runs commands
    ────────────────────────────────────────────────────────────────────────────────
     d revoke · ↑ ↓ move · Esc close"
  `);
});

test("d takes the chosen one back and says under the list what is asked again; rules and failures say why not", async () => {
  const shown = show();
  shown.press("d");
  expect([await shown.text(), shown.log]).toEqual([expect.stringContaining("! /writable on and /writable off"), []]);
  shown.press(KEY.down, KEY.backspace);
  expect([await shown.text(), shown.log]).toEqual([
    expect.stringContaining("! Change a rule in the file it comes"),
    [],
  ]);
  shown.press(KEY.down, KEY.enter);
  expect([await shown.text(), shown.log]).toEqual([expect.stringContaining("! Press d to revoke it."), []]);
  shown.press("d", "d");
  expect(shown.log).toEqual(["s"]);
  const after = await shown.text();
  expect(after).toContain("✓ Revoked. You will be asked again: shell: npm test");
  expect(after).toContain("❯ ·  ask edit: lib/**");
  expect(after).toContain("1. allow changes to every file here");
  shown.press(KEY.down, "d");
  await shown.text();
  expect(await shown.text()).toContain("! It is still allowed: the disk is full.");
  shown.press(KEY.escape);
  expect(shown.log).toEqual(["s", "e", "closed"]);
});

test("untrusted text in a rule is sanitised, and no row is wider than the screen", async () => {
  const rule = `shell: ${"\u001b]52;c;eA==\u0007\u001b[2J\u009b31m\u202eevil\u2066\r\n\u0000🇩🇪全角 word ".repeat(30)}`;
  const permissions = [{ ...given, reach: "session", rule, permissionId: "s", member: rule }] satisfies Permission[];
  const shown = show({ permissions }, { columns: 40, rows: 40 }, true);
  shown.press(KEY.down, "d");
  await shown.text();
  // oxlint-disable-next-line no-control-regex -- colours are ours.
  const rows = shown.overlay.render(40).map((row) => row.replaceAll(/\u001b\[[\d;]*m/g, ""));
  expect(rows.join("")).toMatch(/1\. allow shell: [^]*✓ Revoked/);
  for (const row of rows) {
    // oxlint-disable-next-line no-control-regex -- none of them may be there.
    expect(row).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
    expect(visibleWidth(row)).toBeLessThanOrEqual(40);
  }
});
