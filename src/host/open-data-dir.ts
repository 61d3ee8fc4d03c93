/** Creates the directories of a data directory and listens in it. Reading works where nothing can be written. */
import { errorCodeOf, noSpaceReason } from "../kit/files/system-error.ts";
import { RoundtableError } from "../protocol/index.ts";
import { openLocalSocket, type LocalSocket, type LocalSocketOptions } from "./connections/local-socket.ts";
import { prepareDataDir } from "./data-dir.ts";
import { removeDeadHosts } from "./maintenance/host-records.ts";

interface DataDirOptions {
  readonly dataDir: string;
  readonly isReader?: boolean;
  readonly warn?: (sentence: string) => void;
}

/** One of the two: without a socket, why no session can be opened. */
interface OpenedDataDir {
  readonly socket?: LocalSocket;
  readonly refusal?: RoundtableError;
}

const UNWRITABLE: ReadonlySet<string> = new Set(["EROFS", "ENOSPC", "EDQUOT", "EACCES", "EPERM"]);

export async function openDataDir(
  { dataDir, isReader = false, warn = () => {} }: DataDirOptions,
  listening: Pick<LocalSocketOptions, "hostId" | "onConnection">,
): Promise<OpenedDataDir> {
  try {
    await prepareDataDir(dataDir);
    await removeDeadHosts(dataDir);
    return { socket: await openLocalSocket({ dataDir, ...listening }) };
  } catch (error) {
    const refusal = unusable(dataDir, error);
    if (!isReader || !UNWRITABLE.has(errorCodeOf(error))) throw refusal;
    warn(`the data directory ${dataDir} cannot be written (${reasonOf(error)}); sessions can only be read`);
    return { refusal };
  }
}

function unusable(dataDir: string, error: unknown): RoundtableError {
  const what = noSpaceReason(error) === undefined ? "Make it writable" : "Free some space";
  return new RoundtableError("store_unavailable", `Cannot use the data directory ${dataDir}: ${reasonOf(error)}.`, {
    hint: `${what}, or choose another one with --data-dir.`,
    cause: error,
  });
}

function reasonOf(error: unknown): string {
  if (errorCodeOf(error) === "EROFS") return "the file system is read-only";
  return noSpaceReason(error) ?? (error instanceof Error ? error.message : String(error));
}
