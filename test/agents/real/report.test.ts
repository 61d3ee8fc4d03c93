import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { pins, type Pin } from "./pins.ts";
import { writeReport } from "./report.ts";
import type { Result } from "./try-scenario.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "roundtable-report-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const pin = pins[0] as Pin;
const results = new Map<string, Result>([
  ["text", { outcome: "pass", ms: 1_200 }],
  ["steer", { outcome: "not offered", why: "it cannot" }],
  ["tool", { outcome: "fail", ms: 800, why: "left running:\ntail", events: [] }],
]);

test("the report stands between its marks, says why, and leaves the words around it alone", () => {
  const file = path.join(folder, "agents.md");
  writeFileSync(file, "before\n<!-- trials -->\nold\n<!-- /trials -->\nafter\n");
  writeReport(file, [{ pin, version: pin.version, results }], { ms: 90_000 });
  const text = readFileSync(file, "utf8");
  expect(text).toMatch(/^before\n<!-- trials -->\n\nRun on \d{4}-\d\d-\d\d with Node v[\d.]+ .* 1\.5 minutes/);
  expect(text).toContain("| | Claude Code 2.1.325 |\n|---|---|\n| text | pass |\n| steer | not offered (1) |\n");
  expect(text).toContain("| tool | **fail** (2) |\n| time of all | 2 s |\n");
  expect(text).toContain("1. Claude Code, steer: it cannot.\n2. Claude Code, tool: left running: tail.\n");
  expect(text).toMatch(/<!-- \/trials -->\nafter\n$/);
  expect(text).not.toContain("old");
});

test("the report names the version that was tried in place of the pinned one", () => {
  const file = path.join(folder, "agents.md");
  writeFileSync(file, "<!-- trials -->\n<!-- /trials -->\n");
  const tried = [
    { pin, version: pin.version, results },
    { pin, version: "1.0.0", results },
  ];
  writeReport(file, tried, { ms: 90_000 });
  const text = readFileSync(file, "utf8");
  expect(text).toContain("| | Claude Code 2.1.325 | Claude Code 1.0.0 |");
  const [note] = /for everything\..*/.exec(text) ?? [];
  expect(note).toBe(
    "for everything. Claude Code 2.1.325, the pinned version, cannot be installed on this machine; 1.0.0 was tried in its place.",
  );
});

test("agents of which the same is told share a note, and trials for others have none", () => {
  const file = path.join(folder, "agents.md");
  writeFileSync(file, "<!-- trials -->\n<!-- /trials -->\n");
  const own: Result = { outcome: "not offered", why: "tried with Pi only" };
  const noted: Result = { outcome: "pass", ms: 1, note: "0 effects" };
  const of = (settings: Result) => new Map([["attacks", noted] as const, ["settings", settings] as const]);
  const [one, two] = [pins[0] as Pin, pins[1] as Pin];
  const tried = [one, two].map((pin) => ({ pin, version: pin.version, results: of(pin === one ? own : noted) }));
  writeReport(file, tried, { ms: 1 });
  const text = readFileSync(file, "utf8");
  expect(text).toContain("| attacks | pass (1) | pass (1) |\n| settings | – | pass (2) |\n");
  expect(text).toContain("1. all, attacks: 0 effects.\n2. Codex, settings: 0 effects.\n");
});

test("a document without the marks is refused and stays as it is", () => {
  const file = path.join(folder, "agents.md");
  writeFileSync(file, "nothing here");
  expect(() => writeReport(file, [], { ms: 0 })).toThrow("no place for the trials");
  expect(readFileSync(file, "utf8")).toBe("nothing here");
});
