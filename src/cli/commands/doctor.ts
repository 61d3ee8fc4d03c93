/** `doctor`: one line that says whether the data directory is whole, then what is wrong. Changes nothing. */
import type { DataDirReport } from "../../host/index.ts";
import { terminalSafeLine } from "../../kit/terminal-safe.ts";
import type { CommonFlags } from "../args.ts";
import { jsonLine } from "../ask/output.ts";
import { dataDirectory } from "../config/paths.ts";
import { existingDataDirectory } from "../data-dir.ts";
import { exitCodes, type ExitCode } from "../exit-codes.ts";
import { stdout } from "../stdout.ts";

export async function doctor(flags: CommonFlags & { json?: boolean }): Promise<ExitCode> {
  const directory = dataDirectory(process.env, flags.dataDir, process.cwd());
  const report = await check(directory);
  stdout.write(flags.json === true ? jsonLine(report) : reportLines(report));
  return report.isWhole ? exitCodes.ok : exitCodes.failure;
}

/** A directory that is not there yet is whole: nothing is missing from it. */
async function check(directory: string): Promise<DataDirReport> {
  if (existingDataDirectory(directory) === undefined) {
    return { dataDir: directory, isWhole: true, sessions: [], staleLocks: [], staleSockets: [], problems: [] };
  }
  const { checkDataDir } = await import("../../host/index.ts");
  return await checkDataDir(directory);
}

export function reportLines(report: DataDirReport): string {
  const { dataDir, sessions, problems, staleLocks, staleSockets } = report;
  const events = sessions.reduce((sum, session) => sum + session.events, 0);
  const broken = sessions.filter((session) => !session.isWhole);
  const verdict = report.isWhole ? "whole" : "not whole";
  const leftovers = staleLocks.length + staleSockets.length;
  return [
    `${dataDir} is ${verdict}: ${count(sessions.length, "session")}, ${count(events, "event")}`,
    ...problems.map((problem) => `  ${problem}`),
    ...broken.flatMap((session) => session.problems.map((problem) => `  session ${session.sessionId}: ${problem}`)),
    ...(leftovers === 0
      ? []
      : [`  ${count(leftovers, "leftover")} of ended processes; harmless, removed by the next run`]),
  ]
    .map((line) => `${terminalSafeLine(line)}\n`)
    .join("");
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
