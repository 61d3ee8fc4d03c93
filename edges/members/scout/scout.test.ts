import { execFileSync } from "node:child_process";
import { chmod, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratchTree } from "../../../test/agents/scratch-tree.ts";
import { settle, startAgent } from "../../../test/agents/agent-probe.ts";
import { createEmbeddedAgent } from "../../../src/agents/embedded/agent.ts";
import type { AgentEvent } from "../../../src/agents/index.ts";
import { scout } from "./scout.ts";
import { patient } from "../../../test/patience.ts";
import { rounds } from "../../../test/rounds.ts";

/** A small project with a definition, its uses, a test, documents, generated files and distractors. */
const PROJECT: Readonly<Record<string, string | Buffer>> = {
  "README.md":
    "# Ferry\n\nCarries messages over the river.\n\n## Running the tests\n\n```sh\nnpm test\n```\n\n## Locks\n\nA lock keeps a second ferryman away.\n",
  "package.json":
    '{\n  "name": "ferry",\n  "description": "A ferry.",\n  "scripts": {\n    "build": "tsc",\n    "test": "vitest run"\n  }\n}\n',
  "package-lock.json": '{ "takeLock": "takeLock takeLock takeLock lock ferryman" }\n',
  "src/lock.ts":
    'import { open } from "node:fs";\n\n/** Takes the lock, or says who holds it. */\nexport function takeLock(path: string): Lock {\n  return new Lock(path);\n}\n\nclass Lock {\n  release(): void {}\n}\n',
  "src/lock.test.ts":
    'import { takeLock } from "./lock.ts";\n\ntest("takeLock takes the lock", () => takeLock("x"));\n',
  "src/ferry.ts":
    'import { takeLock } from "./lock.ts";\n\nexport class Ferry {\n  start() {\n    const lock = takeLock("ferry.lock");\n    return lock;\n  }\n}\n',
  "src/snapshot-store.ts": "export const pages = 3;\n",
  "docs/recovery.md": "# Recovery\n\nAfter a crash the torn tail is cut.\n",
  "image.png": Buffer.from([0, 1, 2, 3]),
  "big.txt": `takeLock\n${"x".repeat(1024 * 1024)}`,
};

async function seated(
  files: Readonly<Record<string, string | Buffer>> = PROJECT,
  onEvent?: (event: AgentEvent) => void,
) {
  const cwd = await scratchTree(files);
  const table = await startAgent(createEmbeddedAgent(scout, { sessionId: "session", cwd, writable: false }), onEvent);
  return { cwd, table };
}

async function answerTo(question: string, files?: Readonly<Record<string, string | Buffer>>): Promise<string> {
  const { table } = await seated(files);
  expect((await table.run(question)).outcome).toBe("completed");
  await table.agent.close();
  return table.text();
}

test("the definition of a name comes first, with comment and body; uses, tests and lock files follow", async () => {
  expect(await answerTo("where is takeLock defined?")).toBe(`Searching for \`takeLock\`.

**\`takeLock\` is defined in \`src/lock.ts:4\`.**

\`src/lock.ts:4\`

\`\`\`ts
/** Takes the lock, or says who holds it. */
export function takeLock(path: string): Lock {
  return new Lock(path);
}
\`\`\`

Also:

- \`src/ferry.ts:5\` \`const lock = takeLock("ferry.lock");\`
- \`src/lock.test.ts:3\` \`test("takeLock takes the lock", () => takeLock("x"));\`

*Searched 8 files (1 kB); skipped 1 binary and 1 larger than 1 MiB. scout matches words; no model involved.*
`);
});

