/** Checks of the data directory before it is used: a directory, private to the user, readable and writable. */
import { accessSync, constants, statSync } from "node:fs";
import { entryOfOtherUser, whyNotPrivate, makeDirectory } from "../../kit/files/private-directory.ts";
import { errorCodeOf, noSpaceReason } from "../../kit/files/system-error.ts";
import { exitCodes } from "../../kit/exit-codes.ts";
import { Failure } from "../../kit/failure.ts";

const HINT = "Choose another directory with --data-dir or ROUNDTABLE_HOME";

export function prepareDataDirectory(directory: string): void {
  try {
    requirePrivate(directory);
    makeDirectory(directory, 0o700);
    if (!statSync(directory).isDirectory())
      throw new Failure(exitCodes.usage, "data-dir", notDirectory(directory), { hint: HINT });
    requirePrivate(directory);
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
    refusePlanted(directory);
  } catch (error) {
    throw explain(error, directory, "write");
  }
}

/** For commands that only read: undefined when the directory does not exist. */
export function existingDataDirectory(directory: string): string | undefined {
  try {
    if (!statSync(directory).isDirectory())
      throw new Failure(exitCodes.usage, "data-dir", notDirectory(directory), { hint: HINT });
    requirePrivate(directory);
    accessSync(directory, constants.R_OK | constants.X_OK);
    refusePlanted(directory);
    return directory;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw explain(error, directory, "read");
  }
}

/** Another owner, or anyone with write access, could plant a server address or logs in it. */
function requirePrivate(directory: string): void {
  const violation = whyNotPrivate(directory);
  if (violation === undefined) return;
  const message = `the data directory ${directory} ${violation.problem}`;
  throw new Failure(exitCodes.permissionDenied, "data-dir", message, { hint: violation.fix });
}

/** Files planted while the directory was open to others stay there after its permissions are fixed. */
function refusePlanted(directory: string): void {
  const entry = entryOfOtherUser(directory);
  if (entry === undefined) return;
  const message = `${entry} in the data directory belongs to another user`;
  throw new Failure(exitCodes.permissionDenied, "data-dir", message, { hint: "Inspect it and move it away" });
}

function explain(error: unknown, directory: string, action: "read" | "write"): Failure {
  if (error instanceof Failure) return error;
  const code = errorCodeOf(error) || "unknown";
  const options = { hint: HINT, cause: error };
  switch (code) {
    case "ENOENT":
      return new Failure(exitCodes.usage, code, `the data directory ${directory} cannot be created`, options);
    case "EEXIST":
    case "ENOTDIR":
      return new Failure(exitCodes.usage, "data-dir", notDirectory(directory), options);
    case "EACCES":
    case "EPERM":
      return new Failure(
        exitCodes.permissionDenied,
        code,
        `no permission to ${action} the data directory ${directory}`,
        options,
      );
    case "EROFS":
      return new Failure(
        exitCodes.failure,
        code,
        `the data directory ${directory} is on a read-only file system`,
        options,
      );
    case "ENOSPC":
    case "EDQUOT":
      return new Failure(
        exitCodes.failure,
        code,
        `the data directory ${directory} cannot be written: ${noSpaceReason(error) ?? ""}`,
        options,
      );
    default:
      return new Failure(exitCodes.failure, code, `the data directory ${directory} cannot be used (${code})`, options);
  }
}

function notDirectory(directory: string): string {
  return `the data directory ${directory} is not a directory`;
}
