import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { neededInProjectBy } from "../agent-directories.ts";
import { GovernedWatch } from "./watch.ts";

test("a link to a governed file that was replaced counts as new", () => {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), "rt-watch-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const at = (name: string): string => path.join(root, name);
  writeFileSync(at("AGENTS.md"), "be good\n");
  for (const name of ["CLAUDE.md", "GEMINI.md"]) symlinkSync("AGENTS.md", at(name));
  const watch = new GovernedWatch(root);
  watch.begin("ann");
  rmSync(at("CLAUDE.md"));
  writeFileSync(at("CLAUDE.md"), "be evil\n");
  const { moved } = watch.end("ann", { isSandboxed: true, quarantine: at("quarantine") });
  expect(moved.map(({ from }) => from)).toEqual([at("CLAUDE.md")]);
  expect(readdirSync(root).toSorted()).toEqual(["AGENTS.md", "GEMINI.md", "quarantine"]);
});

test.each([
  ["only what opencode needs stays", {}, []],
  ["the same with another content is moved", { ".gitignore": "!evil\n" }, [".opencode"]],
  ["and so is anything beside it", { "plugin.ts": "evil" }, [".opencode"]],
])("of a directory that appears %s", (_what, more, expected) => {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), "rt-watch-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const at = (name: string): string => path.join(root, name);
  const watch = new GovernedWatch(root);
  watch.begin("ann");
  const { folder, file, content } = neededInProjectBy("opencode") ?? { folder: "", file: "", content: "" };
  mkdirSync(at(folder));
  const files: Record<string, string> = { [file]: content, ...more };
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(at(folder), name), text);
  const { moved } = watch.end("ann", { isSandboxed: true, quarantine: at("quarantine") });
  expect(moved.map(({ from }) => path.relative(root, from))).toEqual(expected);
});
