import { afterEach, expect, test } from "vitest";
import type { Json, UiRequestBody } from "../../protocol/index.ts";
import { KEY, showOverlay, type ShownOverlay } from "../../../test/tui/shown-overlay.ts";
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
    { label: "Allow once", value: "once" },
    { label: "Allow `npm run build` with any arguments to builder, for this session", value: "session" },
    { label: "Allow `npm run build` with any arguments to every member, always in this directory", value: "always" },
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

/** What is inside the frame, rows joined as they were before they were broken. */
const inside = (text: string) =>
  text
    .split("\n")
    .map((row) => row.replaceAll(/^│ | *│$/g, "").replace(/^(?:↪ |  )(?:\$ )?/, ""))
    .join("");

test.each([
  [80, 24],
  [40, 24],
])(
  "[U351] at %i columns every option stands there whole, long ones broken, with the exact command above",
  async (columns, rows) => {
    const shown = ask(columns, rows);
    const text = await shown.text();
    expect(inside(text)).toContain(CALL);
    const words = text.replaceAll(/[│❯\s]+/g, " ");
    for (const [at, { label }] of approval.options.entries()) expect(words).toContain(`${at + 1}. ${label}`);
    shown.press("3");
    expect(shown.answers).toEqual(["always"]);
  },
);

test("[U351] in a low window the command comes before the words about it, and an option is shown before it can be picked", async () => {
  const shown = ask(40, 12);
  expect(await shown.text()).toMatchInlineSnapshot(`
    "╭─ builder asks to run a command ──────╮
    │ ◆ builder · denied in 5:00           │
    │   $ npm run build -- --outDir dist - │
    │ ↪ -sourcemap && node scripts/publish │
    │  ▼ 1–2 of 6 · PgUp PgDn              │
    │ ❯ 1. Allow once                      │
    │   1 of 4 ▼                           │
    ╰─ Enter choose · Esc deny · 1–9 pick ─╯"
  `);
  shown.press("3");
  expect(shown.answers).toEqual([]);
  expect(await shown.text()).toContain("❯ 3. Allow `npm run build` with any");
  shown.press("3");
  expect(shown.answers).toEqual(["always"]);
  const refused = ask(24, 14);
  expect(await refused.text()).toContain("  $ npm run build -- ");
  refused.press(KEY.escape);
  expect(refused.answers).toEqual([false]);
});

test("[U553] an approval offers its own options, whatever their number and values are", async () => {
  const everyFile = { label: "Allow changes of every file here to every member", value: "table_session_edits" };
  const shown = ask(100, 24, {
    ...approval,
    options: [...approval.options.slice(0, 3), everyFile, approval.options[3]!],
  });
  expect(await shown.text()).toMatch(/4\. Allow changes of every file here to every member[^]*5\. Deny/);
  shown.press("4");
  expect(shown.answers).toEqual(["table_session_edits"]);
});
