/** Writes the outcome between two marks of docs/agents.md; the words around them are written by hand. */
import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import type { Pin } from "./pins.ts";
import type { Result } from "./try-scenario.ts";

const BEGIN = "<!-- trials -->";
const END = "<!-- /trials -->";

export interface AgentReport {
  readonly pin: Pin;
  /** The one that was tried. */
  readonly version: string;
  /** By the name of the scenario. */
  readonly results: ReadonlyMap<string, Result>;
}

export function writeReport(file: string, reports: readonly AgentReport[], { ms }: { ms: number }): void {
  const text = readFileSync(file, "utf8");
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`${file} has no place for the trials (${BEGIN} … ${END}).`);
  writeFileSync(file, text.slice(0, begin) + [BEGIN, ...reportLines(reports, ms)].join("\n") + "\n" + text.slice(end));
}

function reportLines(reports: readonly AgentReport[], ms: number): string[] {
  const names = [...new Set(reports.flatMap(({ results }) => [...results.keys()]))];
  /** Titles of the agents by what is told of them. */
  const notes = new Map<string, string[]>();
  const cell = ({ pin, results }: AgentReport, name: string): string => {
    const result = results.get(name);
    if (result === undefined || isOfOthers(result)) return "–";
    const more = "why" in result ? result.why : result.note;
    const mark = more === undefined ? "" : ` ${footnote(notes, pin.title, `${name}: ${more}`)}`;
    return `${result.outcome === "fail" ? "**fail**" : result.outcome}${mark}`;
  };
  const date = new Date().toISOString().slice(0, 10);
  const minutes = (ms / 60_000).toFixed(1);
  return [
    "",
    `Run on ${date} with Node ${process.version} on ${process.platform} ${process.arch}, ${cpus().length} cores; ${minutes} minutes for everything.${reports.map(olderNote).join("")}`,
    "",
    `| | ${reports.map(({ pin, version }) => `${pin.title} ${version}`).join(" | ")} |`,
    `|---|${reports.map(() => "---|").join("")}`,
    ...names.map((name) => `| ${name} | ${reports.map((report) => cell(report, name)).join(" | ")} |`),
    `| time of all | ${reports.map(({ results }) => total(results)).join(" | ")} |`,
    "",
    ...[...notes].map(([note, titles], at) => {
      const who = titles.length === reports.length && titles.length > 1 ? "all" : titles.join(", ");
      return `${at + 1}. ${who}, ${note.replaceAll("\n", " ")}${/[.!?`]$/.test(note) ? "" : "."}`;
    }),
    "",
  ];
}

function olderNote({ pin, version }: AgentReport): string {
  if (version === pin.version) return "";
  return ` ${pin.title} ${pin.version}, the pinned version, cannot be installed on this machine; ${version} was tried in its place.`;
}

/** A trial for the settings of another agent. */
function isOfOthers(result: Result): boolean {
  return result.outcome === "not offered" && result.why.startsWith("tried with ");
}

function footnote(notes: Map<string, string[]>, title: string, note: string): string {
  notes.set(note, [...(notes.get(note) ?? []), title]);
  return `(${[...notes.keys()].indexOf(note) + 1})`;
}

function total(results: ReadonlyMap<string, Result>): string {
  const ms = [...results.values()].reduce((sum, result) => sum + ("ms" in result ? result.ms : 0), 0);
  return `${Math.round(ms / 1000)} s`;
}
