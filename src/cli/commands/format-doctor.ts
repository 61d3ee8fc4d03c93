/** Report of `doctor` for a person. */
import type { DataDirReport, Rebuilt, Repaired } from "../../host/index.ts";
import { terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import { localTime } from "../terminal/format.ts";

export interface Ended {
  readonly ended: readonly { readonly pid: number; readonly member: string }[];
  readonly left: readonly { readonly pid: number; readonly member: string }[];
}

export function reportLines(report: DataDirReport): string {
  const { dataDir, sessions, trashed, problems } = report;
  const events = sessions.reduce((sum, session) => sum + session.events, 0);
  const verdict = report.isWhole ? "is intact" : "has problems";
  const inTrash = trashed.length === 0 ? "" : `, ${trashed.length} in the trash`;
  const isRepairable = sessions.some(
    (session) => !session.isWhole && !session.isHeld && session.repairedAs === undefined,
  );
  return lines([
    `${dataDir} ${verdict}: ${count(sessions.length, "session")}, ${count(events, "event")}${inTrash}`,
    ...problems.map((problem) => `  ${problem}`),
    ...sessions.flatMap((one) => one.problems.map((problem) => `  session ${one.sessionId}: ${problem}`)),
    ...sessions.flatMap(({ sessionId, repairedAs }) =>
      repairedAs === undefined ? [] : [`  session ${sessionId}: its readable copy is ${repairedAs}`],
    ),
    ...trashed.flatMap((one) => one.problems.map((problem) => `  deleted session ${one.sessionId}: ${problem}`)),
    ...(isRepairable ? ["  roundtable doctor --repair makes readable copies; the damaged logs stay as they are"] : []),
    ...cleanupLines(report),
    ...compressibleLines(report),
  ]);
}

function cleanupLines({ staleLocks, staleSockets, halfDone, strayFiles, strays }: DataDirReport): string[] {
  const staleFiles = staleLocks.length + staleSockets.length;
  return [
    ...(staleFiles === 0
      ? []
      : [`  ${count(staleFiles, "stale file")} of exited processes; harmless, removed by the next run`]),
    ...(halfDone.length === 0
      ? []
      : [
          `  ${count(halfDone.length, "copy or deletion", "copies or deletions")} unfinished; completed by the next run`,
        ]),
    ...(strayFiles.length === 0
      ? []
      : [`  ${count(strayFiles.length, "orphaned file")}; harmless, roundtable doctor --rebuild removes them`]),
    ...(strays.length === 0
      ? []
      : [`  ${count(strays.length, "orphaned process", "orphaned processes")}; ended by the next run`]),
    ...strays.map(({ pid, member, sinceTs }) => `    process ${pid} of ${member}, since ${localTime(sinceTs)}`),
  ];
}

function compressibleLines({ compressible }: DataDirReport): string[] {
  const [first] = compressible;
  if (first === undefined) return [];
  const which = compressible.length === 1 ? first : `${first} and ${compressible.length - 1} more`;
  return [`  archived and large: ${which}; compress with roundtable sessions archive ID --compress`];
}

export function repairedLines(repaired: readonly Repaired[]): string {
  if (repaired.length === 0) return lines(["nothing to repair"]);
  return lines(repaired.map((one) => `session ${one.sessionId} ${repairedAs(one)}`));
}

function repairedAs({ copyId, isEarlier, tail, problem }: Repaired): string {
  if (tail === "completed") return "is repaired: its last record lacked a newline";
  if (tail === "saved") return "is repaired: the incomplete record at its end was saved beside the log";
  if (copyId === undefined) return `could not be copied: ${problem ?? "unknown reason"}`;
  if (isEarlier === true) return `already has a readable copy: ${copyId}`;
  return `was copied to ${copyId}, with everything that can be read`;
}

export function rebuiltLines({ sessions, skipped, removedFiles }: Rebuilt): string {
  return lines([
    `${count(sessions, "session")} rebuilt: summaries now, snapshots and the search index when next needed`,
    ...(removedFiles.length === 0 ? [] : [`${count(removedFiles.length, "orphaned file")} removed`]),
    ...skipped.map((sessionId) => `session ${sessionId} was skipped: it is open or cannot be read`),
  ]);
}

export function endedLines({ ended, left }: Ended): string {
  if (ended.length + left.length === 0) return lines(["no orphaned processes"]);
  return lines([
    ...ended.map(({ pid, member }) => `process ${pid} of ${member} was ended`),
    ...left.map(({ pid, member }) => `process ${pid} of ${member} could not be ended`),
  ]);
}

function lines(all: readonly string[]): string {
  return all.map((line) => `${terminalSafeLine(line)}\n`).join("");
}

function count(number: number, noun: string, nouns = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : nouns}`;
}
