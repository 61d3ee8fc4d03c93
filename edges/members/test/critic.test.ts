/** The agent contract on critic, and critic on real directories. */
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type AgentEvent, createAgentFactory, type MissedMessage } from "../../../src/agents/index.ts";
import { embedded } from "../../../src/cli/edges.ts";
import { agentContract } from "../../../test/agents/agent.contract.ts";
import { scratchTree } from "../../../test/agents/scratch-tree.ts";
import { settle, startAgent } from "../../../test/agents/agent-probe.ts";
import { patient } from "../../../test/patience.ts";

const createAgent = createAgentFactory(embedded);

const PROJECT: Readonly<Record<string, string>> = {
  "src/lock.ts":
    "/** Takes the lock. */\nexport function takeLock(path: string) {\n  try {\n    return open(path);\n  } catch {}\n  // TODO: say who holds the lock\n}\n",
  "src/lock.test.ts": 'import { takeLock } from "./lock.ts";\n\ntest.skip("takeLock", () => takeLock("x"));\n',
  "src/ferry.ts":
    'import { takeLock } from "./lock.ts";\n\nexport class Ferry {\n  start() {\n    takeLock("x");\n  }\n}\n',
  "src/quiet.ts": "export const calm = 1;\n",
  "src/quiet.test.ts": 'import { calm } from "./quiet.ts";\n',
  "README.md": "# Ferry\n",
};

const spec = { name: "critic", kind: "embedded" } as const;

async function seatedAt(cwd: string, onEvent?: (event: AgentEvent) => void) {
  const table = await startAgent(createAgent(spec, { sessionId: "session", cwd, writable: false }), onEvent);
  let turns = 0;
  const ask = async (text: string, rest: { missed?: readonly MissedMessage[]; round?: number } = {}) => {
    const [from, before] = [table.text().length, table.events.length];
    table.agent.send({ kind: "turn", turnId: `turn-${++turns}`, text, attachments: [], ...rest });
    expect((await table.next("turn_done", before)).outcome).toBe("completed");
    return table.text().slice(from);
  };
  return { table, ask };
}

async function answerTo(question: string, files = PROJECT): Promise<string> {
  const { table, ask } = await seatedAt(await scratchTree(files));
  const answer = await ask(question);
  await table.agent.close();
  return answer;
}

function by(name: string, text: string): MissedMessage {
  return { speaker: { kind: "member", name }, text };
}

agentContract("critic", {
  async create() {
    return createAgent(spec, { sessionId: "session", cwd: await scratchTree(PROJECT), writable: false });
  },
  async createUnable() {
    return createAgent(spec, { sessionId: "session", cwd: join(await scratchTree(), "not-there"), writable: false });
  },
  says: {
    short: "help",
    endless: "risks around takeLock",
    endlessTool: "risks around takeLock",
    request: null,
    steerable: "risks around takeLock",
  },
});

test("first round: untested names and signs of risk around the search terms, with locations", async () => {
  expect(await answerTo("what are the risks around takeLock?"))
    .toBe(`Looking for risks and missing tests around \`takeLock\`.

**1 file with code that no test mentions and 3 signs of risk around \`takeLock\`.**

Missing tests:

- \`src/ferry.ts\` (7 lines): no test file next to it, and no test mentions it or a file that uses it

Signs of risk, most severe first:

- \`src/lock.test.ts:3\` a test that does not run, or keeps others from running: \`test.skip("takeLock", () => takeLock("x"));\`
- \`src/lock.ts:5\` an error is caught and dropped: \`} catch {}\`
- \`src/lock.ts:6\` left to do: \`// TODO: say who holds the lock\`

*Checked 3 of 6 files; compared with 2 test files by name; no tests were run. critic checks by rules; no model involved.*
`);
});

test.each([
  ["review this project", "**1 file with code that no test mentions and 3 signs of risk in this project.**"],
  [
    "what is untested in src/ferry.ts",
    "- `src/ferry.ts` (7 lines): no test file next to it, and no test mentions it or a file that uses it",
  ],
  ["risks around calm", "Nothing to add. I found none of the signs I look for:"],
  ["risks around the zeppelin", "Nothing to add. No source file contains `zeppelin`."],
  ["is that right?", "Nothing to add. No other member has said anything I could check."],
  ["/try confirm", "Nothing to add. The test phrases are for scout."],
  ["how do I run the tests?", "Nothing to add. Ask me for *risks around* a word"],
  ["hello", "Nothing to add. Ask me for *risks around* a word"],
  ["help", "I use no model and no network, change nothing"],
])("%j is answered with %j", async (question, expected) => {
  expect(await answerTo(question)).toContain(expected);
});

