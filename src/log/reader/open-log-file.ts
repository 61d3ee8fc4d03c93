/** The bytes of a session's log to read, wherever they are: in the plain file, or in the compressed one of a session put away. */
import { RoundtableError } from "../../protocol/index.ts";
import { openCompressed } from "../lifecycle/compressed-file.ts";
import { errorCodeOf } from "../../kit/files/system-error.ts";
import { type FilePort, type OpenFile } from "../files/file-port.ts";
import type { SessionPaths } from "../files/paths.ts";

/** Throws `unknown_session` when there is neither. */
export async function openLogFile(files: FilePort, paths: SessionPaths, sessionId: string): Promise<OpenFile> {
  const file =
    openIfExists(files, paths.log) ??
    (await openCompressedIfExists(files, paths.compressed)) ??
    // It may have been brought back between the two looks.
    openIfExists(files, paths.log);
  if (file !== undefined) return file;
  throw new RoundtableError("unknown_session", `There is no session ${sessionId}.`);
}

function openIfExists(files: FilePort, path: string): OpenFile | undefined {
  try {
    return files.openToRead(path);
  } catch (error) {
    return absent(path, error);
  }
}

async function openCompressedIfExists(files: FilePort, path: string): Promise<OpenFile | undefined> {
  try {
    return await openCompressed(files, path);
  } catch (error) {
    if (error instanceof RoundtableError) throw error;
    return absent(path, error);
  }
}

function absent(path: string, error: unknown): undefined {
  if (errorCodeOf(error) === "ENOENT") return undefined;
  throw new RoundtableError("store_unavailable", `The log ${path} cannot be read.`, { cause: error });
}
