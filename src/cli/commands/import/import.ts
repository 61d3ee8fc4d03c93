/** `import`: creates sessions from files of this and other programs. The sources are only read. */
import { accessSync, constants, existsSync } from "node:fs";
import path from "node:path";
import { terminalSafeLine } from "../../../kit/text/terminal-safe.ts";
import { RoundtableError } from "../../../protocol/index.ts";
import type { CommonFlags } from "../../flags.ts";
import { jsonLine } from "../../ask/output.ts";
import { alignColumns } from "../../terminal/format.ts";
import { dataDirectory, workingDirectory } from "../../config/paths.ts";
import { prepareDataDirectory } from "../../config/data-directory.ts";
import { embedded } from "../../edges.ts";
import { exitCodes, type ExitCode } from "../../../kit/exit-codes.ts";
import { Failure, noteLine, usageFailure } from "../../../kit/failure.ts";
import { plural } from "../../../kit/text/format.ts";
import { sessionDefaults } from "../../sessions/defaults.ts";
import { note, stdout } from "../../terminal/stdout.ts";
import type { Importable, Importer } from "../../../edge/index.ts";
import type { ExternalImportResult } from "../../../host/index.ts";
import { examples, type DeclareCommand } from "../command.ts";
import { addCommonOptions } from "../options.ts";
import { loadImporters } from "./importers.ts";

interface ImportFlags extends CommonFlags {
  list?: boolean;
  all?: boolean;
  format?: string;
  json?: boolean;
}

export const declareImport: DeclareCommand = (command, run) => {
  command
    .argument("[path...]", "session files, or directories that contain them")
    .option("--list", "list what can be imported for this directory, or from the paths")
    .option("--all", "with --list: for all directories")
    .option("--format <name>", "import only this format")
    .option("--json", "print JSON");
  addCommonOptions(command);
  command.addHelpText(
    "after",
    examples([
      "roundtable import --list",
      "roundtable import --list --all --format codex",
      "roundtable import ~/.claude/projects/-home-me-app/0b1cd0e5-1d40-4cf6-8468-9b16ce2ba533.jsonl",
      "roundtable import .kd/branches/main/threads/council-3908",
    ]),
  );
  command.action(async (paths: string[], flags: ImportFlags) => run(flags, (all) => importSessions(paths, all)));
};

async function importSessions(given: readonly string[], flags: ImportFlags): Promise<ExitCode> {
  const formats = chosenFormats(await loadImporters(), flags.format);
  if (flags.all === true && (flags.list !== true || given.length > 0)) {
    throw usageFailure("--all needs --list and takes no path");
  }
  if (given.length === 0 && flags.list !== true) {
    throw usageFailure("no path given", "roundtable import --list shows what can be imported for this directory");
  }
  const cwd = workingDirectory(flags.directory);
  const sources = given.map((one) => path.resolve(cwd, one));
  const items =
    sources.length === 0
      ? await findHere(formats, cwd, { isAll: flags.all === true })
      : await findAll(formats, sources);
  const where = sources.length === 0 ? "for this directory" : `in ${sources.join(", ")}`;
  const all = unique(items);
  if (flags.list === true) return list(all, where, flags);
  const missing = sources.filter((source) => !existsSync(source));
  if (all.length === 0 && missing.length > 0) {
    throw new Failure(exitCodes.failure, "nothing_to_import", `there is no file or directory ${missing.join(", ")}`, {
      hint: "roundtable import --list shows what can be imported for this directory",
    });
  }
  const unreadable = sources.filter((source) => !isReadable(source));
  if (all.length === 0 && unreadable.length > 0) {
    throw new Failure(exitCodes.permissionDenied, "EACCES", `cannot read ${unreadable.join(", ")}: permission denied`);
  }
  if (all.length === 0) {
    throw new Failure(exitCodes.failure, "nothing_to_import", `nothing to import ${where}`, {
      hint: `Known formats: ${formats.map(({ name }) => name).join(", ")}`,
    });
  }
  return await importAll(all, formats, flags);
}

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

