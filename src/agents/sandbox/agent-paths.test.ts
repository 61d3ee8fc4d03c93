import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { AccessMap } from "./access-map.ts";
import { setAgentPaths } from "./agent-paths.ts";

function ground() {
  const home = realpathSync(mkdtempSync(path.join(tmpdir(), "rt-agent-paths-")));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const at = (name: string): string => path.join(home, ".codex", name);
  mkdirSync(at(""));
  const begin = () =>
    setAgentPaths(new AccessMap(), { agent: "codex", dataDir: path.join(home, "data"), home, env: {} });
  return { at, begin };
}

const NAMES = ["AGENTS.override.md", "AGENTS.md"];

test("what two sandboxes of an agent stand in for stays until both have ended", () => {
  const { at, begin } = ground();
  const present = () => NAMES.filter((name) => existsSync(at(name)));
  const [first, second] = [begin(), begin()];
  first();
  expect(present()).toEqual(NAMES);
  second();
  expect(present()).toEqual([]);
});

test("a text of the user's is not covered by an empty one, also when it was written while a sandbox ran", () => {
  const { at, begin } = ground();
  writeFileSync(at("AGENTS.md"), "mine");
  begin()();
  expect(existsSync(at("AGENTS.override.md"))).toBe(false);
  rmSync(at("AGENTS.md"));
  const first = begin();
  writeFileSync(at("AGENTS.md"), "mine");
  rmSync(at("AGENTS.override.md"));
  const second = begin();
  expect(existsSync(at("AGENTS.override.md"))).toBe(false);
  first();
  second();
  expect(existsSync(at("AGENTS.md"))).toBe(true);
});
