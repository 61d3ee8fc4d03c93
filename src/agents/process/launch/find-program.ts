/**
 * Resolves a command to an executable file before anything is started.
 * Guarantees: a bare name is searched neither in the current directory nor in the session's checkout; a program that
 * cannot be started yields a message, not an exception.
 */
import { accessSync, constants, statSync, type Stats } from "node:fs";
import path from "node:path";
import { checkoutTest } from "./checkout.ts";

export type ProgramLookup =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly why: WhyNot; readonly message: string };

type WhyNot = "missing" | "not_executable" | "directory" | "relative" | "in_checkout";

export interface ProgramSearchOptions {
  readonly PATH?: string | undefined;
  readonly PATHEXT?: string | undefined;
  readonly platform?: NodeJS.Platform;
  /** Directory of the session; programs in its checkout are not found by a bare name. */
  readonly cwd?: string | undefined;
}

export function findProgram(command: string, options: ProgramSearchOptions = process.env): ProgramLookup {
  const isWindows = (options.platform ?? process.platform) === "win32";
  const hasFolder = command.includes("/") || (isWindows && command.includes("\\"));
  if (hasFolder) return path.isAbsolute(command) ? examine(command, command) : refuse(command, "relative", command);
  let nearly: ProgramLookup | undefined;
  const isInCheckout = options.cwd === undefined ? () => false : checkoutTest(options.cwd);
  for (const candidate of programCandidates(command, options)) {
    const there = examine(command, candidate);
    const result = there.ok && isInCheckout(candidate) ? refuse(command, "in_checkout", candidate) : there;
    if (result.ok) return result;
    if (result.why !== "missing") nearly ??= result;
  }
  return nearly ?? refuse(command, "missing", "PATH");
}

/**
 * Candidate files for a bare name, in PATH order. Empty and relative entries are skipped: they mean the current
 * directory, which belongs to the project.
 */
export function programCandidates(command: string, options: ProgramSearchOptions): string[] {
  const isWindows = (options.platform ?? process.platform) === "win32";
  const folders = (options.PATH ?? "").split(isWindows ? ";" : ":").filter((folder) => path.isAbsolute(folder));
  const endings = isWindows ? windowsEndings(command, options.PATHEXT) : [""];
  return folders.flatMap((folder) => endings.map((ending) => path.join(folder, command + ending)));
}

/** Batch files are excluded: they need a shell, which would interpret arguments as code. */
function windowsEndings(command: string, pathext = ".COM;.EXE"): string[] {
  if (/\.(exe|com)$/i.test(command)) return [""];
  return pathext.split(";").filter((ending) => /^\.(exe|com)$/i.test(ending));
}

function examine(command: string, file: string): ProgramLookup {
  const stats = statOf(file);
  if (stats === undefined) return refuse(command, "missing", file);
  if (stats.isDirectory()) return refuse(command, "directory", file);
  try {
    accessSync(file, constants.X_OK);
  } catch {
    // Whatever the reason, the system would not execute it for us.
    return refuse(command, "not_executable", file);
  }
  return { ok: true, path: file };
}

/** Undefined for files that cannot be examined, e.g. below a folder of another user. */
function statOf(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    // PATH may contain such folders before the ones that matter.
    return undefined;
  }
}

function refuse(command: string, why: WhyNot, file: string): ProgramLookup {
  return { ok: false, why, message: SENTENCES[why](command, file) };
}

const SENTENCES: Readonly<Record<WhyNot, (command: string, file: string) => string>> = {
  missing: (command, file) =>
    file === "PATH"
      ? `"${command}" was not found on PATH. Install it, or give its absolute path.`
      : `There is no file ${file}. Install "${command}", or correct its path.`,
  not_executable: (_command, file) => `${file} is not executable. Run chmod +x on it, or install it again.`,
  directory: (_command, file) => `${file} is a directory, not a program. Give the path of the program itself.`,
  in_checkout: (command, file) =>
    `"${command}" was found only at ${file}, inside the session's checkout, and a repository must not choose what runs. Install it elsewhere, or name this path in the member's command.`,
  relative: (command) => `"${command}" is a relative path. Give an absolute path or a bare name that is on PATH.`,
};
