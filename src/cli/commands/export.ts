/** `export`: writes sessions to files. Sessions are only read; files are only replaced with --force. */
import { existsSync, mkdirSync, statSync } from "node:fs";
import path from "node:path";
import { InvalidArgumentError, Option } from "commander";
import { terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import { shortId } from "../../kit/short-id.ts";
import { dataDirectory } from "../config/paths.ts";
import { existingDataDirectory } from "../config/data-directory.ts";
import { exitCodes, type ExitCode } from "../../kit/exit-codes.ts";
import type { SessionExport } from "../../host/index.ts";
import { directoryExporters, exporters } from "../edges.ts";
import { examples, type DeclareCommand } from "./command.ts";
import { addCommonOptions, addServerOption } from "./options.ts";
import type { CommonFlags } from "../flags.ts";
import { noteLine, usageFailure, type Failure } from "../../kit/failure.ts";
import { findSession, noSuchSession } from "../sessions/find-session.ts";
import { note, stdout } from "../terminal/stdout.ts";
import { openDevice, openHost } from "../connect/team-server.ts";
import { cannotWrite, writeNewFile } from "./write-new-file.ts";

export interface ExportFlags extends CommonFlags {
  format?: string;
  output?: string;
  /** True without further words. */
  redact?: string[] | true;
  all?: boolean;
  force?: boolean;
}

const formatNames = [...exporters, ...directoryExporters].map(({ name }) => name);

function formatOf(ending: string): string | undefined {
  return exporters.find(({ endings }) => endings.includes(ending.toLowerCase()))?.name;
}

/** The ending of a format's files names it too, such as md. */
function toFormat(text: string): string {
  const format = formatNames.includes(text) ? text : formatOf(`.${text}`);
  if (format !== undefined) return format;
  throw new InvalidArgumentError(`Allowed choices are ${formatNames.join(", ")}.`);
}

export const declareExport: DeclareCommand = (command, run) => {
  const directoryFormats = directoryExporters.map(({ name }) => `--format ${name}`).join(" or ");
  const directoryFirst = `with ${directoryFormats} and without -o, the directory comes first`;
  command
    .argument(
      "[id...]",
      ["session ids, parts of ids, or titles", ...(directoryFormats === "" ? [] : [directoryFirst])].join("; "),
    )
    .addOption(
      new Option("-f, --format <format>", "output format (default: by the extension of -o, else markdown)")
        .choices(formatNames)
        .argParser(toFormat),
    )
    .option("-o, --output <file>", "file, or directory for several sessions (default: standard output)")
    .option(
      "--redact [words...]",
      "remove keys, tokens, home paths, your user name, and these words; goes after the ids",
    )
    .option("--all", "export all sessions")
    .option("--force", "replace existing files");
  addServerOption(command);
  addCommonOptions(command);
  command.addHelpText(
    "after",
    examples([
      "roundtable export q5mgaw > session.md",
      "roundtable export q5mgaw -o session.html",
      "roundtable export q5mgaw -o session.jsonl && roundtable import session.jsonl --data-dir /elsewhere",
      "roundtable export --all --format html -o ~/sessions/",
      "roundtable export q5mgaw -o public.html --redact Acme 'Project X'",
      "roundtable export q5mgaw --server https://team.example.org -o session.md",
      ...directoryExporters.map(({ name }) => `roundtable export --format ${name} ~/sessions/ q5mgaw`),
    ]),
  );
  command.action(async (ids: string[], flags: ExportFlags) => run(flags, (all) => exportSessions(ids, all)));
};

interface Plan {
  readonly ids: readonly string[];
  readonly isAll: boolean;
  readonly format: string;
  /** The first argument was one. */
  readonly takesDirectory: boolean;
  /** Absent for standard output. */
  readonly output?: string;
}

export async function exportSessions(names: readonly string[], flags: ExportFlags): Promise<ExitCode> {
  const plan = planOf(names, flags);
  const given = dataDirectory(process.env, flags.dataDir, process.cwd());
  const dataDir = flags.server === undefined ? existingDataDirectory(given) : given;
  const ids = dataDir === undefined ? [] : await sessionIds(dataDir, plan, flags);
  if (dataDir === undefined || ids.length === 0) {
    const [first] = plan.ids;
    if (first === undefined) {
      note(noteLine("there are no sessions yet"));
      return exitCodes.ok;
    }
    throw noSuchSession(first);
  }
  if (exporters.some(({ name }) => name === plan.format)) return await exportFiles(dataDir, ids, plan, flags);
  return await exportDirectories(dataDir, ids, plan, flags);
}

function planOf(given: readonly string[], flags: ExportFlags): Plan {
  const format = flags.format ?? formatOf(path.extname(flags.output ?? "")) ?? "markdown";
  const isDirectory = directoryExporters.some(({ name }) => name === format);
  if (isDirectory && flags.server !== undefined)
    throw usageFailure(`--format ${format} works on this machine only`, "Remove --server");
  const takesDirectory = isDirectory && flags.output === undefined;
  const [directory, ...rest] = given;
  if (takesDirectory && directory === undefined) {
    throw usageFailure(`--format ${format} needs a directory`, `Usage: roundtable export --format ${format} DIR [ID…]`);
  }
  if (takesDirectory && directory !== undefined && looksLikeId(directory)) throw notDirectory(directory, format);
  const ids = takesDirectory ? rest : given;
  const output = takesDirectory ? directory : flags.output;
  const isAll = flags.all === true || (isDirectory && ids.length === 0);
  if (!isAll && ids.length === 0) {
    const hint = Array.isArray(flags.redact)
      ? "Put the ids before --redact"
      : "See roundtable sessions list, or use --all";
    throw usageFailure("no session given", hint);
  }
  if (isAll && flags.all === true && ids.length > 0)
    throw usageFailure("session ids and --all cannot be combined", "Use one of them");
  return { ids, isAll, format, takesDirectory, ...(output === undefined ? {} : { output }) };
}

function notDirectory(given: string, format: string): Failure {
  return usageFailure(
    `"${given}" is a session, not a directory`,
    `Usage: roundtable export --format ${format} DIR [ID…]`,
  );
}

/** Guards against a forgotten directory: all sessions would be written to a new directory named after the id. */
function looksLikeId(name: string): boolean {
  return /^01[0-9A-HJKMNP-TV-Z]{2,24}$/i.test(name) && statSync(name, { throwIfNoEntry: false }) === undefined;
}

async function sessionIds(dataDir: string, plan: Plan, flags: ExportFlags): Promise<string[]> {
  const { ids, isAll, format, output = "" } = plan;
  const host = await openHost(dataDir, flags, [], { isReader: true });
  try {
    if (!isAll) {
      const resolved: string[] = [];
      for (const id of ids) resolved.push(await findSession(host.client, id));
      return [...new Set(resolved)];
    }
    const sessions = await host.client.list();
    const isShortId = sessions.some(({ sessionId }) => shortId(sessionId, output.length) === output.toLowerCase());
    if (plan.takesDirectory && isShortId && !existsSync(output)) throw notDirectory(output, format);
    return sessions.map(({ sessionId }) => sessionId).sort();
  } finally {
    await host.close();
  }
}

function redactOf({ redact }: ExportFlags): { redact?: { terms: readonly string[] } } {
  return redact === undefined ? {} : { redact: { terms: redact === true ? [] : redact } };
}

async function exportDirectories(
  dataDir: string,
  ids: readonly string[],
  plan: Plan,
  flags: ExportFlags,
): Promise<ExitCode> {
  const offer = directoryExporters.find(({ name }) => name === plan.format);
  if (offer === undefined) throw usageFailure(`sessions cannot be exported as ${plan.format}`);
  const write = await offer.load();
  const directory = path.resolve(plan.output ?? ".");
  const force = flags.force === true;
  return await each(ids, async (sessionId) => {
    const writing = write({ dataDir, sessionId, directory, force, ...redactOf(flags) });
    const { file, report } = await writing.catch((error: unknown) => {
      throw isAt(directory, error) ? cannotWrite(directory, error) : error;
    });
    return { where: file, report };
  });
}

/** An error of the system at the target; others are those of the session. */
function isAt(directory: string, error: unknown): boolean {
  const { path: at } = error as NodeJS.ErrnoException;
  return at !== undefined && !path.relative(directory, at).startsWith("..");
}

type MakeExport = (sessionId: string) => Promise<Pick<SessionExport, "fileName" | "chunks" | "report">>;

/** Made here from the files of sessions, or on the server. */
async function exportMaker(dataDir: string, { format }: Plan, flags: ExportFlags): Promise<MakeExport> {
  const redact = redactOf(flags);
  if (flags.server !== undefined) {
    const { exportThere } = await import("../connect/team-export.ts");
    const device = await openDevice(flags);
    return (sessionId) => exportThere(device, { sessionId, format, ...redact });
  }
  const { exportSession } = await import("../../host/index.ts");
  const exporter = exporters.find(({ name }) => name === format);
  if (exporter === undefined) throw usageFailure(`sessions cannot be exported as ${format}`);
  return (sessionId) => exportSession({ dataDir, sessionId, exporter, ...redact });
}

async function exportFiles(dataDir: string, ids: readonly string[], plan: Plan, flags: ExportFlags): Promise<ExitCode> {
  const { output } = plan;
  const make = await exportMaker(dataDir, plan, flags);
  const isMany = ids.length > 1 || plan.isAll;
  if (isMany && output === undefined) {
    throw usageFailure("several sessions cannot be written to standard output", "Name a directory: -o DIR");
  }
  const directory = output === undefined ? undefined : directoryOf(output, isMany);
  return await each(ids, async (sessionId) => {
    const made = await make(sessionId);
    if (output === undefined) {
      for await (const chunk of made.chunks) {
        stdout.write(chunk);
        await stdout.flush();
        if (stdout.error !== undefined) break;
      }
      return { report: made.report() };
    }
    const file = directory === undefined ? path.resolve(output) : path.join(directory, made.fileName);
    await writeNewFile(file, made.chunks, { force: flags.force === true });
    return { where: file, report: made.report() };
  });
}

/** Undefined when the output is a single file. */
function directoryOf(output: string, isMany: boolean): string | undefined {
  const target = path.resolve(output);
  const isDirectory = statSync(target, { throwIfNoEntry: false })?.isDirectory() === true;
  if (!isMany && !isDirectory && !output.endsWith("/")) return undefined;
  try {
    mkdirSync(target, { recursive: true });
  } catch (error) {
    throw cannotWrite(target, error);
  }
  return target;
}

interface Written {
  readonly where?: string;
  readonly report: readonly string[];
}

/** Continues after a session that fails. */
async function each(ids: readonly string[], write: (id: string) => Promise<Written>): Promise<ExitCode> {
  let failed = 0;
  for (const id of ids) {
    try {
      const { where, report } = await write(id);
      if (where !== undefined) stdout.write(`${terminalSafeLine(where)}\n`);
      for (const sentence of report) note(noteLine(sentence));
    } catch (error) {
      if (ids.length === 1) throw error;
      failed += 1;
      note(noteLine(`${id}: ${error instanceof Error ? error.message : String(error)}`));
    }
  }
  return failed === 0 ? exitCodes.ok : exitCodes.failure;
}