test("a project without tests is reported once, an empty one not at all", async () => {
  expect(await answerTo("review this project", { "a.ts": "x\n", "b.ts": "x\n" })).toContain(
    "There are no tests here at all.",
  );
  expect(await answerTo("review this project", {})).toContain("Nothing to add. There are no source files here.");
});

test("a secret is reported by its location and never printed, not even in a tool call", async () => {
  const secret = ["AKIA", "ABCDEFGH12345678"].join("");
  const cwd = await scratchTree({ "src/key.ts": `const takeKey = "${secret}";\n`, "notes.env": `KEY=${secret}\n` });
  const { table, ask } = await seatedAt(cwd);
  const answer = await ask("risks around takeKey");
  expect(answer).toContain("- `src/key.ts:1` looks like a secret (not shown)");
  await ask("x", { round: 2, missed: [by("codex", "`notes.env:1` and `src/key.ts:1` have `otherKey`.")] });
  expect(JSON.stringify(table.events)).not.toContain(secret);
  await table.agent.close();
});

test("in a discussion each member is answered by name: wrong, unproven, disagreed on, missing", async () => {
  const { table, ask } = await seatedAt(await scratchTree(PROJECT));
  const answer = await ask("where is takeLock and who calls holdLock?", {
    round: 2,
    missed: [
      { speaker: { kind: "user" }, text: "`src/nowhere.ts:1`" },
      by("scout", "**`takeLock` is defined in `src/lock.ts:2`.** It is called in `src/ferry.ts:5`."),
      by(
        "codex",
        "`takeLock` is defined in `src/gate.ts:9`. `src/ferry.ts:99` calls it. It uses `openGate()`. scout is wrong.",
      ),
    ],
  });
  expect(answer).toBe(`To **codex**:

- \`src/gate.ts:9\`: there is no such file.
- \`src/ferry.ts:99\`: the file has only 7 lines.

To **codex**:

- Unproven: \`openGate\` appears in none of the 6 files here.

To all:

- Disagreement: Where \`takeLock\` is defined: **scout** says \`src/lock.ts:2\` and **codex** says \`src/gate.ts:9\`.
- Disagreement: **codex** contradicts **scout**: \`scout is wrong.\`
- Missing: \`src/ferry.ts\`: no test file next to it, and no test mentions it or a file that uses it.
- Missing: nobody mentioned \`holdLock\`.

*Compared scout and codex with the files. Places that check out: 2 of 4. critic checks by rules; no model involved.*
`);
  await table.agent.close();
});

test("correct claims and repeated findings are not reported: nothing to add", async () => {
  const { table, ask } = await seatedAt(await scratchTree(PROJECT));
  const right = [by("scout", "**`calm` is defined in `src/quiet.ts:1`.**")];
  expect(await ask("where is calm", { round: 2, missed: right })).toBe("Nothing to add.");
  const wrong = [by("scout", "See `src/quiet.ts:50`.")];
  expect(await ask("where is calm", { round: 3, missed: wrong })).toContain(
    "`src/quiet.ts:50`: the file has only 1 line.",
  );
  expect(await ask("where is calm", { round: 4, missed: wrong })).toBe("Nothing to add.");
  expect(await ask("where is calm", { round: 5, missed: [] })).toBe("Nothing to add.");
  expect(await ask("where is calm", { round: 6, missed: [by("scout", "Nothing to add.")] })).toBe("Nothing to add.");
  await table.agent.close();
});

test("a long answer without locations is called unproven, a short one is left alone", async () => {
  const { table, ask } = await seatedAt(await scratchTree(PROJECT));
  const heard = [by("codex", "It is all about care. ".repeat(30)), by("pi", "I agree.")];
  const answer = await ask("what about it", { round: 2, missed: heard });
  expect(answer).toContain("To **codex**:\n\n- Unproven: names no file or line, so there is nothing to check.");
  expect(answer).not.toContain("To **pi**");
  await table.agent.close();
});

test("in the first round earlier messages are ignored, unless the question asks for a judgement", async () => {
  const heard = [by("scout", "See `src/lock.ts:99`.")];
  const { table, ask } = await seatedAt(await scratchTree(PROJECT));
  expect(await ask("where is calm", { round: 1, missed: heard })).toMatch(
    /^Looking for risks and missing tests around `calm`\./,
  );
  expect(await ask("risks around calm", { missed: heard })).toMatch(
    /^Looking for risks and missing tests around `calm`\./,
  );
  expect(await ask("is that right?", { round: 1, missed: heard })).toMatch(/^To \*\*scout\*\*:/);
  await table.agent.close();
  const { table: alone, ask: askAlone } = await seatedAt(await scratchTree(PROJECT));
  expect(await askAlone("what do you say to that", { missed: heard })).toMatch(/^To \*\*scout\*\*:/);
  await alone.agent.close();
});

