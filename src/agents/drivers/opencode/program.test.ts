import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { ProgramSession, Restraint } from "../acp/programs/program.ts";
import { opencodeProgram } from "./adapter.ts";

function restrained(session: Partial<ProgramSession>): Restraint {
  const scratch = realpathSync(mkdtempSync(path.join(tmpdir(), "rt-opencode-")));
  onTestFinished(() => rmSync(scratch, { recursive: true, force: true }));
  const given = {
    cwd: scratch,
    isWritable: false,
    isSandboxed: false,
    hostToolServer: "table",
    environment: { HOME: scratch },
  };
  return opencodeProgram.restrain?.({ ...given, writeFile: () => "", ...session }) ?? expect.fail();
}

function projectWith(files: Readonly<Record<string, string>>): string {
  const cwd = realpathSync(mkdtempSync(path.join(tmpdir(), "rt-opencode-")));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  mkdirSync(path.join(cwd, ".git"));
  for (const [name, text] of Object.entries({ ".git/HEAD": "ref: x", ...files })) {
    mkdirSync(path.dirname(path.join(cwd, name)), { recursive: true });
    writeFileSync(path.join(cwd, name), text);
  }
  return cwd;
}

function configOf({ env }: Restraint): { agent: Record<string, { permission: object }>; [key: string]: unknown } {
  return JSON.parse(env?.["OPENCODE_CONFIG_CONTENT"] ?? "null") as ReturnType<typeof configOf>;
}

test("opencode runs as our own agent that asks before it acts and starts no subagents", () => {
  const restraint = restrained({ isWritable: true });
  const config = configOf(restraint);
  expect(config).toMatchObject({ default_agent: "table" });
  expect(config.agent["table"]?.permission).toMatchObject({ "*": "ask", task: "deny", "table_*": "allow" });
  expect(Object.keys(config.agent["table"]?.permission ?? {})[0]).toBe("*");
  expect(restraint).toMatchObject({ mode: "table", guard: { guard: "asks_first" } });
});

test("outside our sandbox a read-only opencode may read, and everything else is denied", () => {
  const restraint = restrained({});
  const { permission } = configOf(restraint).agent["table"] ?? expect.fail();
  expect(permission).toMatchObject({ "*": "deny", edit: "deny", grep: "allow" });
  expect(permission).not.toHaveProperty("bash");
  expect(restraint.env).toMatchObject({ OPENCODE_DISABLE_PROJECT_CONFIG: "1" });
  expect(restraint.guard).toEqual({ guard: "own_mode" });
  const inside = restrained({ isSandboxed: true });
  expect(configOf(inside).agent["table"]?.permission).toMatchObject({ "*": "ask", edit: "deny" });
  expect(inside.env).toMatchObject({ OPENCODE_DISABLE_PROJECT_CONFIG: "1" });
});

test("the user's own configuration variable is kept, and invalid JSON is left alone", () => {
  const given = { model: "fake/one", agent: { build: { prompt: "x" } } };
  const config = configOf(restrained({ environment: { OPENCODE_CONFIG_CONTENT: JSON.stringify(given) } }));
  expect(config).toMatchObject({ ...given, default_agent: "table" });
  expect(restrained({ environment: { OPENCODE_CONFIG_CONTENT: "// x" } }).env).not.toHaveProperty(
    "OPENCODE_CONFIG_CONTENT",
  );
});

test("opencode gets the project's instructions", () => {
  const cwd = projectWith({ "AGENTS.md": "Be kind." });
  expect(configOf(restrained({ cwd }))).toMatchObject({ instructions: [path.join(cwd, "AGENTS.md")] });
});

test.each([
  [".opencode/plugin/p.js", ""],
  [".opencode/plugins/p.ts", ""],
  ["opencode.json", '{ "plugin": ["./p.js"] }'],
  ["opencode.jsonc", String.raw`{ "\u0070lugin": ["./p.js"] }`],
  [".opencode/opencode.json", '{ "plugins": ["x"] }'],
])("a project's %s would run when opencode starts, except where it can change nothing", (file, text) => {
  const cwd = projectWith({ [file]: text });
  const unasked = (session: Partial<ProgramSession>) => restrained({ cwd, ...session }).startsUnasked;
  expect([unasked({}), unasked({ isWritable: true }), unasked({ isWritable: true, isSandboxed: true })]).toEqual(
    Array.from({ length: 3 }, () => path.join(cwd, file)),
  );
  expect(unasked({ isSandboxed: true })).toBeUndefined();
  expect(unasked({ cwd: projectWith({ "opencode.json": '{ "model": "x" }' }) })).toBeUndefined();
});
