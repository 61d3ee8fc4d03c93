/** What came of the trials, one entry for each agent and scenario: the last time it was tried. Kept beside the docs. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { pins, type AgentName, type Pin } from "./pins.ts";
import type { AgentReport, ReportFacts, Told } from "./report.ts";
import type { Result } from "./try-scenario.ts";

export interface Trials {
  /** Node, system and cores of the last trial. */
  readonly machine: string;
  readonly agents: Partial<Record<AgentName, { version: string; results: Record<string, Tried> }>>;
}

/** With its date. */
type Tried = Told & { readonly on: string };

export function readTrials(file: string): Trials {
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Trials) : { machine: "", agents: {} };
}

/** Another version of an agent begins anew. */
export function recordTrial(file: string, { pin, version }: Pick<AgentReport, "pin" | "version">, done: Done): void {
  const { agents } = readTrials(file);
  const before = agents[pin.name];
  const results = { ...(before?.version === version ? before.results : {}), [done.scenario]: entryOf(done.result) };
  const machine = `Node ${process.version} on ${process.platform} ${process.arch}, ${cpus().length} cores`;
  const trials: Trials = { machine, agents: { ...agents, [pin.name]: { version, results } } };
  writeFileSync(file, `${JSON.stringify(trials, null, 2)}\n`);
}

interface Done {
  readonly scenario: string;
  readonly result: Result;
}

function entryOf(result: Result): Tried {
  const on = new Date().toISOString().slice(0, 10);
  if (result.outcome !== "pass") return { outcome: result.outcome, why: result.why, on };
  return { outcome: "pass", ...(result.note === undefined ? {} : { note: result.note }), on };
}

/** In the order of the pins and of the scenarios; what is no longer tried is left out. */
export function reportsOf(trials: Trials, rows: readonly string[]): { reports: AgentReport[]; facts: ReportFacts } {
  const reports = pins.flatMap((pin: Pin): AgentReport[] => {
    const tried = trials.agents[pin.name];
    if (tried === undefined) return [];
    const results = Object.entries(tried.results).filter(([name]) => rows.includes(name));
    return [{ pin, version: tried.version, results: new Map(results) }];
  });
  const days = Object.values(trials.agents)
    .flatMap(({ results }) => Object.values(results).map(({ on }) => on))
    .toSorted();
  const [first = "", last = first] = [days[0], days.at(-1)];
  const when = first === last ? `on ${first}` : `from ${first} to ${last}`;
  return { reports, facts: { when, machine: trials.machine, rows } };
}
