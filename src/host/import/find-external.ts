/** Finds sessions of other programs, at a given path or where the programs store them. Reads only. */
import { realpath, stat } from "node:fs/promises";
import path from "node:path";
import { FILES_MAX, findFiles } from "./find-files.ts";
import type { Environment, ExternalFormat, Recognised } from "./external-format.ts";
import { peekFile } from "./peek-file.ts";

/** Files examined concurrently. */
const AT_ONCE = 16;

export interface ExternalSessionInfo {
  readonly format: string;
  readonly path: string;
  readonly nativeId: string;
  readonly title: string;
  readonly cwd?: string;
  readonly messages: number;
  /** The file is long, and only its beginning was counted. */
  readonly isMore: boolean;
  readonly updatedMs: number;
}

export interface DiscoveryResult {
  /** Newest first. */
  readonly sessions: readonly ExternalSessionInfo[];
  /** What was skipped, in sentences. */
  readonly remarks: readonly string[];
}

/** In a file or a directory. */
export async function findSessionsIn(location: string, formats: readonly ExternalFormat[]): Promise<DiscoveryResult> {
  const kind = await stat(location).catch(() => undefined);
  if (kind === undefined) return { sessions: [], remarks: [] };
  if (kind.isFile()) return { sessions: await inspectFiles([location], formats), remarks: [] };
  const { files, isCut } = await findFiles(location, (name) => formats.some((format) => format.isFile(name)));
  return { sessions: await inspectFiles(files, formats), remarks: isCut ? [limitRemark(location)] : [] };
}

/** Sessions of one working directory, or all. */
export async function findStoredSessions(
  env: Environment,
  cwd: string | undefined,
  formats: readonly ExternalFormat[],
): Promise<DiscoveryResult> {
  const sessions: ExternalSessionInfo[] = [];
  const remarks: string[] = [];
  const here = cwd === undefined ? undefined : await realpath(cwd).catch(() => cwd);
  for (const format of formats) {
    const directories = here === undefined ? format.stores(env) : (format.storesOf?.(env, here) ?? format.stores(env));
    for (const directory of directories) {
      const { files, isCut } = await findFiles(directory, (name) => format.isFile(name));
      if (isCut) remarks.push(limitRemark(directory));
      const all = await inspectFiles(files, [format]);
      sessions.push(...all.filter((one) => here === undefined || one.cwd === undefined || isSame(one.cwd, here, cwd)));
    }
  }
  return { sessions: sessions.sort((one, other) => other.updatedMs - one.updatedMs), remarks };
}

function isSame(own: string, here: string, cwd: string | undefined): boolean {
  const resolved = path.resolve(own);
  return resolved === here || resolved === cwd;
}

function limitRemark(directory: string): string {
  return `${directory} has more than ${FILES_MAX} files; the others are not listed`;
}

async function inspectFiles(
  files: readonly string[],
  formats: readonly ExternalFormat[],
): Promise<ExternalSessionInfo[]> {
  const results: (ExternalSessionInfo | undefined)[] = [];
  const waiting = [...files.entries()];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [at, file] = next;
      results[at] = await recognise(file, formats);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return results.filter((one) => one !== undefined).sort((one, other) => other.updatedMs - one.updatedMs);
}

async function recognise(file: string, formats: readonly ExternalFormat[]): Promise<ExternalSessionInfo | undefined> {
  const candidates = formats.filter((format) => format.isFile(path.basename(file)));
  const find = (values: readonly unknown[], isWhole: boolean): [ExternalFormat, Recognised] | undefined => {
    for (const format of candidates) {
      const match = format.recognise(file, { values, isWhole, bytes: 0, updatedMs: 0 });
      if (match !== undefined) return [format, match];
    }
    return undefined;
  };
  const peek = await peekFile(file, (values) => find(values, false)?.[1].title !== undefined);
  const known = peek === undefined ? undefined : find(peek.values, peek.isWhole);
  if (peek === undefined || known === undefined) return undefined;
  const [format, { nativeId, title, cwd, messages }] = known;
  return {
    format: format.name,
    path: file,
    nativeId,
    title: title ?? nativeId,
    ...(cwd === undefined ? {} : { cwd }),
    messages,
    isMore: !peek.isWhole,
    updatedMs: peek.updatedMs,
  };
}
