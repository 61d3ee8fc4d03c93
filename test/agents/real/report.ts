/** Writes the outcome between two marks of docs/agents.md; the words around them are written by hand. */
import { readFileSync, writeFileSync } from "node:fs";
import type { Pin } from "./pins.ts";

const BEGIN = "<!-- trials -->";
const END = "<!-- /trials -->";

export interface AgentReport {
  readonly pin: Pin;
  /** The one that was tried. */
  readonly version: string;
  /** By the name of the scenario. */
  readonly results: ReadonlyMap<string, Told>;
}

/** A result without its time, which says more about the machine, and without what only helps to find a fault. */
export type Told =
  | { readonly outcome: "pass"; readonly note?: string }
  | { readonly outcome: "fail" | "not offered"; readonly why: string };

export interface ReportFacts {
  /** "on DATE" or "from DATE to DATE". */
  readonly when: string;
  readonly machine: string;
  /** Names of the scenarios, in the order of the rows. */
  readonly rows: readonly string[];
}

export function writeReport(file: string, reports: readonly AgentReport[], facts: ReportFacts): void {
  const text = readFileSync(file, "utf8");
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`${file} has no place for the trials (${BEGIN} … ${END}).`);
  writeFileSync(
    file,
    text.slice(0, begin) + [BEGIN, ...reportLines(reports, facts)].join("\n") + "\n" + text.slice(end),
  );
}

function reportLines(reports: readonly AgentReport[], { when, machine, rows }: ReportFacts): string[] {
  const names = rows.filter((name) => reports.some(({ results }) => results.has(name)));
  /** Titles of the agents by what is told of them. */
  const notes = new Map<string, string[]>();
  const cell = ({ pin, results }: AgentReport, name: string): string => {
    const result = results.get(name);
    if (result === undefined || isOfOthers(result)) return "–";
    const more = "why" in result ? result.why : result.note;
    const mark = more === undefined ? "" : ` ${footnote(notes, pin.title, `${name}: ${more}`)}`;
    return `${result.outcome === "fail" ? "**fail**" : result.outcome}${mark}`;
  };
  return [
    "",
    `Run ${when} with ${machine}.${reports.map(olderNote).join("")}`,
    "",
    `| | ${reports.map(({ pin, version }) => `${pin.title} ${version}`).join(" | ")} |`,
    `|---|${reports.map(() => "---|").join("")}`,
    ...names.map((name) => `| ${name} | ${reports.map((report) => cell(report, name)).join(" | ")} |`),
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
function isOfOthers(result: Told): boolean {
  return result.outcome === "not offered" && result.why.startsWith("tried with ");
}

function footnote(notes: Map<string, string[]>, title: string, note: string): string {
  notes.set(note, [...(notes.get(note) ?? []), title]);
  return `(${[...notes.keys()].indexOf(note) + 1})`;
}
