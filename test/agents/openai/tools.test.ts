/** The tools of the built-in agent, called by a model over real HTTP. */
import { mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { createHash } from "node:crypto";
import { execFileSync } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";
import { hostToolSchemas, type Json } from "../../../src/protocol/index.ts";
import type { AgentEvent, PendingCall, Judge } from "../../../src/agents/index.ts";
import type { Tool } from "../../../src/agents/model/tools/tool.ts";
import { createHandClock } from "../hand-clock.ts";
import { scratchTree } from "../scratch-tree.ts";
import { calls, text, type CallScript } from "../fakes/model-server.ts";
import { startOpenAi, type OpenAiProbe, type OpenAiOptions } from "./start-openai.ts";

const WRITABLE = { setup: { writable: true } } as const;
const ALLOW_ALL = { rules: [{ tool: "*", verdict: "allow" }] } as const;

/** One reply with these calls, then an answer; what the model was told of each call. */
async function callTools(
  probe: OpenAiProbe,
  list: readonly CallScript[],
  answer?: (probe: OpenAiProbe) => Promise<void>,
): Promise<string[]> {
  const from = probe.server.requests.length;
  probe.server.play(calls(...list), text("done"));
  const turnId = `turn-${from}`;
  const seen = probe.events.length;
  probe.ask("go", turnId);
  await answer?.(probe);
  const end = await probe.next("turn_done", seen);
  expect([end.outcome, end.error]).toEqual(["completed", undefined]);
  const messages = probe.server.requests.at(-1)?.messages ?? [];
  return messages
    .slice(messages.findLastIndex((message) => message.role === "assistant") + 1)
    .map((message) => message.content ?? "");
}

async function answering(probe: OpenAiProbe, result: Json, error: string | null = null): Promise<void> {
  const request = await probe.next("request", probe.events.length - 1);
  probe.agent.answer(request.callId, { result, error });
}

const codes = (probe: OpenAiProbe) => probe.all("tool_result").map((one) => (one.ok ? "ok" : one.error?.code));

test("a read-only member gets reading tools only, and writing calls are refused without asking", async () => {
  const probe = await startOpenAi({ deps: ALLOW_ALL, files: { "a.txt": "hello" } });
  const told = await callTools(probe, [
    { name: "write", args: { path: "b.txt", content: "x" } },
    { name: "edit", args: { path: "a.txt", old_string: "hello", new_string: "bye" } },
    { name: "shell", args: { command: "touch c.txt" } },
  ]);
  const offered = probe.server.requests[0]?.tools.map((tool) => tool.function.name) ?? [];
  expect(offered.filter((name) => ["list", "search", "read", "write", "edit", "shell"].includes(name))).toEqual([
    "list",
    "search",
    "read",
  ]);
  expect(codes(probe)).toEqual(["tool_denied", "tool_denied", "tool_denied"]);
  expect(told[0]).toBe("Error: This session is read-only: files cannot be changed and commands cannot be run.");
  expect(probe.all("request")).toEqual([]);
  expect(await readFile(path.join(probe.cwd, "a.txt"), "utf8")).toBe("hello");
});

test("list, search and read run in parallel, each with one start and one result", async () => {
  const probe = await startOpenAi({
    files: { "src/a.ts": "one\ntwo\nthree\nfour\n", "src/b.md": "two", ".gitignore": "out\n", "out/x": "two" },
  });
  const told = await callTools(probe, [
    { name: "list" },
    { name: "list", args: { path: "src", glob: "*.ts" } },
    { name: "search", args: { text: "TWO", ignore_case: true } },
    { name: "read", args: { path: "src/a.ts" } },
    { name: "read", args: { path: "./src/a.ts", from_line: 2, lines: 2 } },
  ]);
  expect(told).toEqual([
    ".gitignore\nsrc/a.ts\nsrc/b.md",
    "src/a.ts",
    "src/a.ts:2: two\nsrc/b.md:1: two",
    "one\ntwo\nthree\nfour",
    "(lines 2 to 3 of 4 of src/a.ts)\ntwo\nthree",
  ]);
  expect(codes(probe)).toEqual(["ok", "ok", "ok", "ok", "ok"]);
  expect(probe.all("tool_call_start").map((one) => [one.name, one.kind])).toEqual([
    ["list", "search"],
    ["list", "search"],
    ["search", "search"],
    ["read", "read"],
    ["read", "read"],
  ]);
});

test("list and search report what they leave out: binary, oversized and denied files, and lines over the limit", async () => {
  const judge: Judge = ({ subjects }) =>
    subjects.some(({ text: path }) => path === "secret.txt") ? { verdict: "deny", by: "a rule" } : undefined;
  const probe = await startOpenAi({
    setup: { judge },
    files: {
      "a.png": "two",
      "b.dat": Buffer.from([0, 1]),
      "big.txt": "two ".repeat(300_000),
      "many.txt": "two\n".repeat(30),
      "secret.txt": "two",
    },
  });
  const told = await callTools(probe, [
    { name: "search", args: { text: "two" } },
    { name: "search", args: { text: "none" } },
  ]);
  const rest =
    "(Not searched: 2 files (not text), 1 file (larger than 1048576 bytes).)\n(Hidden by a user rule: 1 file.)";
  expect(told[0]?.split("\n").slice(20).join("\n")).toBe(
    `(Only the first 20 matching lines of 1 file are shown.)\n${rest}`,
  );
  expect(told[1]).toBe(`No line matches.\n${rest}`);
});

test("regular expressions are run by git, without catastrophic backtracking", async () => {
  const probe = await startOpenAi({ files: { "a.txt": `${"a".repeat(40)}!\nfoo12\n` } });
  execFileSync("git", ["init", "-q"], { cwd: probe.cwd });
  const told = await callTools(probe, [
    { name: "search", args: { text: "fo+[0-9]{2}", regex: true } },
    { name: "search", args: { text: "(a+)+$", regex: true } },
    { name: "search", args: { text: "--open-files-in-pager=touch owned", regex: true } },
  ]);
  expect(told[0]).toBe("a.txt:2: foo12");
  expect(told[1]).toContain("nothing matches");
  expect((await callTools(probe, [{ name: "list" }]))[0]).toBe("a.txt");
});

test("a path that leads out is refused, by name, by link and by a link to nowhere, for reading and for writing", async () => {
  const probe = await startOpenAi({ ...WRITABLE, deps: ALLOW_ALL, files: { "a.txt": "in" } });
  const outside = await scratchTree({ "secret.txt": "secret" });
  await symlink(path.join(outside, "secret.txt"), path.join(probe.cwd, "link.txt"));
  await symlink(outside, path.join(probe.cwd, "dir"));
  await symlink(path.join(outside, "new.txt"), path.join(probe.cwd, "nowhere.txt"));
  const names = [
    "../x",
    "/etc/passwd",
    path.join(outside, "secret.txt"),
    "link.txt",
    "dir/secret.txt",
    "dir/new.txt",
    "nowhere.txt",
    "a/../../x",
  ];
  const told = await callTools(
    probe,
    names.flatMap((name) => [
      { name: "read", args: { path: name } },
      { name: "write", args: { path: name, content: "owned" } },
      { name: "edit", args: { path: name, old_string: "secret", new_string: "owned" } },
    ]),
  );
  expect(new Set(codes(probe))).toEqual(new Set(["tool_denied"]));
  expect(told.every((one) => one.includes("is outside the working directory"))).toBe(true);
  expect(await readFile(path.join(outside, "secret.txt"), "utf8")).toBe("secret");
  await expect(stat(path.join(outside, "new.txt"))).rejects.toThrow("ENOENT");
  expect(probe.all("change_report")).toEqual([]);
});

test("a link inside the directory is followed, and what belongs to git is not written", async () => {
  const probe = await startOpenAi({ ...WRITABLE, deps: ALLOW_ALL, files: { "real.txt": "in", ".git/config": "x" } });
  await symlink("real.txt", path.join(probe.cwd, "alias.txt"));
  const told = await callTools(probe, [
    { name: "read", args: { path: "alias.txt" } },
    { name: "write", args: { path: ".git/hooks/post-checkout", content: "owned" } },
    { name: "write", args: { path: ".GIT/config", content: "owned" } },
  ]);
  expect([told[0], ...codes(probe)]).toEqual(["in", "ok", "tool_denied", "tool_denied"]);
});

test("binary, oversized, missing and special files are reported with the reason", async () => {
  const files = {
    "a.bin": Buffer.from([0, 1, 2]),
    "big.txt": "x".repeat(1_100_000),
    "dir/a": "",
    "bad.txt": Buffer.from([0x61, 0xff, 0x62]),
  };
  const probe = await startOpenAi({ ...WRITABLE, deps: ALLOW_ALL, files });
  const told = await callTools(probe, [
    ...["a.bin", "big.txt", "dir", "none.txt", "dir/a", "a\0b", ""].map((name) => ({
      name: "read",
      args: { path: name },
    })),
    { name: "edit", args: { path: "bad.txt", old_string: "b", new_string: "c" } },
  ]);
  expect(told).toEqual([
    "Error: a.bin is not text.",
    "Error: big.txt has 1100000 bytes; the limit is 1048576. Use search instead.",
    "Error: dir is not a file.",
    "Error: File none.txt does not exist. Use list to see the files.",
    "dir/a is empty.",
    "Error: Invalid path of 3 characters.",
    "Error: Invalid path of 0 characters.",
    "Error: bad.txt is not UTF-8 text; an edit would damage it.",
  ]);
});

test("an edit replaces text that occurs exactly once, and is refused otherwise", async () => {
  const probe = await startOpenAi({ ...WRITABLE, deps: ALLOW_ALL, files: { "a.txt": "one two two\n" } });
  const edit = (old_string: string, new_string: string, rest = {}) => ({
    name: "edit",
    args: { path: "a.txt", old_string, new_string, ...rest },
  });
  const told = await callTools(probe, [
    edit("one", "$& $1 1"),
    edit("two", "2"),
    edit("three", "3"),
    edit("", "x"),
    edit("two", "2", { replace_all: true }),
  ]);
  expect(told.map((one) => one.split("\n")[0])).toEqual([
    "a.txt was changed (+1 -1 lines).",
    "Error: The old text occurs 2 times in a.txt. Add context to make it unique.",
    "Error: The old text does not occur in a.txt. Read the file again.",
    expect.stringContaining("edit was not run"),
    "a.txt was changed (+1 -1 lines).",
  ]);
  expect(await readFile(path.join(probe.cwd, "a.txt"), "utf8")).toBe("$& $1 1 2 2\n");
});

test("an edit that would make a file too large is refused before it is written", async () => {
  const probe = await startOpenAi({ ...WRITABLE, deps: ALLOW_ALL, files: { "a.txt": "a".repeat(1_000_000) } });
  const args = { path: "a.txt", old_string: "a", new_string: "b".repeat(500), replace_all: true };
  expect(await callTools(probe, [{ name: "edit", args }])).toEqual([
    "Error: a.txt would have 500000000 characters; the limit is 1048576.",
  ]);
});

test("a fault of ours at the end of a turn costs the turn and not the program", async () => {
  const onEvent = ({ type }: AgentEvent): void => {
    if (type === "change_report") throw new Error("no room for it");
  };
  const probe = await startOpenAi({ ...WRITABLE, deps: ALLOW_ALL, onEvent });
  probe.server.play(calls({ name: "write", args: { path: "a.txt", content: "x" } }), text("done"), text("again"));
  expect(await probe.run("go")).toMatchObject({ outcome: "errored", reason: "crashed" });
  expect(await probe.run("go", "turn-2")).toMatchObject({ outcome: "completed" });
});

test("[A261] a change is asked for with the exact call, its sha256 and its diff, and runs after a yes", async () => {
  const probe = await startOpenAi({ ...WRITABLE, files: { "a.txt": "old\n" } });
  await callTools(probe, [{ name: "write", args: { content: "new\n", path: "a.txt" } }], (one) =>
    answering(one, "allow"),
  );
  const [asked] = probe.all("request");
  const sha = (value: string) => createHash("sha256").update(value).digest("hex");
  const call = `{"args":{"content":"new\\n","path":"a.txt"},"bound":{"before":"${sha("old\n")}","path":"a.txt"},"cwd":${JSON.stringify(probe.cwd)},"member":"local","tool":"write"}`;
  expect(asked).toEqual({
    type: "request",
    callId: expect.any(String),
    nativeToolId: probe.all("tool_call_start")[0]?.nativeId,
    request: {
      method: "approval",
      title: "local: Write a.txt",
      tool: "write",
      call,
      callHash: sha(call),
      diff: "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-old\n+new\n",
      options: [
        { label: "Allow once", value: "allow" },
        { label: "Deny", value: "deny" },
      ],
    },
  });
  expect(await readFile(path.join(probe.cwd, "a.txt"), "utf8")).toBe("new\n");
});

test("a change too long for its diff is asked for without one, so that its arguments are shown", async () => {
  const probe = await startOpenAi(WRITABLE);
  const content = "line\n".repeat(12_000);
  await callTools(probe, [{ name: "write", args: { content, path: "a.txt" } }], (one) => answering(one, "allow"));
  const [request] = probe.all("request").map((one) => one.request);
  expect(request).toMatchObject({ call: expect.stringContaining(JSON.stringify(content)) });
  expect(request).not.toHaveProperty("diff");
});

test.each<[Json, string | null]>([
  ["deny", null],
  [false, null],
  [null, null],
  [true, null],
  ["yes", null],
  ["allow", "the time is up"],
  [{ value: "allow" }, null],
])("[A261] the answer %j (%s) is a no: nothing is written and the model sees it", async (result, error) => {
  const probe = await startOpenAi(WRITABLE);
  const told = await callTools(probe, [{ name: "write", args: { path: "a.txt", content: "x" } }], (one) =>
    answering(one, result, error),
  );
  const why = error === null ? "The user denied this call. " : `The user did not approve this call: ${error}\n `;
  expect([codes(probe), told[0]]).toEqual([["tool_denied"], expect.stringContaining(`${why}Do not work around it`)]);
  await expect(stat(path.join(probe.cwd, "a.txt"))).rejects.toThrow("ENOENT");
});

test("the model gets the reason of a denial", async () => {
  const probe = await startOpenAi(WRITABLE);
  const told = await callTools(probe, [{ name: "write", args: { path: "a.txt", content: "x" } }], async (one) => {
    const { callId } = await one.next("request");
    one.agent.answer(callId, { result: "deny", error: null, reason: "it is generated" });
  });
  expect(told[0]).toContain("The user denied this call: it is generated\n");
});

test("[A262] an approval does not hold for a file that has changed since it was asked for", async () => {
  const probe = await startOpenAi({ ...WRITABLE, files: { "a.txt": "one\n" } });
  const told = await callTools(
    probe,
    [{ name: "edit", args: { path: "a.txt", old_string: "one", new_string: "two" } }],
    async (one) => {
      await one.next("request");
      await writeFile(path.join(one.cwd, "a.txt"), "one and more\n");
      await answering(one, "allow");
    },
  );
  expect([codes(probe), told[0]]).toEqual([
    ["tool_denied"],
    expect.stringContaining("has changed since it was approved"),
  ]);
  expect(await readFile(path.join(probe.cwd, "a.txt"), "utf8")).toBe("one and more\n");
});

test("an approval holds once: the same call is asked about again, and the session may decide it", async () => {
  const judged: PendingCall[] = [];
  const judge: Judge = (asked) => {
    judged.push(asked);
    return judged.length < 3 ? undefined : { verdict: "allow", by: "allowed for this session" };
  };
  const probe = await startOpenAi({ setup: { writable: true, judge } });
  const write = (name: string, content: string) => [{ name: "write", args: { path: name, content } }];
  const yes = async (one: OpenAiProbe) => {
    await one.next(
      "request",
      one.events.findLastIndex((event) => event.type === "turn_done"),
    );
    await answering(one, "allow");
  };
  await callTools(probe, write("a.txt", "1"), (one) => answering(one, "allow"));
  await callTools(probe, write("a.txt", "2"), yes);
  await callTools(probe, write("./a.txt", "3"));
  expect(probe.all("request")).toHaveLength(2);
  expect(judged).toMatchObject(
    Array.from({ length: 3 }, () => ({
      tool: "write",
      changesFiles: true,
      subjects: [{ kind: "path", text: "a.txt" }],
      isWhole: true,
    })),
  );
  expect(probe.all("tool_call_update").map((one) => one.detail)).toEqual([
    "Allowed without asking: allowed for this session",
  ]);
  expect(await readFile(path.join(probe.cwd, "a.txt"), "utf8")).toBe("3");
});

test("a deny rule is a result that the model sees, without asking", async () => {
  const rules = [{ tool: "write", match: "locked/**", verdict: "deny" }] as const;
  const probe = await startOpenAi({ ...WRITABLE, deps: { rules }, files: { "locked/a": "x" } });
  const told = await callTools(probe, [{ name: "write", args: { path: "src/../locked/b", content: "x" } }]);
  expect([codes(probe), told, probe.all("request")]).toEqual([
    ["tool_denied"],
    ["Error: A user rule denies this call of write (deny write: locked/**). Do not work around it."],
    [],
  ]);
});

test("unreadable files are not found by search", async () => {
  const rules = [{ tool: "read", match: "private/**", verdict: "deny" }] as const;
  const probe = await startOpenAi({ deps: { rules }, files: { "private/a": "word", b: "word" } });
  const told = await callTools(probe, [
    { name: "search", args: { text: "word" } },
    { name: "read", args: { path: "private/a" } },
  ]);
  expect([told[0]?.split("\n")[0], codes(probe)]).toEqual(["b:1: word", ["tool_denied", "ok"]]);
});

test("a call too large to be shown whole is not asked for", async () => {
  const probe = await startOpenAi(WRITABLE);
  const told = await callTools(probe, [{ name: "write", args: { path: "a.txt", content: "x".repeat(200_000) } }]);
  expect([codes(probe), probe.all("request")]).toEqual([["tool_denied"], []]);
  expect(told[0]).toContain("Split it into smaller steps.");
});

test("a tool over its time limit is abandoned, and the turn continues", async () => {
  const clock = createHandClock();
  const stuck: Tool = externalTool("stuck", () => new Promise(() => undefined));
  const probe = await startOpenAi({
    deps: { clock, rules: [{ tool: "stuck", verdict: "allow" }], sources: [{ name: "x", tools: () => [stuck] }] },
  });
  const told = await callTools(probe, [{ name: "stuck" }], async (one) => {
    await one.next("tool_call_start");
    while (one.all("tool_result").length === 0) {
      clock.advance(1_000);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  });
  expect(told).toEqual(["Error: stuck timed out after 5 s."]);
});

function externalTool(name: string, run: () => Promise<string>): Tool {
  return {
    name,
    description: "From somewhere else.",
    parameters: { type: "object", properties: {} },
    kind: "other",
    gate: "free",
    isParallel: false,
    deadlineMs: 5_000,
    read: (args) => ({
      ok: true,
      call: {
        args,
        title: name,
        plan: () => Promise.resolve({ subject: { kind: "none", text: "" }, run: async () => ({ text: await run() }) }),
      },
    }),
  };
}

test("a tool of another source is asked for, and one with the name of ours is never called", async () => {
  let ran = 0;
  const tools = ["other", "read"].map((name) => externalTool(name, () => Promise.resolve(`${name} ${++ran}`)));
  const probe = await startOpenAi({
    deps: { sources: [{ name: "x", tools: () => tools }] },
    files: { "a.txt": "ours" },
  });
  const told = await callTools(
    probe,
    [
      { name: "read", args: { path: "a.txt" } },
      { name: "other", args: { b: 1 } },
    ],
    async (one) => {
      await one.next("request");
      await answering(one, "allow");
    },
  );
  expect(told).toEqual(["ours", "other 1"]);
  expect(probe.server.requests[0]?.tools.filter((tool) => tool.function.name === "read")).toHaveLength(1);
});

test("calls beyond the budget of a turn are answered without running, and a turn that continues is stopped", async () => {
  const probe = await startOpenAi({ ...WRITABLE, deps: { ...ALLOW_ALL, limits: { toolCallsMax: 3 } } });
  probe.server.play(
    calls({ name: "list" }, { name: "list" }),
    calls({ name: "list" }, { name: "write", args: { path: "late", content: "x" } }),
    calls({ name: "list" }),
  );
  const end = await probe.run("go");
  expect([end.outcome, end.error?.code]).toEqual(["errored", "tool_loop"]);
  expect(codes(probe)).toEqual(["ok", "ok", "ok", "rate_limit_tools", "rate_limit_tools", "rate_limit_tools"]);
  await expect(stat(path.join(probe.cwd, "late"))).rejects.toThrow("ENOENT");
  probe.server.play(text("ok"));
  expect((await probe.run("go on", "2")).outcome).toBe("completed");
});

test("host tools are emitted as host calls, and the answers are their results", async () => {
  const probe = await startOpenAi();
  const told = await callTools(
    probe,
    [{ name: "agents_list" }, { name: "plan_update", args: { items: [{ text: "look", status: "pending" }] } }],
    async (one) => {
      const first = await one.next("host_call");
      one.agent.answer(first.callId, { result: { you: "local", members: [] }, error: null });
      const second = await one.next("host_call", one.events.indexOf(first) + 1);
      one.agent.answer(second.callId, { result: null, error: "plan_update was not run: no." });
    },
  );
  expect(probe.all("host_call").map(({ tool, args }) => ({ tool, args }))).toEqual([
    { tool: "agents_list", args: {} },
    { tool: "plan_update", args: { items: [{ text: "look", status: "pending" }] } },
  ]);
  expect(told).toEqual(['{"you":"local","members":[]}', "Error: plan_update was not run: no."]);
});

test("every tool that sessions run is offered, or of those the ones that are named", async () => {
  const usual = await startOpenAi();
  const named = await startOpenAi({ deps: { hostTools: ["agents_list"] } });
  await usual.run("hi");
  await named.run("hi");
  const all = hostToolSchemas().map((tool) => tool.name as string);
  const offered = (probe: OpenAiProbe) =>
    probe.server.requests[0]?.tools.map((tool) => tool.function.name).filter((name) => all.includes(name));
  expect(offered(usual)).toEqual(all);
  expect(offered(named)).toEqual(["agents_list"]);
});

test("finishing the task emits its summary and ends the turn without another request", async () => {
  const probe = await startOpenAi();
  probe.server.play(calls({ name: "finalize_task", args: { summary: "All done." } }), text("never"));
  expect((await probe.run("go")).outcome).toBe("completed");
  expect(probe.all("finalize_task")).toEqual([{ type: "finalize_task", summary: "All done." }]);
  expect(probe.server.requests).toHaveLength(1);
  expect((await probe.run("next", "2")).outcome).toBe("completed");
});

test("a turn reports its changed files once, compared with before the turn, and nothing when they are equal", async () => {
  const probe = await startOpenAi({ ...WRITABLE, deps: ALLOW_ALL, files: { "a.txt": "one\n", "same.txt": "same\n" } });
  const write = (name: string, content: string) => ({ name: "write", args: { path: name, content } });
  await callTools(probe, [
    write("a.txt", "two\n"),
    write("a.txt", "three\n"),
    write("new/b.txt", "b\n"),
    write("same.txt", "x\n"),
    write("same.txt", "same\n"),
  ]);
  expect(probe.all("change_report")).toEqual([
    {
      type: "change_report",
      files: [
        {
          path: "a.txt",
          status: "modified",
          added: 1,
          removed: 1,
          diff: "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+three\n",
        },
        {
          path: "new/b.txt",
          status: "added",
          added: 1,
          removed: 0,
          diff: "--- /dev/null\n+++ b/new/b.txt\n@@ -0,0 +1 @@\n+b\n",
        },
      ],
      truncatedCount: 0,
    },
  ]);
  const order = probe.events.map((event) => event.type);
  expect(order.indexOf("change_report")).toBe(order.indexOf("turn_done") - 1);
});

test("the permissions of a file stay as they were", async () => {
  const probe = await startOpenAi({ ...WRITABLE, deps: ALLOW_ALL });
  await writeFile(path.join(probe.cwd, "run.sh"), "one\n", { mode: 0o755 });
  await mkdir(path.join(probe.cwd, "d"));
  await callTools(probe, [{ name: "write", args: { path: "run.sh", content: "two\n" } }]);
  expect((await stat(path.join(probe.cwd, "run.sh"))).mode & 0o777).toBe(0o755);
});

const hostile: readonly (readonly [string, CallScript, OpenAiOptions, string | RegExp])[] = [
  ["arguments that are not JSON", { name: "read", args: '{"path": "a' }, {}, /its arguments are not JSON/],
  ["arguments that are a list", { name: "read", args: "[1]" }, {}, /read was not run/],
  ["arguments of the wrong shape", { name: "read", args: { path: 7 } }, {}, /read was not run/],
  ["a tool that is not there", { name: "launch_missiles", args: {} }, {}, /Unknown tool "launch_missiles"/],
  ["a name that is no name", { name: "a\u001b[31m\n<script>", args: {} }, {}, /Unknown tool/],
  ["no name", { name: "", args: {} }, {}, /Unknown tool ""/],
  [
    "10 MB of arguments",
    { name: "read", args: `{"path":"${"x".repeat(10 * 1024 * 1024)}"}` },
    {},
    /arguments are longer/,
  ],
  ["a million levels", { name: "agents_list", args: "[".repeat(500_000) }, {}, /nested too deeply/],
  ["a prototype", { name: "read", args: '{"__proto__":{"path":"a"},"constructor":1}' }, {}, /read was not run/],
];
test.each(hostile)("%s is a result that the model sees, and the turn continues", async (_name, call, options, says) => {
  const probe = await startOpenAi(options);
  const told = await callTools(probe, [call]);
  expect(told[0]).toMatch(says);
  expect(codes(probe)).toEqual(["tool_error"]);
  expect(Buffer.byteLength(JSON.stringify(probe.events))).toBeLessThan(100_000);
  // What is sent back is what servers take: a name that is one, arguments that are an object.
  const sent = probe.server.requests[1]?.messages.findLast((message) => message.tool_calls !== undefined)
    ?.tool_calls?.[0];
  expect(sent?.function.name).toMatch(/^[\w-]{1,64}$/);
  expect(typeof JSON.parse(sent?.function.arguments ?? "")).toBe("object");
});
