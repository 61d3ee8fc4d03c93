import { afterEach, expect, test } from "vitest";
import type { Json, UiRequestBody } from "../../../protocol/index.ts";
import { showOverlay, type ShownOverlay } from "../../../../test/tui/shown-overlay.ts";
import { createRequestOverlay, type RequestOverlay } from "./request-overlay.ts";

const NOW = 1_700_000_000_000;
const CALL = "npm run build -- --outDir dist --sourcemap && node scripts/publish.mjs --tag next --dry-run";

const approval: Extract<UiRequestBody, { method: "approval" }> = {
  method: "approval",
  title: "May builder run this command in /home/user/projects/a-rather-long-directory-name/packages/core?",
  tool: "bash",
  call: CALL,
  callHash: "h",
  options: [
    { label: "Allow once", value: "allow" },
    { label: "Allow this command for this session", value: "table_session" },
    { label: "Always allow this command in ~/projects/a-long-name", value: "table_always" },
    { label: "Deny", value: "deny" },
  ],
};

const open: ShownOverlay<RequestOverlay>[] = [];
afterEach(() => open.splice(0).forEach((one) => one.close()));

function ask(columns: number, rows: number, body = approval) {
  const answers: Json[] = [];
  const request = { requestId: "r", member: "builder", seq: 1, ts: NOW, timeoutMs: 300_000, default: false as const };
  const shown = showOverlay(
    (surface) =>
      createRequestOverlay({
        surface,
        request: { ...request, request: body },
        waiting: 0,
        now: () => NOW,
        acceptsAnswer: () => true,
        onAnswer: (result) => answers.push(result),
      }),
    { columns, rows },
  );
  open.push(shown);
  return { ...shown, answers };
}

const SHORT = ["For this session", "Always in this folder"];

/** The command's rows up to the blank one below them, joined as they were before they were broken at blanks. */
function command(text: string): string {
  const [, shown = ""] = /^ *\$ ([^]*?)\n\n/m.exec(text) ?? [];
  return shown.replaceAll(/\s*\n\s+/g, " ");
}

test.each([
  [80, 24],
  [40, 24],
])(
  "at %i columns every option stands there whole, short where it is narrow, with the exact command above",
  async (columns, rows) => {
    const shown = ask(columns, rows);
    const text = await shown.text();
    expect(command(text)).toBe(CALL);
    const words = text.replaceAll(/[│❯\s]+/g, " ");
    const [session, always] = columns < 60 ? SHORT : approval.options.slice(1, 3).map(({ label }) => label);
    const labels = `y Allow once s ${session} a ${always} n Deny w Deny and say why …`;
    expect(words).toContain(labels);
    shown.press("3");
    expect(shown.answers).toEqual(["table_always"]);
  },
);

test("in a low window the command and all choices stay", async () => {
  const shown = ask(40, 12);
  expect(await shown.text()).toMatchInlineSnapshot(`
    "─ ◆ builder asks to run ───────── 5:00 ─
    $ npm run build -- --outDir dist
      --sourcemap && node
      scripts/publish.mjs --tag next
      --dry-run
     ❯ y  Allow once
       s  For this session
       a  Always in this folder
       n  Deny
       w  Deny and say why …
    ────────────────────────────────────────
    v details · Esc later"
  `);
  const narrow = ask(24, 14);
  expect(await narrow.text()).toMatch(/^\$ npm run build --\n {2}--outDir dist/m);
});

test("what only an earlier version offers stands behind the choices that every approval has", async () => {
  const everyFile = { label: "Allow changes of every file here to every member", value: "table_session_edits" };
  const shown = ask(100, 24, {
    ...approval,
    options: [...approval.options.slice(0, 3), everyFile, approval.options[3]!],
  });
  expect(await shown.text()).toMatch(
    /w {2}Deny and say why …[^]*6 {2}Allow changes of every file here to every member/,
  );
  shown.press("6");
  expect(shown.answers).toEqual(["table_session_edits"]);
});