test.each([
  ["who calls takeLock", "src/ferry.ts:5"],
  ["how does the lock work", "src/lock.ts:8"],
  ["where does a ferry start", "src/ferry.ts:4"],
  ["what happens to the torn tail after a crash", "docs/recovery.md:3"],
  ["how does recovery work", "docs/recovery.md:1"],
  ['find "torn tail"', "docs/recovery.md:3"],
  ["where is the Ferry class", "src/ferry.ts:3"],
  ["is there a test for takeLock", "src/lock.test.ts:3"],
])("%j finds %s first", async (question, hit) => {
  expect(/\*\*[^\n]*?`([^`\n]+:\d+)`/.exec(await answerTo(question))?.[1]).toBe(hit);
});

test("a longer name does not count as a use", async () => {
  const answer = await answerTo("who calls openGate", {
    "a.ts": "openGateKeeper();\n",
    "b.ts": "openGate();\n",
    "c.ts": "export function openGate() {}\n",
  });
  expect(answer).toContain("**`openGate` is used in 1 file**, starting with `b.ts:1`.");
  expect(answer).not.toContain("a.ts");
});

test('"which files are about" is answered by a list of files, also by name alone', async () => {
  const answer = await answerTo("which files are about the lock?");
  expect(answer).toContain("files about `lock`**, best first:\n\n- `src/lock.ts`:");
  expect(await answerTo("which files are about snapshots")).toContain("- `src/snapshot-store.ts`");
});

test("how to run the tests is answered from package.json and the README", async () => {
  const answer = await answerTo("How do I run the tests?");
  expect(answer).toContain("**`npm test`** (`package.json:6`)");
  expect(answer).toContain("`README.md:5`\n\n````markdown\n## Running the tests\n\n```sh\nnpm test\n```\n````\n");
});

test("what the project is is answered from README, manifest and tree", async () => {
  const answer = await answerTo("what is this project?");
  expect(answer).toContain("**ferry**: A ferry.\n\nCarries messages over the river.\n\n");
  expect(answer).toContain("- `src/`: 4 files, mostly .ts");
  expect(answer).toContain("- Running the tests (`README.md:5`)");
  expect(answer).toContain("- `npm test`: `vitest run` (`package.json:6`)");
});

test("a project without README or manifest is described by its files", async () => {
  expect(await answerTo("what is this project?", { "a.c": "", "b.c": "" })).toContain(
    "**No README or manifest describes this project.**",
  );
});

test("a named file is outlined; a missing one is reported", async () => {
  const answer = await answerTo("show src/lock.ts");
  expect(answer).toContain("**`src/lock.ts`** has 10 lines. It begins:");
  expect(answer).toContain("It defines:\n\n- line 4: function `takeLock`\n- line 8: class `Lock`\n");
  expect(await answerTo("show src/bridge.ts")).toContain("There is no file `src/bridge.ts` here.");
});

test("an empty result says what was searched and what to try", async () => {
  const answer = await answerTo("how does the zeppelin fly?");
  expect(answer).toContain("**Nothing found for `zeppelin` and `fly`.**");
  expect(answer).toContain("Searched 8 files");
  expect(await answerTo("where is anything?", {})).toContain("I found nothing to search for in that.");
  expect(await answerTo("where is takeLock?", {})).toContain("there are no files here");
});

test("a word without matches is named beside the results", async () => {
  expect(await answerTo("takeLock zeppelin")).toContain("Not found anywhere: `zeppelin`.");
});

test("the first event is text, before any tool, and every tool call is settled", async () => {
  const { table } = await seated();
  await table.run("where is takeLock defined?");
  expect(table.events[0]?.type).toBe("text_delta");
  const calls = table.all("tool_call_start");
  expect(calls.map((call) => call.name)).toEqual(["list_files", "search_text", "read_file", "read_lines"]);
  expect(new Map(table.all("tool_result").map((result) => [result.nativeId, result.ok]))).toEqual(
    new Map(calls.map((call) => [call.nativeId, true])),
  );
  expect(table.events.at(-1)).toMatchObject({ usage: { inputTokens: 0, outputTokens: 0, costUsd: 0 } });
});

test('"more" shows the next locations of the last question until there are none', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 30 }, (_, n) => [`f${n}.ts`, `export const harbour${n} = 1;\n`]),
  );
  const { table } = await seated(files);
  await table.run("harbour", "one");
  const first = table.text();
  await table.run("more", "two");
  const second = table.text().slice(first.length);
  expect(second).toMatch(/^More matches for your last question:/);
  const excerptsOf = (text: string) => [...text.matchAll(/^`(f\d+\.ts:1)`$/gm)].map(([, hit]) => hit);
  expect(excerptsOf(first)).toHaveLength(4);
  expect(excerptsOf(second)).toHaveLength(4);
  expect(excerptsOf(second).filter((hit) => excerptsOf(first).includes(hit))).toEqual([]);
  const fresh = await seated();
  await fresh.table.run("more");
  expect(fresh.table.text()).toContain("There is nothing more to show");
});

test("links out of the directory are neither searched nor shown", async () => {
  const outside = await scratchTree({ "secret.txt": "harbour secret" });
  const { cwd, table } = await seated({ "a.txt": "harbour" });
  await symlink(outside, join(cwd, "away"));
  await symlink(join(outside, "secret.txt"), join(cwd, "link.txt"));
  await symlink(cwd, join(cwd, "loop"));
  await table.run("harbour secret");
  expect(table.text()).not.toContain("secret.txt");
  expect(table.text()).toContain("Searched 1 file");
});

test("no control character of a file, a file name or a question is shown", async () => {
  const escape = String.fromCharCode(27);
  const { table } = await seated({
    [`ha${escape}r\nbour.txt`]: `harbour ${escape}]0;title${String.fromCharCode(7)}\r\n`,
  });
  await table.run(`harbour ${escape}[31m`);
  await table.run(`/try ${escape}[2J`, "two");
  const strings = JSON.stringify(table.events);
  expect(strings).not.toMatch(/\\u00(?:0[0-8b-f]|1[0-9a-f]|7f|[89][0-9a-f])|\\[bfr]/);
  expect(table.text()).toContain("ha\uFFFDr\uFFFDbour.txt:1");
});

test("missing tracked files are counted and reported", async () => {
  const { cwd, table } = await seated({ "a.txt": "harbour", "gone.txt": "harbour" });
  execFileSync("git", ["init", "-q"], { cwd });
  execFileSync("git", ["add", "."], { cwd });
  await rm(join(cwd, "gone.txt"));
  await table.run("harbour");
  expect(table.text()).toContain("*Searched 1 file (1 kB); skipped 1 unreadable.");
});

test.skipIf(process.getuid?.() === 0)("unreadable files are counted and reported", async () => {
  const { cwd, table } = await seated({ "a.txt": "harbour", "shut.txt": "harbour" });
  await chmod(join(cwd, "shut.txt"), 0);
  await mkdir(join(cwd, "closed"));
  await chmod(join(cwd, "closed"), 0);
  await table.run("harbour");
  await chmod(join(cwd, "closed"), 0o700);
  expect(table.text()).toContain("skipped 1 unreadable");
  expect(table.text()).toContain("1 directory could not be opened");
});

test(
  "[A2] a search can be interrupted at any event, and ends once with its tools settled",
  { timeout: patient(60_000) },
  async () => {
    const { table: whole } = await seated();
    await whole.run("where is takeLock defined?");
    // An interrupt inside the last two events is too late: the turn is already ending.
    const count = whole.events.length - 1;
    for (let at = 1; at < count; at++) {
      const { table } = await seated(PROJECT, () => {
        if (table.events.length === at) table.agent.interrupt();
      });
      const end = await table.run("where is takeLock defined?");
      await settle();
      expect([at, end.outcome, table.all("turn_done").length]).toEqual([at, "interrupted", 1]);
      expect(table.all("tool_result").length).toBe(table.all("tool_call_start").length);
      expect(table.events.at(-1)?.type).toBe("turn_done");
      await table.agent.close();
    }
  },
);

test(
  "a steer at any event is either answered in the same turn or never reported",
  { timeout: patient(60_000) },
  async () => {
    const { table: whole } = await seated();
    await whole.run("where is takeLock defined?");
    const count = whole.events.length;
    let taken = 0;
    for (let at = 1; at < count; at++) {
      const { table } = await seated(PROJECT, () => {
        if (table.events.length === at)
          table.agent.send({ kind: "steer", messageId: "m1", text: "and the torn tail?" });
      });
      expect((await table.run("where is takeLock defined?")).outcome).toBe("completed");
      const steered = table.all("steered").length;
      taken += steered;
      expect([at, steered, table.text().includes("recovery.md")]).toEqual([at, steered, steered === 1]);
      expect(table.text()).toContain("src/lock.ts:4");
      await table.agent.close();
    }
    // Only a steer with the very last event is too late.
    expect(taken).toBeGreaterThanOrEqual(count - 2);
  },
);

test("a steer while the answer is written is answered after it, also a test phrase", async () => {
  const { table } = await seated(PROJECT, (event) => {
    if (event.type === "text_delta" && event.text.startsWith("**`takeLock`")) {
      table.agent.send({ kind: "steer", messageId: "m1", text: "/try notify" });
    }
  });
  await table.run("where is takeLock defined?");
  expect(table.all("steered")).toHaveLength(1);
  expect(table.all("ui_notify")).toHaveLength(4);
  expect(table.text()).toMatch(/no model involved\.\*\n\n\nYou also asked:\n\nFour notices/);
});

test("thousands of files are searched in full, with text first and little memory", async () => {
  const { cwd, table } = await seated({ "needle.ts": "export function findNeedle() {}\n" });
  const directories = rounds(20, 100);
  for (let directory = 0; directory < directories; directory++) {
    await mkdir(join(cwd, `d${directory}`));
    await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        writeFile(join(cwd, `d${directory}`, `f${n}.ts`), "const needle = 1;\n".repeat(5)),
      ),
    );
  }
  await table.run("where is findNeedle defined");
  expect(table.events[0]?.type).toBe("text_delta");
  expect(table.text()).toContain("`findNeedle` is defined in `needle.ts:1`");
  expect(table.text()).toContain(`Searched ${directories === 20 ? "2,001" : "10,001"} files`);
  expect(JSON.stringify(table.events).length).toBeLessThan(40_000);
});

test("attachments are ignored with a note", async () => {
  const { table } = await seated();
  const attachments = [{ name: "x.png", mime: "image/png", blob: { sha256: "0".repeat(64), bytes: 1 } }];
  table.agent.send({ kind: "turn", turnId: "t", text: "where is takeLock defined?", attachments });
  await table.next("turn_done");
  expect(table.text()).toMatch(/^I only read files in this directory; ignoring 1 attachment\./);
});

test('"where to start" is answered in a few lines, each with a location', async () => {
  const files = {
    ...PROJECT,
    "docs/architecture.md": "# Architecture\n\nA ferry.\n\n## Code map\n\n- `src/`\n",
    "src/main.ts": 'import { Ferry } from "./ferry.ts";\n\nexport function main(): void {\n  new Ferry().start();\n}\n',
  };
  expect(await answerTo("where do I start reading?", files))
    .toBe(`**Start with \`README.md:3\`, then \`docs/architecture.md:5\`.**

1. \`README.md:3\`: Carries messages over the river.
2. \`docs/architecture.md:5\`: how the code is laid out (7 lines)
3. \`src/main.ts:3\`: the program's entry point
4. \`npm test\` (\`package.json:6\`): runs the tests (1 file)

*scout matches words; no model involved.*
`);
});

test("the question offered first is answered in both of its parts", async () => {
  const answer = await answerTo("What is this project, and where should I start reading?", PROJECT);
  expect(answer).toContain("**ferry**: ");
  expect(answer).toContain("Carries messages over the river.");
  expect(answer).toContain("**Start with `README.md:3`");
  expect(answer).not.toContain("Nothing found");
});

test("a README without a description is not said to be missing", async () => {
  const answer = await answerTo("What is this project, and where should I start reading?", {
    "README.md": "# ferry\n",
  });
  expect(answer).toContain("From `README.md:1`.");
  expect(answer).toContain("I found no description, manifest or entry point here.");
});

test("the note that no model is involved is shown once per session", async () => {
  const { table } = await seated();
  await table.run("where is takeLock defined?");
  await table.run("where is Ferry defined?");
  await table.agent.close();
  expect(table.text().match(/no model involved/g)).toHaveLength(1);
});

test("a product named like a file is not searched as a file", async () => {
  expect(await answerTo("Node.js")).not.toContain("There is no file");
});
