import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { installAgent, installForHere, usualCacheDir } from "./install-agent.ts";
import type { Pin } from "./pins.ts";

const pin: Pin = {
  name: "codex",
  title: "Codex",
  npmPackage: "@openai/codex",
  version: "1.2.3",
  how: "install",
  program: "codex",
};

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "roundtable-install-"));
  mkdirSync(path.join(folder, "bin"));
  vi.stubEnv("PATH", `${path.join(folder, "bin")}:${process.env["PATH"] ?? ""}`);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

/** An `npm` that writes down what it was asked and makes what a package would bring. */
function npm(script: string): void {
  const file = path.join(folder, "bin", "npm");
  writeFileSync(file, `#!/bin/sh\necho "$@" >> "${folder}/asked"\nmkdir -p node_modules/.bin\n${script}\n`);
  chmodSync(file, 0o755);
}

test("an installation that was cut is done again, a whole one is used as it is", () => {
  const cache = path.join(folder, "cache");
  npm("exit 1");
  expect(() => installAgent(pin, cache)).toThrow();
  expect(readdirSync(cache)).toEqual([]);
  npm(": > node_modules/.bin/codex");
  const command = installAgent(pin, cache);
  expect(command).toEqual([path.join(cache, "codex-1.2.3", "node_modules", ".bin", "codex")]);
  expect(existsSync(command[0] ?? "")).toBe(true);
  npm("exit 1");
  expect(installAgent(pin, cache)).toEqual(command);
});

test("where the pinned version cannot be had, the older one is tried, and only there", () => {
  const cache = path.join(folder, "cache");
  const onlyOlder = 'case "$*" in *@1.2.3*) exit 1;; esac\n: > node_modules/.bin/codex';
  npm(onlyOlder);
  expect(() => installForHere(pin, cache)).toThrow("1.2.3");
  const older = { ...pin, olderVersion: "1.0.9" };
  const command = [path.join(cache, "codex-1.0.9", "node_modules", ".bin", "codex")];
  expect(installForHere(older, cache)).toEqual({ command, version: "1.0.9" });
  npm("exit 1");
  expect(() => installForHere({ ...older, olderVersion: "1.0.8" }, cache)).toThrow("1.2.3");
  npm(": > node_modules/.bin/codex");
  expect(installForHere(older, cache).version).toBe("1.2.3");
});

test("the programs lie in the cache folder of the user", () => {
  const own = path.join("roundtable", "test-agents");
  expect(usualCacheDir({ XDG_CACHE_HOME: "/somewhere" })).toBe(path.join("/somewhere", own));
  expect(usualCacheDir({})).toMatch(new RegExp(`cache/${own}$`));
});