function chosenFormats(all: readonly Importer[], name: string | undefined): readonly Importer[] {
  if (name === undefined) return all;
  const chosen = all.filter((format) => format.name === name);
  if (chosen.length > 0) return chosen;
  const known = all.map((format) => format.name).join(", ");
  throw usageFailure(`unknown format ${JSON.stringify(name)}`, `Known formats: ${known}`);
}

async function findAll(formats: readonly Importer[], sources: readonly string[]): Promise<Importable[]> {
  const results = await Promise.all(
    sources.flatMap((source) => formats.map(async (format) => await format.find(source))),
  );
  return results.flat();
}

/** Searches where the programs store sessions; formats without such a place are searched in the directory itself. */
async function findHere(
  formats: readonly Importer[],
  cwd: string,
  { isAll }: { isAll: boolean },
): Promise<Importable[]> {
  const results = await Promise.all(
    formats.map(async (format) => {
      if (format.findStored !== undefined) return await format.findStored(isAll ? undefined : cwd);
      return format.findForDirectory === undefined ? await format.find(cwd) : await format.findForDirectory(cwd);
    }),
  );
  return results.flat().sort((one, other) => (other.updatedMs ?? 0) - (one.updatedMs ?? 0));
}

/** One path may contain another. */
function unique(items: readonly Importable[]): Importable[] {
  return [...new Map(items.map((one) => [`${one.format} ${one.path}`, one])).values()];
}

function list(items: readonly Importable[], where: string, { json }: ImportFlags): ExitCode {
  if (json === true) stdout.write(jsonLine(items));
  else if (items.length === 0) note(noteLine(`nothing to import ${where}`));
  else stdout.write(alignColumns(items.map((one) => [one.name, one.format, count(one), one.remark, one.path])));
  return exitCodes.ok;
}

function count({ messages, isMore }: Importable): string {
  return isMore === true ? `${messages}+ messages` : plural(messages, "message");
}

/** Continues after one that fails. */
async function importAll(
  items: readonly Importable[],
  formats: readonly Importer[],
  flags: ImportFlags,
): Promise<ExitCode> {
  const dataDir = dataDirectory(process.env, flags.dataDir, process.cwd());
  prepareDataDirectory(dataDir);
  const { createAgents } = await import("../../../agents/index.ts");
  const { factory: agentFactory } = createAgents({ dataDir, embedded });
  const defaults = await sessionDefaults(flags);
  const results: ({ path: string; format: string } & (ExternalImportResult | { error: string }))[] = [];
  for (const one of items) {
    const { path: from, format: name } = one;
    const format = formats.find((known) => known.name === name);
    try {
      const result = await format?.run(one, { dataDir, defaults, agentFactory });
      if (result === undefined) continue;
      results.push({ path: from, format: name, ...result });
      if (flags.json !== true) printResult(one, result);
    } catch (error) {
      if (!isReportable(error)) throw error;
      results.push({ path: from, format: name, error: error.message });
      note(noteLine(`${one.name}: ${error.message}`, error instanceof RoundtableError ? error.hint : undefined));
    }
  }
  if (flags.json === true) stdout.write(jsonLine(results));
  return results.some((one) => "error" in one) ? exitCodes.failure : exitCodes.ok;
}

/** Our own errors, and files that vanished or cannot be read. */
function isReportable(error: unknown): error is Error {
  return error instanceof RoundtableError || (error instanceof Error && "code" in error);
}

function printResult(one: Importable, { sessionId, isNew, added, warnings }: ExternalImportResult): void {
  const what = isNew
    ? `imported, ${plural(added, "message")}`
    : added === 0
      ? "already imported"
      : plural(added, "new message");
  stdout.write(terminalSafeLine(`${sessionId}  ${one.name}  ${what}`) + "\n");
  for (const warning of warnings) note(noteLine(warning));
}
