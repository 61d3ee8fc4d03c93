/** The agent contract on historian, and historian on real repositories. */
import { chmod, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type AgentEvent, createAgentFactory, type MissedMessage } from "../../../src/agents/index.ts";
import { embedded } from "../../../src/cli/edges.ts";
import { agentContract } from "../../../test/agents/agent.contract.ts";
import {
  commitAll,
  git,
  repositoryOfFile,
  scratchRepository,
  type ScratchCommit,
} from "../../../test/agents/scratch-repository.ts";
import { scratchTree } from "../../../test/agents/scratch-tree.ts";
import { settle, startAgent } from "../../../test/agents/agent-probe.ts";
import { patient } from "../../../test/patience.ts";

const createAgent = createAgentFactory(embedded);

const LOCK = "/** Takes the lock. */\nexport function takeLock(path: string) {\n  return path;\n}\n";

/** A name that stays, a removed one, a removed file, two authors, reasons in messages. */
const HISTORY: readonly ScratchCommit[] = [
  {
    by: "Ada Lovelace",
    day: "2024-01-02",
    message: "lock: take it at open\n\nTwo ferrymen sank a boat.\n\nSigned-off-by: Ada <a@b>",
    files: { "src/lock.ts": LOCK, "README.md": "# Ferry\n" },
  },
  {
    by: "Bob",
    day: "2024-02-03",
    message: "bridge: a way over the river",
    files: { "src/bridge.ts": "export function crossBridge() {}\n" },
  },
  {
    by: "Bob",
    day: "2024-03-04",
    message: "lock: say who holds it\n\nNobody knew whom to ask.",
    files: {
      "src/lock.ts": LOCK.replace("  return path;", '  return { path, heldBy: "me" };'),
      "src/ferry.ts": 'import { takeLock } from "./lock.ts";\n\ntakeLock("x");\n',
    },
  },
  {
    by: "Ada Lovelace",
    day: "2024-04-05",
    message: "bridge: removed, ferries are enough",
    files: { "src/bridge.ts": null },
  },
];

const ferry = repositoryOfFile(HISTORY);
const spec = { name: "historian", kind: "embedded" } as const;

async function seatedAt(cwd: string, onEvent?: (event: AgentEvent) => void) {
  return startAgent(createAgent(spec, { sessionId: "session", cwd, writable: false }), onEvent);
}

async function answerAt(cwd: string, question: string): Promise<string> {
  const table = await seatedAt(cwd);
  expect((await table.run(question)).outcome).toBe("completed");
  await table.agent.close();
  return table.text();
}

agentContract("historian", {
  async create() {
    return createAgent(spec, { sessionId: "session", cwd: ferry.shared().root, writable: false });
  },
  async createUnable() {
    return createAgent(spec, { sessionId: "session", cwd: join(await scratchTree(), "not-there"), writable: false });
  },
  says: {
    short: "help",
    endless: "who wrote takeLock and why",
    endlessTool: "who wrote takeLock and why",
    request: null,
    steerable: "who wrote takeLock and why",
  },
});

