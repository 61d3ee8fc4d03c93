import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { whyNotWritable } from "./wrap-command.ts";

test("[B4] a session is not writable where it is or contains the home, a state directory or our data", () => {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), "rt-writable-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const at = (name: string): string => path.join(root, name);
  for (const name of ["u/home/.codex", "u/home/work", "state/moved", "data/roundtable"]) {
    mkdirSync(at(name), { recursive: true });
  }
  symlinkSync(at("u"), at("link"));
  const userEnv = { home: at("u/home"), env: { CLAUDE_CONFIG_DIR: at("state/moved") }, own: [at("data/roundtable")] };
  const refused = ["", "u", "u/home", "u/home/.codex", "link", "state", "state/moved", "data", "data/roundtable"];
  expect(refused.filter((name) => whyNotWritable(at(name), userEnv) === undefined)).toEqual([]);
  expect(["u/home/work", "u/home/.codex2", "nothing"].map((name) => whyNotWritable(at(name), userEnv))).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
