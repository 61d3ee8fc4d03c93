import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { pins, type Pin } from "./pins.ts";
import { writeReport, type Told } from "./report.ts";
import { scenarios } from "./scenarios.ts";
import { readTrials, recordTrial, reportsOf } from "./trials.ts";
import type { Result } from "./try-scenario.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "roundtable-report-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const pin = pins[0] as Pin;
const rows = ["text", "steer", "tool", "attacks", "settings"];
const FACTS = { when: "on 2026-01-02", machine: "Node v1 on linux x64, 2 cores", rows };
const results = new Map<string, Told>([
  ["text", { outcome: "pass" }],
  ["steer", { outcome: "not offered", why: "it cannot" }],
  ["tool", { outcome: "fail", why: "left running:\ntail" }],
]);

test("the report stands between its marks, says why, and leaves the words around it alone", () => {
  const file = path.join(folder, "agents.md");
  writeFileSync(file, "before\n<!-- trials -->\nold\n<!-- /trials -->\nafter\n");
  writeReport(file, [{ pin, version: pin.version, results }], FACTS);
  const text = readFileSync(file, "utf8");
  const run = "Run on 2026-01-02 with Node v1 on linux x64, 2 cores.";
  expect(text.startsWith(`before\n<!-- trials -->\n\n${run}\n`)).toBe(true);
  expect(text).toContain("| | Claude Code 2.1.325 |\n|---|---|\n| text | pass |\n| steer | not offered (1) |\n");
  expect(text).toContain("| tool | **fail** (2) |\n\n1. Claude Code, steer");
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
  writeReport(file, tried, FACTS);
  const text = readFileSync(file, "utf8");
  expect(text).toContain("| | Claude Code 2.1.325 | Claude Code 1.0.0 |");
  const [note] = /2 cores\..*/.exec(text) ?? [];
  expect(note).toBe(
    "2 cores. Claude Code 2.1.325, the pinned version, cannot be installed on this machine; 1.0.0 was tried in its place.",
  );
});

test("agents of which the same is told share a note, and trials for others have none", () => {
  const file = path.join(folder, "agents.md");
  writeFileSync(file, "<!-- trials -->\n<!-- /trials -->\n");
  const own: Told = { outcome: "not offered", why: "tried with Pi only" };
  const noted: Told = { outcome: "pass", note: "0 effects" };
  const of = (settings: Told) => new Map([["attacks", noted] as const, ["settings", settings] as const]);
  const [one, two] = [pins[0] as Pin, pins[1] as Pin];
  const tried = [one, two].map((pin) => ({ pin, version: pin.version, results: of(pin === one ? own : noted) }));
  writeReport(file, tried, FACTS);
  const text = readFileSync(file, "utf8");
  expect(text).toContain("| attacks | pass (1) | pass (1) |\n| settings | – | pass (2) |\n");
  expect(text).toContain("1. all, attacks: 0 effects.\n2. Codex, settings: 0 effects.\n");
});

test("the last result of each trial counts, in the order of the pins; another version begins anew", () => {
  const file = path.join(folder, "trials.json");
  const [claude, codex] = [pins[0] as Pin, pins[1] as Pin];
  const record = (of: Pin, version: string, scenario: string, result: Result) =>
    recordTrial(file, { pin: of, version }, { scenario, result });
  record(codex, "1", "text", { outcome: "pass", ms: 1 });
  record(codex, "2", "tool", { outcome: "fail", ms: 2, why: "no", events: ["one"] });
  record(claude, "3", "tool", { outcome: "fail", ms: 2, why: "no", events: ["one"] });
  record(claude, "3", "gone", { outcome: "pass", ms: 3 });
  record(claude, "3", "tool", { outcome: "pass", ms: 4 });
  const { reports, facts } = reportsOf(readTrials(file), ["text", "tool"]);
  const today = new Date().toISOString().slice(0, 10);
  expect(facts.when).toBe(`on ${today}`);
  expect(reports.map(({ pin: { name }, version, results: of }) => [name, version, [...of]])).toEqual([
    ["claude", "3", [["tool", { outcome: "pass", on: today }]]],
    ["codex", "2", [["tool", { outcome: "fail", why: "no", on: today }]]],
  ]);
});

test("the table in the docs is the one of the kept trials", () => {
  const docs = path.join(import.meta.dirname, "..", "..", "..", "docs");
  const written = readFileSync(path.join(docs, "agents.md"), "utf8");
  const names = scenarios.map(({ name }) => name);
  const { reports, facts } = reportsOf(readTrials(path.join(docs, "trials.json")), names);
  const file = path.join(folder, "agents.md");
  writeFileSync(file, written);
  writeReport(file, reports, facts);
  expect(readFileSync(file, "utf8")).toBe(written);
  expect(reports.map(({ pin: { name } }) => name)).toEqual(pins.map(({ name }) => name));
});

test("a document without the marks is refused and stays as it is", () => {
  const file = path.join(folder, "agents.md");
  writeFileSync(file, "nothing here");
  expect(() => writeReport(file, [], FACTS)).toThrow("no place for the trials");
  expect(readFileSync(file, "utf8")).toBe("nothing here");
});
