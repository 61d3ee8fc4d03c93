import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { hostToolSchemas } from "../../../protocol/index.ts";
import { extensionSource, READ_ONLY_REFUSAL } from "./extension.ts";

const folder = mkdtempSync(path.join(tmpdir(), "roundtable-pi-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Handler = (event: Record<string, unknown>, ctx: unknown) => unknown;
interface Tool {
  readonly name: string;
  execute(id: string, args: unknown, signal: undefined, update: undefined, ctx: unknown): Promise<unknown>;
}

let loads = 0;

/** Loads the extension like Pi does, into a fake Pi. */
function load(
  isWritable: boolean,
  reply: (question: Record<string, unknown>) => unknown,
  { walled = [], all }: { walled?: string[]; all?: unknown[] } = {},
) {
  const setup = { mark: "the-mark", isWritable, tools: hostToolSchemas(), free: ["read", "agents_list"], walled };
  // Modules are cached by name.
  const file = path.join(folder, `extension-${(loads += 1)}.cjs`);
  writeFileSync(file, extensionSource(setup));
  const handlers = new Map<string, Handler>();
  const tools = new Map<string, Tool>();
  const pending: unknown[] = [];
  const statuses: unknown[] = [];
  const extend = createRequire(import.meta.url)(file) as (pi: unknown) => void;
  extend({
    on: (name: string, handler: Handler) => handlers.set(name, handler),
    registerTool: (tool: Tool) => tools.set(tool.name, tool),
    registerCommand: () => undefined,
    registerFlag: () => undefined,
    ...(all === undefined ? {} : { getAllTools: () => all }),
  });
  const ui = {
    setStatus: (...status: unknown[]) => statuses.push(status),
    input: (title: string, placeholder: string) => {
      const question = JSON.parse(placeholder) as Record<string, unknown>;
      pending.push([title, question]);
      const answer = reply(question);
      return Promise.resolve(answer === undefined ? undefined : JSON.stringify(answer));
    },
  };
  return { handlers, tools, pending, statuses, ctx: { ui, cwd: folder, signal: undefined } };
}

const bash = () => ({ toolName: "bash", toolCallId: "c", input: { command: "ls", more: { deep: 1 } } });

test("the extension reports that it is loaded when a session starts", async () => {
  const { handlers, statuses, ctx } = load(true, () => undefined);
  handlers.get("session_start")?.({}, ctx);
  expect(statuses).toEqual([["the-mark", "ready"]]);
});

test("a read-only session denies everything that needs approval, without asking", async () => {
  const { handlers, pending, ctx } = load(false, () => ({ isAllowed: true, error: null }));
  const gate = handlers.get("tool_call");
  expect(await gate?.(bash(), ctx)).toEqual({ block: true, reason: READ_ONLY_REFUSAL });
  expect(await gate?.({ ...bash(), toolName: "unheard_of" }, ctx)).toEqual({ block: true, reason: READ_ONLY_REFUSAL });
  expect(await gate?.({ ...bash(), toolName: "read" }, ctx)).toBeUndefined();
  expect(pending).toEqual([]);
});

test("a call runs exactly as shown after an approval, and after nothing else", async () => {
  let answer: unknown = { isAllowed: true, error: null };
  const { handlers, pending, ctx } = load(true, () => answer);
  const gate = handlers.get("tool_call");
  const event = bash();
  expect(await gate?.(event, ctx)).toBeUndefined();
  expect(pending).toEqual([["the-mark", { kind: "approval", callId: "c", tool: "bash", args: bash().input }]]);
  expect(() => {
    event.input.more.deep = 2;
  }).toThrow(TypeError);
  answer = { isAllowed: false, why: "This was not run. The user wrote: use pnpm" };
  const reason = "This was not run. The user wrote: use pnpm";
  expect(await gate?.(bash(), ctx)).toEqual({ block: true, reason });
  answer = undefined;
  expect(await gate?.(bash(), ctx)).toEqual({ block: true, reason: "The user did not allow this call." });
});

test("inside a sandbox a read-only session has commands, and the host is asked about them", async () => {
  const { handlers, pending, ctx } = load(false, () => ({ isAllowed: true }), { walled: ["bash"] });
  const gate = handlers.get("tool_call");
  expect(await gate?.(bash(), ctx)).toBeUndefined();
  expect(pending).toHaveLength(1);
  expect(await gate?.({ ...bash(), toolName: "write" }, ctx)).toEqual({ block: true, reason: READ_ONLY_REFUSAL });
});

test("another extension's tool with the name of a Pi or host tool is not mistaken for it", async () => {
  const foreign = { source: "local", path: import.meta.filename };
  const all = ["read", "bash", "agents_list"].map((name) => ({ name, sourceInfo: foreign }));
  const { handlers, ctx } = load(false, () => ({ isAllowed: true }), { walled: ["bash"], all });
  for (const toolName of ["read", "bash", "agents_list"]) {
    const blocked = await handlers.get("tool_call")?.({ ...bash(), toolName }, ctx);
    expect([toolName, blocked]).toEqual([toolName, { block: true, reason: READ_ONLY_REFUSAL }]);
  }
  const shipped = [{ name: "read", sourceInfo: { source: "builtin", path: "builtin:read" } }];
  const { handlers: own, ctx: where } = load(false, () => undefined, { all: shipped });
  expect(await own.get("tool_call")?.({ ...bash(), toolName: "read" }, where)).toBeUndefined();
});

test("a write is approved with the file's current content", async () => {
  const { handlers, pending, ctx } = load(true, () => undefined);
  writeFileSync(path.join(folder, "there.txt"), "old");
  for (const name of ["there.txt", "missing.txt"]) {
    await handlers.get("tool_call")?.({ toolName: "write", toolCallId: "c", input: { path: name } }, ctx);
  }
  expect(pending).toMatchObject([
    ["the-mark", { before: "old" }],
    ["the-mark", { before: null }],
  ]);
});

test("a path that Pi would read in its own way is made plain before it is asked about and used", async () => {
  const { handlers, pending, ctx } = load(true, () => ({ isAllowed: true, error: null }));
  const names = ["@a.txt", "~/a.txt", "x\u00A0y", `file://${folder}/a%20b`, "a/@b", "./a.txt"];
  const used = [];
  for (const name of names) {
    const input = { path: name, content: "" };
    await handlers.get("tool_call")?.({ toolName: "write", toolCallId: "c", input }, ctx);
    used.push(input.path);
  }
  const plain = [path.join(folder, "a.txt"), path.join(homedir(), "a.txt"), path.join(folder, "x y")];
  expect(used).toEqual([...plain, path.join(folder, "a b"), "a/@b", "./a.txt"]);
  expect(pending.map((one) => (one as [string, { args: { path: string } }])[1].args.path)).toEqual(used);
});

test("every host tool is available; its answer is the result and its error an error", async () => {
  const { tools, pending, ctx } = load(false, ({ tool }) =>
    tool === "agents_list" ? { text: "you", error: null } : { text: "null", error: "nobody is there" },
  );
  expect([...tools.keys()]).toEqual(hostToolSchemas().map((tool) => tool.name));
  const list = await tools.get("agents_list")?.execute("c", {}, undefined, undefined, ctx);
  expect(list).toEqual({ content: [{ type: "text", text: "you" }], details: {} });
  expect(pending).toEqual([["the-mark", { kind: "call", callId: "c", tool: "agents_list", args: {} }]]);
  await expect(tools.get("ui_input")?.execute("c", {}, undefined, undefined, ctx)).rejects.toThrow("nobody is there");
});
