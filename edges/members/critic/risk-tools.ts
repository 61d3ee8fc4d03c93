/** Critic's tools, each shown as a tool call: look_for_risks, look_for_tests, check_places. */
import { type EmbeddedTurn, printableLine } from "../../../src/agents/index.ts";
import type { Workspace } from "../search/file-tools.ts";
import { counted } from "../markdown.ts";
import { REFERENCES_MAX } from "../search/references.ts";
import type { Claims } from "./claims.ts";
import { checkLocation, type Verdict } from "./check-locations.ts";
import { findRisks, RISK_LABELS, type Risk } from "./risk-rules.ts";
import { checkCoverage, type Coverage, type Subject } from "./test-coverage.ts";
import { formatList } from "../../../src/kit/text/format.ts";

const SCAN_MS_MAX = 4_000;
const CONCURRENCY = 8;
const LISTED_MAX = 40;
const NAMED_MAX = 12;

export interface RiskScan {
  risks: readonly Risk[];
  read: number;
  /** Files not read because of the time limit. */
  notReached: number;
  /** Number of lines of each file read. */
  lineCounts: ReadonlyMap<string, number>;
}

export function scanRisksTool(turn: EmbeddedTurn, workspace: Workspace, paths: readonly string[]): Promise<RiskScan> {
  const title = `Look for risks in ${counted(paths.length, "file")}`;
  const args = { files: paths.slice(0, LISTED_MAX).map(printableLine), count: paths.length };
  return turn.tool({ name: "look_for_risks", args, title, kind: "search" }, async (tool) => {
    const risks: Risk[] = [];
    const lineCounts = new Map<string, number>();
    const untilMs = turn.clock.monotonic() + SCAN_MS_MAX;
    let next = 0;
    let shown = 0;
    const work = async () => {
      while (next < paths.length && turn.clock.monotonic() < untilMs) {
        turn.signal.throwIfAborted();
        const path = paths[next++] ?? "";
        const file = await workspace.reader.read(path);
        if (file.kind !== "text") continue;
        lineCounts.set(path, file.text.replace(/\n$/, "").split("\n").length);
        const fileRisks = findRisks(path, file.text);
        for (const risk of fileRisks) {
          risks.push(risk);
          if (shown++ < LISTED_MAX) tool.output(`${describeRisk(risk)}\n`);
        }
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
    const notReached = paths.length - next;
    const left = notReached === 0 ? "" : `; ${counted(notReached, "file")} not reached in ${SCAN_MS_MAX / 1_000} s`;
    const result = `${counted(risks.length, "sign")} of risk in ${counted(lineCounts.size, "file")}${left}.`;
    return { value: { risks, read: lineCounts.size, notReached, lineCounts }, result };
  });
}

function describeRisk(risk: Risk): string {
  return `${printableLine(risk.path)}:${risk.line}: ${RISK_LABELS[risk.kind]}`;
}

export function findTestsTool(
  turn: EmbeddedTurn,
  workspace: Workspace,
  { subjects, paths }: { subjects: readonly Subject[]; paths: readonly string[] },
): Promise<Coverage> {
  if (subjects.length === 0) return Promise.resolve({ untested: [], tests: 0, isWhole: true });
  const title = `Look for tests of ${counted(subjects.length, "file")}`;
  const args = { files: subjects.slice(0, LISTED_MAX).map((one) => printableLine(one.path)), count: subjects.length };
  return turn.tool({ name: "look_for_tests", args, title, kind: "search" }, async () => {
    const { reader } = workspace;
    const value = await checkCoverage(subjects, { paths, reader, clock: turn.clock, signal: turn.signal });
    const files = value.untested.map((one) => printableLine(one.path));
    const left = files.length > NAMED_MAX ? ` and ${files.length - NAMED_MAX} more` : "";
    const summary =
      files.length === 0
        ? "All are mentioned in tests"
        : `Not mentioned in tests, or only in part: ${files.slice(0, NAMED_MAX).join(", ")}${left}`;
    const whole = value.isWhole ? summary : "Time ran out before every test was read";
    return { value, result: `${whole} (${counted(value.tests, "test file")}).` };
  });
}

export interface CheckedLocation {
  by: string;
  verdict: Verdict;
}

/** Merges equal claims of one member about the same place. */
export function checkLocationsTool(
  turn: EmbeddedTurn,
  workspace: Workspace,
  { all, paths }: { all: readonly Claims[]; paths: readonly string[] },
): Promise<CheckedLocation[]> {
  const claims = all
    .flatMap(({ by, locations }) => locations.map((location) => ({ by, location })))
    .slice(0, REFERENCES_MAX);
  if (claims.length === 0) return Promise.resolve([]);
  const names = [...new Set(claims.map((one) => one.by))];
  const shown = claims
    .slice(0, LISTED_MAX)
    .map(({ location: { reference } }) =>
      printableLine(reference.line === undefined ? reference.path : `${reference.path}:${reference.line}`),
    );
  const title = `Check ${counted(claims.length, "place")} that ${formatList(names.map(printableLine))} named`;
  return turn.tool({ name: "check_places", args: { places: shown }, title, kind: "read" }, async (tool) => {
    const value: CheckedLocation[] = [];
    for (const { by, location } of claims) {
      turn.signal.throwIfAborted();
      const verdict = await checkLocation(location, { paths, root: workspace.root, reader: workspace.reader });
      value.push({ by, verdict });
      if (verdict.kind !== "holds") tool.output(`${printableLine(by)}: ${verdict.sentence}\n`);
    }
    const good = value.filter((one) => one.verdict.kind === "holds").length;
    return { value, result: `${good} of ${value.length} check out.` };
  });
}
