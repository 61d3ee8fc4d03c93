/**
 * `doctor`: checks the data directory and lists problems. It changes nothing without --repair, --rebuild or
 * --end-strays, and never a record of a log.
 */
import type { DataDirReport, Rebuilt, Repaired } from "../../host/index.ts";
import type { CommonFlags } from "../flags.ts";
import { jsonLine } from "../ask/output.ts";
import { dataDirectory } from "../config/paths.ts";
import { existingDataDirectory } from "../config/data-directory.ts";
import { terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import { exitCodes, type ExitCode } from "../../kit/exit-codes.ts";
import { failureLine, toFailure, usageFailure } from "../../kit/failure.ts";
import { note, stdout } from "../terminal/stdout.ts";
import { endedLines, rebuiltLines, repairedLines, reportLines, type Ended } from "./format-doctor.ts";
import { guardLines, type GuardsHere } from "./agents/guard-report.ts";
import { examples, type DeclareCommand } from "./command.ts";
import { addCommonOptions } from "./options.ts";

interface DoctorFlags extends CommonFlags {
  json?: boolean;
  repair?: boolean;
  rebuild?: boolean;
  endStrays?: boolean;
}

export const declareDoctor: DeclareCommand = (command, run) => {
  command
    .option("--json", "the findings as JSON")
    .option("--repair", "copy the readable part of each damaged session to a new session")
    .option("--rebuild", "rebuild summaries, snapshots and the search index, and remove orphaned files")
    .option("--end-strays", "end orphaned member processes")
    .addHelpText(
      "after",
      examples(["roundtable doctor", "roundtable doctor --repair", "roundtable doctor --data-dir /backup/roundtable"]),
    );
  addCommonOptions(command);
  command.action(async (flags: DoctorFlags) => run(flags, doctor));
};

interface Done {
  readonly repaired?: readonly Repaired[];
  readonly rebuilt?: Rebuilt;
  readonly ended?: Ended;
}

async function doctor(flags: DoctorFlags): Promise<ExitCode> {
  const directory = dataDirectory(process.env, flags.dataDir, process.cwd());
  const isThere = existingDataDirectory(directory) !== undefined;
  // A mistyped path of a backup must not be reported as intact.
  if (!isThere && flags.dataDir !== undefined) {
    throw usageFailure(`there is no data directory ${directory}`, "Nothing was checked. Check --data-dir.");
  }
  const report = await check(directory);
  const done = isThere ? await treat(flags, report) : {};
  const isWhole = done.repaired === undefined ? report.isWhole : (await check(directory)).isWhole;
  const guards = await readGuardsOrWarn(flags);
  if (flags.json === true) stdout.write(jsonLine({ ...report, ...done, ...guards }));
  else {
    stdout.write(reportLines(report));
    if (done.repaired !== undefined) stdout.write(repairedLines(done.repaired));
    if (done.rebuilt !== undefined) stdout.write(rebuiltLines(done.rebuilt));
    if (done.ended !== undefined) stdout.write(endedLines(done.ended));
    if (guards !== undefined) stdout.write(guardText(guards));
  }
  return isWhole ? exitCodes.ok : exitCodes.failure;
}

function guardText({ sandbox, guards }: GuardsHere): string {
  return guardLines(sandbox, guards)
    .map((line) => `${terminalSafeLine(line)}\n`)
    .join("");
}

/** An unreadable configuration must not prevent the check of the data. */
async function readGuardsOrWarn(flags: DoctorFlags): Promise<GuardsHere | undefined> {
  const { guardsHere } = await import("./agents/agents.ts");
  try {
    return await guardsHere(flags);
  } catch (error) {
    note(failureLine(toFailure(error)));
    return undefined;
  }
}

/** For a screen: program, agents and data directory. Writes nothing to stdout or stderr. */
export async function doctorLines(flags: CommonFlags & { dataDir: string }): Promise<readonly string[]> {
  const [{ checkDataDir }, { examinedAgents }, { formatAgents }, { readVersion }] = await Promise.all([
    import("../../host/index.ts"),
    import("./agents/agents.ts"),
    import("./agents/format-agents.ts"),
    import("../version.ts"),
  ]);
  const [{ agents, absent, sandbox }, report] = await Promise.all([examinedAgents(flags), checkDataDir(flags.dataDir)]);
  return [
    `Roundtable ${readVersion()}, Node ${process.versions.node}, ${process.platform} ${process.arch}`,
    "",
    ...formatAgents(agents, absent, sandbox).trimEnd().split("\n"),
    "",
    ...reportLines(report).trimEnd().split("\n"),
  ];
}

/** A default directory that does not exist yet is intact. */
async function check(directory: string): Promise<DataDirReport> {
  const { checkDataDir } = await import("../../host/index.ts");
  const progress = createProgress("checking");
  try {
    return await checkDataDir(directory, { onProgress: progress.update });
  } finally {
    progress.end();
  }
}

async function treat(flags: DoctorFlags, report: DataDirReport): Promise<Done> {
  return {
    ...(flags.repair === true ? { repaired: await repair(flags, report) } : {}),
    ...(flags.rebuild === true ? { rebuilt: await rebuild(report.dataDir) } : {}),
    ...(flags.endStrays === true ? { ended: await endOrphans(report.dataDir) } : {}),
  };
}

async function repair(flags: DoctorFlags, { dataDir, sessions }: DataDirReport): Promise<readonly Repaired[]> {
  const broken = sessions.filter((session) => !session.isWhole && !session.isHeld).map((one) => one.sessionId);
  if (broken.length === 0) return [];
  const [{ repairCopies }, { sessionDefaults }] = await Promise.all([
    import("../../host/index.ts"),
    import("../sessions/defaults.ts"),
  ]);
  const { cwd, settings } = await sessionDefaults(flags);
  const progress = createProgress("copying");
  try {
    const fallback = { cwd, settings: { ...settings, order: [] } };
    return await repairCopies({ dataDir, sessionIds: broken, fallback, onProgress: progress.update });
  } finally {
    progress.end();
  }
}

async function rebuild(dataDir: string): Promise<Rebuilt> {
  const { rebuildDerived } = await import("../../host/index.ts");
  const progress = createProgress("rebuilding");
  try {
    return await rebuildDerived(dataDir, progress.update);
  } finally {
    progress.end();
  }
}

async function endOrphans(dataDir: string): Promise<Ended> {
  const { createAgents } = await import("../../agents/index.ts");
  const { ended, left } = await createAgents({ dataDir }).endOrphans();
  const pids = (orphans: readonly { pid: number; member: string }[]) =>
    orphans.map(({ pid, member }) => ({ pid, member }));
  return { ended: pids(ended), left: pids(left) };
}

/** Minimum interval between two updates of the progress line. */
const UPDATE_EVERY_MS = 200;

interface Progress {
  readonly update: (done: number, of: number) => void;
  end(): void;
}

/** Progress on one line of stderr; silent unless stderr is a terminal. */
function createProgress(word: string): Progress {
  const { stderr } = process;
  let updatedAtMs = performance.now();
  let isShown = false;
  return {
    update(done, of) {
      // Fast operations show no progress.
      if (!stderr.isTTY || performance.now() - updatedAtMs < UPDATE_EVERY_MS) return;
      updatedAtMs = performance.now();
      isShown = true;
      stderr.write(`\r\u001B[2K${word} ${done} of ${of}`);
    },
    end() {
      if (isShown) stderr.write("\r\u001B[2K");
      isShown = false;
    },
  };
}