test("origin of a name: the commit that added it, its current lines, the changes", async () => {
  const { root, ids } = ferry.shared();
  const [first, , third] = ids;
  expect(await answerAt(root, "who wrote takeLock and why?")).toBe(`Looking through the history for \`takeLock\`.

**\`takeLock\` was added to \`src/lock.ts\` in \`${first}\` on 2024-01-02, by Ada Lovelace: \`lock: take it at open\`, the first commit here.** The last commit to add or remove an occurrence is \`${third}\` on 2024-03-04, by Bob: \`lock: say who holds it\`. 2 commits by Bob (1) and Ada Lovelace (1).

Who wrote the current lines:

\`src/lock.ts:2\`: \`${first}\` 2024-01-02 Ada Lovelace: \`lock: take it at open\`

\`\`\`text
${first} 2024-01-02 Ada Lovelace    1| /** Takes the lock. */
${first} 2024-01-02 Ada Lovelace    2| export function takeLock(path: string) {
${third} 2024-03-04 Bob             3|   return { path, heldBy: "me" };
${first} 2024-01-02 Ada Lovelace    4| }
\`\`\`

\`${first}\` 2024-01-02 Ada Lovelace: \`lock: take it at open\`

\`\`\`text
Two ferrymen sank a boat.
\`\`\`

in \`src/lock.ts\`

\`\`\`diff
@@ -0,0 +1,4 @@
+/** Takes the lock. */
+export function takeLock(path: string) {
+  return path;
+}
\`\`\`

\`${third}\` 2024-03-04 Bob: \`lock: say who holds it\`

\`\`\`text
Nobody knew whom to ask.
\`\`\`

in \`src/ferry.ts\`

\`\`\`diff
@@ -0,0 +1,3 @@
+import { takeLock } from "./lock.ts";
+
+takeLock("x");
\`\`\`

*historian reads git by rules; no model involved.*
`);
});

test("a removed name is explained by the commits that removed and added it", async () => {
  const { root, ids } = ferry.shared();
  const answer = await answerAt(root, "what happened to crossBridge?");
  expect(answer).toContain(
    `**\`crossBridge\` is gone: it was removed in \`${ids[3]}\` on 2024-04-05, by Ada Lovelace: \`bridge: removed, ferries are enough\`.**`,
  );
  expect(answer).toContain(`It was added to \`src/bridge.ts\` in \`${ids[1]}\` on 2024-02-03, by Bob`);
});

test.each([
  [
    "why was the bridge removed",
    (ids: string[]) => `**\`bridge\` is gone: it was removed in \`${ids[3]}\` on 2024-04-05, by Ada Lovelace`,
  ],
  [
    "what changed recently",
    (ids: string[]) => `**The newest commit is \`${ids[3]}\`** from 2024-04-05 by Ada Lovelace`,
  ],
  ["the last 2 commits", (ids: string[]) => `- \`${ids[2]}\` 2024-03-04 Bob: \`lock: say who holds it\`\n\n*`],
  ["who works on this?", () => "**2 authors in 4 commits:**\n\n- Ada Lovelace: 2 commits, 2024-01-02 to 2024-04-05\n"],
  [
    "history of src/lock.ts",
    (ids: string[]) => `**\`src/lock.ts\` was added in \`${ids[0]}\` on 2024-01-02, by Ada Lovelace.**`,
  ],
  ["who wrote src/lock.ts:3", (ids: string[]) => `\`src/lock.ts:3\`: \`${ids[2]}\` 2024-03-04 Bob`],
  [
    "what became of bridge.ts",
    (ids: string[]) => `**\`bridge.ts\` is gone: deleted, moved or renamed in \`${ids[3]}\``,
  ],
  ["what did Bob change", (ids: string[]) => `**The newest commit by Bob is \`${ids[2]}\``],
  ["what changed since 2024-03-30", (ids: string[]) => `**The newest commit is \`${ids[3]}\``],
])("%j is answered out of git", async (question, expected) => {
  const { root, ids } = ferry.shared();
  expect(await answerAt(root, question)).toContain(expected(ids));
});

test("a named commit is shown with message, files and lines; a missing one is reported", async () => {
  const { root, ids } = ferry.shared();
  const answer = await answerAt(root, `show ${git(root, ["rev-parse", `${ids[2]}`]).trim()} and 0123abc`);
  expect(answer).toContain(
    "```text\nNobody knew whom to ask.\n```\n\n2 files: `src/ferry.ts` (added +3 −0) and `src/lock.ts` (+1 −1).",
  );
  expect(answer).toContain('-  return path;\n+  return { path, heldBy: "me" };');
  expect(answer).toContain("There is no commit `0123abc` here, or the abbreviation is ambiguous.");
});

