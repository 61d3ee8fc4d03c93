/** `import`, as a person types it. */
import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { edges } from "../../src/cli/edges.ts";
import { mainFile } from "../cli/program.ts";
import { copyOf, stateOf } from "./import-file.ts";

interface ImportHome {
  readonly home: string;
  readonly project: string;
  readonly run: (...args: string[]) => Promise<{ code: number; stdout: string; stderr: string }>;
}

function newImportHome(): ImportHome {
  const home = realpathSync(mkdtempSync(path.join(tmpdir(), "rt-import-cli-")));
  const project = path.join(home, "project");
  mkdirSync(path.join(project, ".git"), { recursive: true });
  mkdirSync(path.join(home, "config", "roundtable"), { recursive: true });
  writeFileSync(path.join(home, "config", "roundtable", "config.jsonc"), "{}");
  const env = {
    PATH: process.env["PATH"],
    HOME: home,
    XDG_CONFIG_HOME: path.join(home, "config"),
    ROUNDTABLE_HOME: path.join(home, "data"),
    ROUNDTABLE_MEMBERS: "scout",
    ROUNDTABLE_BACKGROUND: "0",
    NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
  };
  const run: ImportHome["run"] = (...args) =>
    new Promise((resolve) => {
      const child = execFile(process.execPath, [mainFile, ...args], { cwd: project, env }, (error, stdout, stderr) =>
        resolve({ code: typeof error?.code === "number" ? error.code : 0, stdout, stderr }),
      );
      child.stdin?.end();
    });
  return { home, project, run };
}

test("import --list --all shows the sessions that programs store; importing a path makes one session of it and reports damage", async () => {
  const { home, project, run } = newImportHome();
  cpSync(copyOf("pi-everything"), path.join(home, ".pi/agent/sessions"), { recursive: true });
  cpSync(copyOf("codex-everything"), path.join(home, ".codex/sessions"), { recursive: true });
  const before = [stateOf(path.join(home, ".pi")), stateOf(path.join(home, ".codex"))];
  const here = await run("import", "--list");
  expect(here).toMatchObject({ code: 0, stdout: "" });
  expect(here.stderr).toContain("nothing to import for this directory");
  const all = await run("import", "--list", "--all", "--json");
  const listed = JSON.parse(all.stdout) as {
    format: string;
    name: string;
    path: string;
    messages: number;
    cwd: string;
  }[];
  const byFormat = listed.toSorted((one, other) => (one.format < other.format ? -1 : 1));
  expect(byFormat.map(({ format, messages, cwd }) => [format, messages, cwd])).toEqual([
    ["codex", 28, "/home/you/project"],
    ["pi", 30, "/home/you/project"],
  ]);
  const pi = listed.find(({ format }) => format === "pi")?.path ?? "";
  const first = await run("import", pi, "--json");
  const [result] = JSON.parse(first.stdout) as Record<string, unknown>[];
  const remark = `The conversation took place in a directory that does not exist here: /home/you/project. It continues in ${project}.`;
  expect({ code: first.code, result }).toEqual({
    code: 0,
    result: {
      path: pi,
      format: "pi",
      sessionId: expect.any(String) as string,
      isNew: true,
      added: 23,
      warnings: [remark],
    },
  });
  const both = await run("import", path.join(home, ".pi"), path.join(home, ".codex"));
  expect(both.stdout).toMatch(/^[0-9A-Z]{26} {2}Trying things {2}already imported$/m);
  expect(both.stdout).toMatch(/^[0-9A-Z]{26} {2}Hello there\..* {2}imported, 26 messages$/m);
  expect(readdirSync(path.join(home, "data", "logs")).filter((name) => name.endsWith(".jsonl"))).toHaveLength(2);
  expect([stateOf(path.join(home, ".pi")), stateOf(path.join(home, ".codex"))]).toEqual(before);
  expect(existsSync(path.join(home, "data", "forks")) ? readdirSync(path.join(home, "data", "forks")) : []).toEqual([]);
});

test("a format that is not known is a usage error that names those there are", async () => {
  const { run } = newImportHome();
  const names = edges.flatMap(({ importers = [] }) => importers).map(({ name }) => name);
  names.push(...edges.flatMap(({ sessionFormats = [] }) => sessionFormats).map(({ name }) => name));
  expect(await run("import", ".", "--format", "word")).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(new RegExp(`unknown format "word"[\\s\\S]*${names.join(", ")}`)) as string,
  });
});

test.skipIf(process.getuid?.() === 0)("a file that may not be read is refused with that reason", async () => {
  const { home, run } = newImportHome();
  const file = path.join(home, "a.jsonl");
  writeFileSync(file, "{}\n", { mode: 0o200 });
  expect(await run("import", file)).toMatchObject({ code: 5, stderr: expect.stringContaining("permission denied") });
});
