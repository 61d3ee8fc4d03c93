import { readFileSync } from "node:fs";
import { onTestFinished, expect, test } from "vitest";
import { SETTINGS } from "../../../../test/generate/drafts.ts";
import { keys } from "../../../../test/tui/key-bytes.ts";
import { openApp } from "../../../../test/tui/open-app.ts";
import type { MemberSpec } from "../../../protocol/index.ts";
import type { Welcome } from "../options.ts";

const QUESTIONS = [
  "How does a job get from enqueue() to a worker, and where can it be lost?",
  "Review what changed on main since v1.4: what could break for users?",
  "test/lease.test.ts is skipped on CI. Why, and can it be turned on again?",
];

const welcome: Welcome = {
  isFirst: true,
  members: {
    claude: { model: "opus-4.8", effort: "high", source: "found on your PATH", isSandboxed: true },
    codex: { model: "gpt-5.6", effort: "medium", source: "found on your PATH", isSandboxed: true },
    gemini: { model: "gemini-3-pro", source: "found on your PATH", isSandboxed: true },
  },
  others: [
    { name: "pi", state: "not found", command: "/add pi", does: "shows how to install it" },
    {
      name: "a local model",
      state: "",
      command: "/add local",
      does: "asks for the address of Ollama, llama.cpp or a compatible server",
    },
  ],
  questions: QUESTIONS.map((text) => ({ text })),
};

async function opened(columns: number, rows: number, change: Partial<Welcome> = {}) {
  const members: MemberSpec[] = [
    { name: "claude", kind: "claude" },
    { name: "codex", kind: "codex" },
    { name: "gemini", kind: "acp", command: ["gemini"] },
  ];
  const app = await openApp({
    columns,
    rows,
    more: {
      choose: async () => ({ sessionId: undefined }),
      introduce: async () => ({
        defaults: {
          cwd: "/home/ada/tidepool",
          settings: { ...SETTINGS, writable: false },
          members,
        },
        lines: [],
      }),
      describeDirectory: async () => ({ path: "~/tidepool", branch: "main", isDirty: false }),
      welcome: async () => ({ ...welcome, ...change }),
    },
  });
  onTestFinished(() => app.close());
  return app;
}

test("the first start says who is there with which model, offers three questions, and how to add an agent", async () => {
  const app = await opened(120, 40);
  const cells = readFileSync("test/tui/screens/first-start.txt", "utf8").trimEnd().split("\n");
  expect(app.screen().join("\n").trimEnd().split("\n")).toEqual(cells);
});

test("1, 2 and 3 put a question into the empty box, and Enter sends it", async () => {
  const app = await opened(100, 30);
  app.type("2");
  await app.draw();
  expect(app.app.prompt.text).toBe(QUESTIONS[1]);
  app.type(" 1");
  expect(app.app.prompt.text).toBe(`${QUESTIONS[1]} 1`);
  expect(app.peer.commands).toEqual([]);
  app.type(keys.enter);
  await app.settle();
  expect(app.peer.commands.at(-1)).toMatchObject({ type: "send", text: `${QUESTIONS[1]} 1` });
});

test.each([
  [80, 24],
  [60, 20],
  [40, 12],
])("at %i by %i what is needed least is left out, and nothing is cut without a sign", async (columns, rows) => {
  const app = await opened(columns, rows);
  const screen = app.screen();
  expect(screen.join("\n")).toContain("❯ Ask anything about tidepool");
  expect(screen.filter((row) => /^ +● (?:claude|codex|gemini)/.test(row))).toHaveLength(3);
  for (const [at, question] of QUESTIONS.entries()) {
    const row = screen.find((one) => one.includes(` ${at + 1}  `))?.trim() ?? "";
    const shown = row.slice(3).trim();
    const isCut = shown.endsWith("…") && question.startsWith(shown.slice(0, -1));
    expect(isCut || screen.join(" ").replaceAll(/ +/g, " ").includes(question)).toBe(true);
  }
});

test("at 80 columns sentences and commands go on in a second row where there are rows for it", async () => {
  const detail = "From README.md and the code";
  const app = await opened(80, 40, { questions: [{ text: QUESTIONS[0] ?? "", detail }] });
  const screen = app.screen().join("\n");
  expect(screen).not.toContain("…");
  expect(screen).not.toContain(detail);
  expect(screen.replaceAll(/\s+/g, " ")).toContain(
    "/add local asks for the address of Ollama, llama.cpp or a compatible",
  );
  expect(screen).toMatch(/^ {20,}Ollama, llama\.cpp or a compatible server$/m);
  expect(screen).toMatch(/^ {7}Members can read but change nothing\. .*\n {7}\S.*ask first\.$/m);
  expect((await opened(80, 24)).screen().join("\n")).toContain("● a local model");
});

test("later starts leave out who could join and what is good to know; no question, no keys", async () => {
  const app = await opened(100, 40, { isFirst: false, others: [], questions: [] });
  const screen = app.screen().join("\n");
  expect(screen).toContain("● claude  opus-4.8 · high");
  expect(screen).not.toMatch(/Good to know|Try one of these|or press/);
  app.type("1");
  expect(app.app.prompt.text).toBe("1");
});

test("what is decided before the first message is what the screen says", async () => {
  const app = await opened(100, 40);
  app.type("/model codex gpt-7");
  await app.settle();
  app.type(keys.enter);
  await app.settle();
  expect(app.screen().join("\n")).toContain("● codex   gpt-7 · medium");
});