test("members' text opens no file outside the directory, runs no command, and is quoted without markup", async () => {
  const outside = await scratchTree({ "secret.ts": "the secret itself\n" });
  const cwd = await scratchTree(PROJECT);
  await symlink(outside, join(cwd, "away"));
  const escape = String.fromCharCode(27);
  const { table, ask } = await seatedAt(cwd);
  const answer = await ask("where", {
    round: 2,
    missed: [
      by(
        "codex",
        `\`${outside}/secret.ts:1\`, \`away/secret.ts:1\`, \`../x.ts:1\`, --output=x.ts:1, \`$(touch x).ts:1\` ${escape}[2J`,
      ),
      by("pi", `\`src/lock.ts:99${escape}[2J\` and \`**x**<img>.ts:4\` codex is wrong ${escape}[31m`),
    ],
  });
  expect(answer).toContain("is outside this directory, so I did not check it.");
  expect(JSON.stringify(table.events)).not.toContain("the secret itself");
  expect(JSON.stringify(table.events)).not.toMatch(/\\u00(?:0[0-8b-f]|1[0-9a-f]|7f)/);
  await table.agent.close();
});

test(
  "a turn can be interrupted at any event, and ends once with its tools settled",
  { timeout: patient(120_000) },
  async () => {
    const cwd = await scratchTree(PROJECT);
    const heard = [by("codex", "See `src/lock.ts:99` and `openGate()`.")];
    for (const rest of [{}, { round: 2, missed: heard }]) {
      const { table: whole, ask } = await seatedAt(cwd);
      await ask("risks around takeLock", rest);
      for (let at = 1; at < whole.events.length - 2; at++) {
        const table = await startAgent(createAgent(spec, { sessionId: "session", cwd, writable: false }), () => {
          if (table.events.length === at) table.agent.interrupt();
        });
        table.agent.send({ kind: "turn", turnId: "t", text: "risks around takeLock", attachments: [], ...rest });
        const end = await table.next("turn_done");
        await settle();
        expect([at, end.outcome, table.all("turn_done").length]).toEqual([at, "interrupted", 1]);
        expect(table.all("tool_result").length).toBe(table.all("tool_call_start").length);
        await table.agent.close();
      }
    }
  },
);

test("a message while it searches adds its words, and one while it checks is answered after", async () => {
  const cwd = await scratchTree(PROJECT);
  const heard = [by("codex", "See `src/lock.ts:99`.")];
  for (const [rest, expected] of [
    [{}, "Added to the search: `Ferry`"],
    [{ round: 2, missed: heard }, "You also asked:\n\nLooking for risks and missing tests around `Ferry`."],
  ] as const) {
    let isSent = false;
    const { table, ask } = await seatedAt(cwd, (event) => {
      if (isSent || event.type !== "tool_call_start") return;
      isSent = true;
      table.agent.send({ kind: "steer", messageId: "m1", text: "and the Ferry?" });
    });
    expect(await ask("risks around takeLock", rest)).toContain(expected);
    expect(table.all("steered")).toHaveLength(1);
    await table.agent.close();
  }
});

test("text comes first in the first round, more shows further signs, and what is said is bounded", async () => {
  const files = Object.fromEntries(
    Array.from({ length: 8 }, (_, at) => [
      `src/harbour${at}.ts`,
      `${"// TODO: harbour\n".repeat(100)}export const harbour${at} = 1;\n`,
    ]),
  );
  const { table, ask } = await seatedAt(await scratchTree(files));
  await ask("risks around the harbour");
  expect(table.events[0]?.type).toBe("text_delta");
  expect(table.text().length).toBeLessThan(6_000);
  expect(await ask("more")).toMatch(
    /^Signs of risk, most severe first:\n\n(?:- `src\/harbour.*\n){10}- … and \d+ more signs/,
  );
  const many = Array.from({ length: 300 }, (_, at) => `\`src/gone${at}.ts:${at + 1}\``).join(" and ");
  const answer = await ask("x", { round: 2, missed: [by("codex", many), by("pi", many)] });
  expect(answer).toMatch(/… and \d+ more points\./);
  expect(answer.length).toBeLessThan(8_000);
  await table.agent.close();
});
