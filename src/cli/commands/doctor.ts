/** `doctor`: one line that says whether the data directory is whole, then what is wrong. Changes nothing. */
import type { DataDirReport } from "../../host/index.ts";
import { terminalSafeLine } from "../../kit/terminal-safe.ts";
import type { CommonFlags } from "../args.ts";
import { jsonLine } from "../ask/output.ts";
import { dataDirectory } from "../config/paths.ts";
import { existingDataDirectory } from "../data-dir.ts";
import { exitCodes, type ExitCode } from "../exit-codes.ts";
import { localTime } from "../local-time.ts";
import { stdout } from "../stdout.ts";

export async function doctor(flags: CommonFlags & { json?: boolean }): Promise<ExitCode> {
  const directory = dataDirectory(process.env, flags.dataDir, process.cwd());
  const report = await check(directory);
  stdout.write(flags.json === true ? jsonLine(report) : reportLines(report));
  return report.isWhole ? exitCodes.ok : exitCodes.failure;
}

/** The same words for a screen. */
export async function doctorLines(directory: string): Promise<readonly string[]> {
  return reportLines(await check(directory))
    .trimEnd()
    .split("\n");
}

/** A directory that is not there yet is whole: nothing is missing from it. */
async function check(directory: string): Promise<DataDirReport> {
  if (existingDataDirectory(directory) === undefined) {
    const nothing = { sessions: [], staleLocks: [], staleSockets: [], strays: [], problems: [] };
    return { dataDir: directory, isWhole: true, ...nothing };
  }
  const { checkDataDir } = await import("../../host/index.ts");
  return await checkDataDir(directory);
}

function reportLines(report: DataDirReport): string {
  const { dataDir, sessions, problems, staleLocks, staleSockets, strays } = report;
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
    ...(strays.length === 0
      ? []
      : [`  ${count(strays.length, "process", "processes")} that an ended run left behind; the next run ends them`]),
    ...strays.map(({ pid, member, sinceTs }) => `    process ${pid} of ${member}, since ${localTime(sinceTs)}`),
  ]
    .map((line) => `${terminalSafeLine(line)}\n`)
    .join("");
}

function count(number: number, noun: string, nouns = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : nouns}`;
}
