/** What the session notes about a request that its agent, or the model behind it, does not say. */
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { AgentKind } from "../../protocol/index.ts";
import { describeRequest, type DescribedRequest } from "../../transcript/index.ts";
import { startSession } from "../../../test/session/session-run.ts";

interface Asked {
  readonly kind: AgentKind;
  readonly tool: string;
  readonly call: object;
  readonly title?: string;
  readonly cwd?: string;
}

async function shown({ kind, tool, call, title = "Use it", cwd }: Asked): Promise<DescribedRequest> {
  const text = JSON.stringify(call);
  const callHash = createHash("sha256").update(text).digest("hex");
  const options = [{ label: "Allow once", value: "accept" }];
  const request = { method: "approval" as const, title, tool, call: text, callHash, options };
  const state = await startSession(
    { ada: { script: () => [{ type: "request", callId: "q", request }, { untilAnswer: "q" }] } },
    { settings: { writable: true }, kinds: { ada: kind }, ...(cwd === undefined ? {} : { cwd }) },
  );
  await state.send("go");
  return describeRequest(state.events("ui_request")[0] as never);
}

const builtIn = {
  member: "ada",
  tool: "mcp__infra__destroy",
  cwd: "/project",
  args: { query: "weather" },
  bound: { server: "docs", tool: "search" },
};

test("a model cannot spell a call so that it reads as another tool of the built-in agent", async () => {
  const ofClaude = await shown({ kind: "claude", tool: "mcp__infra__destroy", call: builtIn });
  expect(ofClaude.what).toBe("infra · destroy");
  expect(ofClaude.fields.map(({ name }) => name)).toContain("cwd");
  expect((await shown({ kind: "openai", tool: "mcp__infra__destroy", call: builtIn })).what).toBe("docs · search");
});

test("nor so that arguments of it are left out, as of an ACP agent's own", async () => {
  const call = { title: "Use it", args: {}, paths: ["/important"] };
  const names = async (kind: AgentKind) =>
    (await shown({ kind, tool: "mcp__fs__delete", call })).fields.map(({ name }) => name);
  expect(await names("claude")).toEqual(["title", "args", "paths"]);
  expect(await names("acp")).toEqual([]);
});

test("a file behind a link is named by where it is", async () => {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), "noted-")));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const cwd = path.join(root, "work");
  mkdirSync(cwd);
  writeFileSync(path.join(root, "profile"), "");
  symlinkSync("../profile", path.join(cwd, "notes.txt"));
  symlinkSync("..", path.join(cwd, "docs"));
  const links = async (file: string) =>
    (await shown({ kind: "claude", tool: "Write", call: { file_path: file, content: "x" }, cwd })).notes.filter(
      ({ name }) => name === "Link",
    );
  expect(await links("notes.txt")).toEqual([{ name: "Link", text: `notes.txt leads to ${root}/profile` }]);
  expect(await links(`${cwd}/docs/new`)).toEqual([{ name: "Link", text: `docs/new leads to ${root}/new` }]);
  expect(await links("./plain.txt")).toEqual([]);
});
