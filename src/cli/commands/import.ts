/** `import`: conversations of other programs become sessions. The sources are read and never changed. */
import path from "node:path";
import { terminalSafeLine } from "../../kit/terminal-safe.ts";
import { RoundtableError } from "../../protocol/index.ts";
import type { CommonFlags } from "../args.ts";
import { jsonLine } from "../ask/output.ts";
import { dataDirectory } from "../config/paths.ts";
import { prepareDataDirectory } from "../data-dir.ts";
import { exitCodes, type ExitCode } from "../exit-codes.ts";
import { Failure, noteLine, usageFailure } from "../failure.ts";
import { sessionDefaults } from "../session-defaults.ts";
import { note, stdout } from "../stdout.ts";
import { workingDirectory } from "../working-directory.ts";
import { importFormats, type Importable, type ImportResult } from "./import-formats.ts";

export interface ImportFlags extends CommonFlags {
  list?: boolean;
  json?: boolean;
}

export async function importSessions(given: string | undefined, flags: ImportFlags): Promise<ExitCode> {
  if (given === undefined && flags.list !== true) {
    throw usageFailure("import needs a path", "roundtable import --list shows what there is in this directory");
  }
  const cwd = workingDirectory(flags.directory);
  const place = path.resolve(cwd, given ?? ".");
  const found = await findAll(place);
  if (flags.list === true) return list(found, place, flags);
  if (found.length === 0) {
    throw new Failure(exitCodes.failure, "nothing_to_import", `there is nothing in ${place} that can be imported`, {
      hint: `Known formats: ${importFormats.map(({ name }) => name).join(", ")}`,
    });
  }
  return await importAll(found, flags);
}

async function findAll(place: string): Promise<Importable[]> {
  const found = await Promise.all(importFormats.map(async (format) => await format.find(place)));
  return found.flat();
}

function list(found: readonly Importable[], place: string, { json }: ImportFlags): ExitCode {
  if (json === true) stdout.write(jsonLine(found));
  else if (found.length === 0) note(noteLine(`there is nothing in ${place} that can be imported`));
  for (const one of json === true ? [] : found) {
    const count = `${one.messages} message${one.messages === 1 ? "" : "s"}`;
    stdout.write(terminalSafeLine(`${one.name}  ${one.format}  ${count}  ${one.remark}  ${one.path}`) + "\n");
  }
  return exitCodes.ok;
}

/** One that fails does not keep the others out. */
async function importAll(found: readonly Importable[], flags: ImportFlags): Promise<ExitCode> {
  const dataDir = dataDirectory(process.env, flags.dataDir, process.cwd());
  prepareDataDirectory(dataDir);
  const { createAgents } = await import("../../agents/index.ts");
  const { factory: agentFactory } = createAgents({ dataDir });
  const defaults = await sessionDefaults(flags);
  const results: ({ path: string } & (ImportResult | { error: string }))[] = [];
  for (const one of found) {
    const format = importFormats.find(({ name }) => name === one.format);
    try {
      const result = await format?.run(one, { dataDir, defaults, agentFactory });
      if (result === undefined) continue;
      results.push({ path: one.path, ...result });
      if (flags.json !== true) tell(one, result);
    } catch (error) {
      if (!(error instanceof RoundtableError)) throw error;
      results.push({ path: one.path, error: error.message });
      note(noteLine(`${one.name}: ${error.message}`, error.hint));
    }
  }
  if (flags.json === true) stdout.write(jsonLine(results));
  return results.some((one) => "error" in one) ? exitCodes.failure : exitCodes.ok;
}

function tell(one: Importable, { sessionId, isNew, added, warnings }: ImportResult): void {
  const what = isNew ? `imported, ${added} messages` : added === 0 ? "was imported before" : `${added} new messages`;
  stdout.write(terminalSafeLine(`${sessionId}  ${one.name}  ${what}`) + "\n");
  for (const warning of warnings) note(noteLine(warning));
}
