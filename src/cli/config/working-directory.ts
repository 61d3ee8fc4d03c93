/** Working directory of a command: -C, else the current directory. Symlinks are resolved, so that a project has one path. */
import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { usageFailure } from "../../kit/failure.ts";

export function workingDirectory(flag: string | undefined): string {
  if (flag === undefined) return process.cwd();
  const directory = resolve(flag);
  let isDirectory = false;
  try {
    isDirectory = statSync(directory).isDirectory();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown";
    const problem = code === "ENOENT" ? "does not exist" : `cannot be used (${code})`;
    throw usageFailure(`-C ${flag}: the directory ${directory} ${problem}`, "Give an existing directory");
  }
  if (!isDirectory) throw usageFailure(`-C ${flag}: ${directory} is not a directory`, "Give an existing directory");
  return realpathSync(directory);
}
