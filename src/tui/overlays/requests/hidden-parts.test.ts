/** Nothing of what would happen is missing from a card without a sign that there is more. */
import { afterEach, expect, test } from "vitest";
import { showOverlay, type ShownOverlay } from "../../../../test/tui/shown-overlay.ts";
import { createRequestOverlay, type RequestOverlay } from "./request-overlay.ts";

const SIZES = [
  { columns: 80, rows: 24 },
  { columns: 40, rows: 12 },
  { columns: 30, rows: 18 },
];

const open: ShownOverlay<RequestOverlay>[] = [];
afterEach(() => open.splice(0).forEach((one) => one.close()));

interface Asked {
  readonly tool: string;
  readonly call: string;
  readonly diff?: string;
  readonly title?: string;
}

function card(call: Asked, size: (typeof SIZES)[number]): ShownOverlay<RequestOverlay> {
  const options = [
    { label: "Allow once", value: "allow" },
    { label: "Allow this command for this session", value: "table_session" },
    { label: "Always allow this command in ~/hexyl", value: "table_always" },
    { label: "Deny", value: "deny" },
  ];
  const request = { method: "approval" as const, title: "Run?", callHash: "h", options, ...call };
  const shown = showOverlay(
    (surface) =>
      createRequestOverlay({
        surface,
        request: { requestId: "r1", member: "ada", seq: 1, ts: 0, request, timeoutMs: 300_000, default: false },
        waiting: 0,
        now: () => 1_000,
        acceptsAnswer: () => true,
        onAnswer: () => {},
      }),
    size,
  );
  open.push(shown);
  return shown;
}

const edit = (hunk: string, lines: string): Asked => ({
  tool: "Edit",
  call: JSON.stringify({ file_path: "x.c" }),
  diff: `--- x.c\n+++ x.c\n${hunk}\n${lines}`,
});

test.each(SIZES)("lines that look like a diff's own are shown in $columns columns", async (size) => {
  for (const hunk of ["@@ -1,2 +1,2 @@", "@@ @@"]) {
    const text = await card(edit(hunk, "--- sql\n+++ i, evil();\n-b\n+c"), size).text();
    expect(text).toContain("-- sql");
    expect(text).toContain("++ i, evil();");
  }
});

test.each(SIZES)("a second file within a diff is named: $columns columns", async (size) => {
  const text = await card(edit("@@ -1 +1 @@", "-a\n+b\n--- other\n+++ other\n@@ -1 +1 @@\n-c\n+d"), size).text();
  expect(text).toMatch(/other\n(?:.*\n)*.*d/);
});

test.each(SIZES)(
  "the end of a long command is shown, or there is a sign that it goes on: $columns columns",
  async (size) => {
    const words = Array.from({ length: 300 }, (_, at) => `word${at}`).join(" ");
    const hidden = [
      { tool: "Bash", call: `echo ${words}; EVIL` },
      { tool: "Bash", call: `echo${" ".repeat(3_000)}; EVIL` },
      { tool: "Bash", call: `echo a${"\n".repeat(200)}EVIL` },
      { tool: "Bash", call: `echo a\n${"#\n".repeat(200)}EVIL` },
      { tool: "mcp__a__b", call: JSON.stringify({ a: `x${"\n".repeat(100)}EVIL` }) },
      {
        tool: "mcp__a__b",
        call: JSON.stringify({ ...Object.fromEntries(words.split(" ").map((key) => [key, 1])), z: "EVIL" }),
      },
      edit("@@ -0,0 +1,201 @@", `${"+\n".repeat(200)}+EVIL`),
    ];
    for (const call of hidden) {
      const text = await card(call, size).text();
      if (!text.includes("EVIL")) expect(text).toMatch(/▼ \d+–\d+ of \d+|… \d+ more lines/);
    }
  },
);