test("more shows the commits that were found and not listed, until there are none", async () => {
  const commits = Array.from({ length: 30 }, (_, at) => ({
    by: "Ada",
    day: `2024-01-${String(at + 1).padStart(2, "0")}`,
    message: `harbour ${at}`,
    files: {},
  }));
  const table = await seatedAt((await scratchRepository(commits)).root);
  await table.run("harbour", "one");
  await table.run("more", "two");
  await table.run("more", "three");
  await table.run("more", "four");
  const said = [...table.text().matchAll(/harbour \d+`/g)].map(([subject]) => subject);
  expect(new Set(said).size).toBe(30);
  expect(table.text()).toMatch(/There is nothing more to show\. Ask another question\.\n$/);
  await table.agent.close();
});

test("without history the answer gives the reason", async () => {
  expect(await answerAt(await scratchTree({ "a.txt": "lock" }), "who wrote the lock")).toContain(
    "**This directory is not in a git repository, so there is no history to read.",
  );
  expect(await answerAt((await scratchRepository()).root, "who wrote the lock")).toContain(
    "**This git repository has no commits yet",
  );
  const { root } = await ferry.copy();
  await writeFile(join(root, ".git", "HEAD"), "damaged");
  expect(await answerAt(root, "who wrote the lock")).toContain(
    `**There is \`${join(root, ".git")}\`, but git cannot read it`,
  );
  const { root: good } = ferry.shared();
  expect(await answerAt(good, "who wrote the zeppelin")).toContain("**Nothing found for `zeppelin`**");
});

test("a shallow clone says that older history is missing, and does not call its oldest commit the first", async () => {
  const { root } = ferry.shared();
  const clone = join(await scratchTree(), "clone");
  git(root, ["clone", "--quiet", "--depth=1", `file://${root}`, clone]);
  const answer = await answerAt(clone, "when was takeLock added");
  expect(answer).toContain("; older history is not in this shallow clone");
  expect(answer).toContain(
    "*This is a shallow clone: older commits are missing (`git fetch --unshallow` fetches them).",
  );
});

test("uncommitted lines are distinguished from committed ones", async () => {
  const { root } = await ferry.copy();
  await writeFile(join(root, "src/new.ts"), "export function raiseAnchor() {}\n");
  expect(await answerAt(root, "who wrote raiseAnchor")).toContain("`src/new.ts:1` is not committed yet.");
  await writeFile(join(root, "src/lock.ts"), `// new\n// new\n${LOCK}`);
  const answer = await answerAt(root, "who wrote src/lock.ts:4");
  expect(answer).toMatch(
    /`src\/lock\.ts:4`: `\w+` 2024-01-02 Ada Lovelace: .*uncommitted changes; the committed version:/,
  );
});

test("a directory inside a repository is searched alone, and a repository without files still has commits", async () => {
  const { root } = await ferry.copy();
  await commitAll(root, [
    { by: "Eve", day: "2024-05-06", message: "docs: harbour", files: { "docs/a.md": "harbour\n" } },
  ]);
  expect(await answerAt(join(root, "docs"), "what changed recently")).toContain(
    "from 2024-05-06 by Eve: `docs: harbour`",
  );
  expect(await answerAt(join(root, "src"), "what changed recently")).not.toContain("Eve");
  const bare = join(await scratchTree(), "bare");
  git(root, ["clone", "--quiet", "--bare", root, bare]);
  expect(await answerAt(bare, "who wrote takeLock")).toContain("**`takeLock` was added to `src/lock.ts` in");
});

test.skipIf(process.platform === "win32")(
  "nothing that a repository configures is run, and nothing is fetched",
  { timeout: patient(60_000) },
  async () => {
    const { root } = await ferry.copy();
    const mark = join(await scratchTree(), "was-run");
    const script = join(root, "evil.sh");
    await writeFile(script, `#!/bin/sh\necho ran >> '${mark}'\nexit 1\n`);
    await chmod(script, 0o755);
    await writeFile(join(root, ".gitattributes"), "*.ts diff=evil filter=evil\n");
    // A shell reads it.
    const command = `'${script}'`;
    for (const [key, value] of [
      ["diff.external", command],
      ["diff.evil.textconv", command],
      ["diff.evil.command", command],
      ["filter.evil.clean", command],
      ["filter.evil.smudge", command],
      ["core.fsmonitor", command],
      ["core.pager", command],
      ["gpg.program", script],
      ["log.showSignature", "true"],
      ["extensions.partialClone", "origin"],
      ["remote.origin.url", root],
      ["remote.origin.promisor", "true"],
      ["remote.origin.uploadpack", command],
    ] as const) {
      git(root, ["config", key, value]);
    }
    // A missing object makes git fetch it from the promisor remote.
    const blob = git(root, ["rev-parse", "HEAD~3:src/lock.ts"]).trim();
    await rm(join(root, ".git/objects", blob.slice(0, 2), blob.slice(2)));
    for (const question of [
      "who wrote takeLock",
      "history of src/lock.ts",
      "who wrote src/lock.ts:2",
      "what changed recently",
    ]) {
      await answerAt(root, question);
    }
    expect(await readIfPresent(mark)).toBeUndefined();
    // Controls: without the guards each of these runs it.
    for (const args of [["log", "-p", "-SheldBy"], ["blame", "src/lock.ts"], ["cat-file", "-p", blob], ["status"]]) {
      try {
        git(root, ["--no-pager", ...args]);
      } catch {
        // The script and git fail; only its start matters.
      }
      expect([args, await readIfPresent(mark)]).toEqual([args, expect.stringContaining("ran")]);
      await rm(mark);
    }
  },
);

async function readIfPresent(path: string): Promise<string | undefined> {
  return readFile(path, "utf8").catch(() => undefined);
}

test("a question full of options and patterns reaches git as words only", async () => {
  const { root } = await ferry.copy();
  const outside = join(root, "written.txt");
  for (const question of [
    `who wrote "--output=${outside}"`,
    `who wrote \`--ext-diff\` and \`-O${outside}\``,
    'history of ":(exclude)*" and ":/"',
    "who wrote `--all`.ts and -p --help",
    'who wrote "a\0b"',
    "history of --exec=x.sh",
    "what did --author=Bob change since --output=x",
  ]) {
    expect(await answerAt(root, question)).toMatch(/historian reads git by rules|There is no word in that/);
  }
  expect(git(root, ["status", "--porcelain"])).toBe("");
});

test("in a later round locations named by others are blamed once, and then there is nothing to add", async () => {
  const { root, ids } = await ferry.copy();
  const outside = await scratchTree({ "secret.ts": "secret\n" });
  await symlink(outside, join(root, "away"));
  const table = await seatedAt(root);
  const discuss = async (turnId: string, heard: readonly MissedMessage[]) => {
    const from = table.text().length;
    const before = table.events.length;
    table.agent.send({ kind: "turn", turnId, text: "where is the lock", attachments: [], round: 2, missed: heard });
    await table.next("turn_done", before);
    return table.text().slice(from);
  };
  const scout = (text: string): MissedMessage => ({ speaker: { kind: "member", name: "scout" }, text });
  const answer = await discuss("one", [scout(`See \`src/lock.ts:3\`, away/secret.ts:1 and ${outside}/secret.ts:1.`)]);
  expect(answer).toMatch(/^Who wrote the lines that scout mentioned:\n\n`src\/lock\.ts:3`/);
  expect(answer).toContain(`${ids[2]} 2024-03-04 Bob`);
  expect(answer).not.toContain("secret");
  expect(await discuss("two", [scout("Again `src/lock.ts:4`.")])).toBe("Nothing to add.");
  expect(await discuss("three", [{ speaker: { kind: "user" }, text: "src/ferry.ts:1" }])).toBe("Nothing to add.");
  expect(await discuss("four", [])).toBe("Nothing to add.");
  await table.agent.close();
});

test(
  "a turn can be interrupted at any event, and ends once with its tools settled",
  { timeout: patient(120_000) },
  async () => {
    const { root } = ferry.shared();
    const whole = await seatedAt(root);
    await whole.run("who wrote takeLock");
    const steps = [1, 2, 3, 5, 8, 12, 20, 30, whole.events.length - 4].filter((at) => at < whole.events.length - 3);
    for (const at of steps) {
      const table = await seatedAt(root, () => {
        if (table.events.length === at) table.agent.interrupt();
      });
      const end = await table.run("who wrote takeLock");
      await settle();
      expect([at, end.outcome, table.all("turn_done").length]).toEqual([at, "interrupted", 1]);
      expect(table.all("tool_result").length).toBe(table.all("tool_call_start").length);
      await table.agent.close();
    }
  },
);

test("a message while it searches adds its words, and one while it writes is answered after", async () => {
  const { root } = ferry.shared();
  for (const when of ["tool_call_start", "git_show"]) {
    let isSent = false;
    const table = await seatedAt(root, (event) => {
      if (isSent || event.type !== "tool_call_start" || (when === "git_show" && event.name !== when)) return;
      isSent = true;
      table.agent.send({ kind: "steer", messageId: "m1", text: "and crossBridge?" });
    });
    await table.run("who wrote takeLock");
    expect(table.all("steered")).toHaveLength(1);
    expect(table.text()).toContain(when === "git_show" ? "You also asked:" : "Added to the search: `crossBridge`");
    expect(table.text()).toContain("bridge: removed, ferries are enough");
    await table.agent.close();
  }
});

test("text comes before any tool, every git call is a tool call that is settled, and what is said is bounded", async () => {
  const long = Array.from({ length: 3_000 }, (_, at) => `lock ${at} ${"x".repeat(300)}`).join("\n");
  const { root } = await scratchRepository([
    ...HISTORY,
    {
      by: "A".repeat(500),
      day: "2024-06-07",
      message: `lock ${"y".repeat(20_000)}\n\n${long}`,
      files: { "big.txt": long },
    },
  ]);
  const table = await seatedAt(root);
  await table.run("how did the lock change");
  expect(table.events[0]?.type).toBe("text_delta");
  expect(new Set(table.all("tool_result").map((result) => result.nativeId))).toEqual(
    new Set(table.all("tool_call_start").map((call) => call.nativeId)),
  );
  expect(table.text().length).toBeLessThan(30_000);
  expect(JSON.stringify(table.events).length).toBeLessThan(200_000);
  await table.agent.close();
});

test("no control character or markup of a repository is passed on", async () => {
  const escape = String.fromCharCode(27);
  const { root } = await scratchRepository([
    {
      by: `E${escape}v[e](x) *b*`,
      day: "2024-01-02",
      message: `harbour ${escape}[31m **bold** <img src=x>\n\n${escape}]0;t${String.fromCharCode(7)}`,
      files: { "a.txt": `harbour ${escape}[2J\n` },
    },
  ]);
  const table = await seatedAt(root);
  await table.run("who wrote harbour");
  expect(JSON.stringify(table.events)).not.toMatch(/\\u00(?:0[0-8b-f]|1[0-9a-f]|7f|[89][0-9a-f])|\\[bfr]/);
  const bare = table
    .text()
    .replace(/```[\s\S]*?```/g, "")
    .replace(/`[^`]*`/g, "");
  expect(bare).not.toMatch(/<img|\[e\]|\*b\*/);
  await table.agent.close();
});

test("a test phrase and a question without search terms get a one-sentence answer", async () => {
  const { root } = ferry.shared();
  expect(await answerAt(root, "/try confirm")).toBe("Nothing to add. The test phrases are for scout.\n");
  expect(await answerAt(root, "hello")).toContain("I found nothing in that to look up in the history.");
  expect(await answerAt(root, "help")).toMatch(/^\*\*I am historian\*\*.*I use no model and no network/s);
});
