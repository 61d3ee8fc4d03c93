import { mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
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
