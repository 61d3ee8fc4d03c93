/**
 * Reads text files below one directory.
 * Never opens anything outside it, follows no link, does not block on devices or pipes, and reads at most
 * FILE_BYTES_MAX of a file.
 */
import { constants } from "node:fs";
import { open, readlink, realpath, type FileHandle } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { isInside } from "./inside.ts";

export const FILE_BYTES_MAX = 1024 * 1024;

export type FileText =
  | { kind: "text"; text: string; bytes: number }
  | { kind: "binary" }
  | { kind: "huge"; bytes: number }
  /** A link, a directory, a device, or outside the directory. */
  | { kind: "other" }
  | { kind: "unreadable" };

export interface TextReader {
  /** Never rejects. The path is relative, with `/`. */
  read(path: string): Promise<FileText>;
}

const SNIFFED_BYTES = 8_000;

/** By extension, without opening the file. */
const BINARY_NAME =
  /\.(?:png|jpe?g|gif|webp|avif|ico|bmp|tiff?|pdf|zip|gz|tgz|bz2|xz|zst|7z|rar|jar|class|so|dylib|dll|exe|o|a|wasm|woff2?|ttf|otf|eot|mp[34]|mov|avi|mkv|webm|ogg|wav|flac|sqlite3?|db|pyc|node|bin|pack|idx)$/i;

/** No links, no waiting for a pipe's writer. Some platforms lack these flags. */
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** `root` must be a real path. */
export function createTextReader(root: string): TextReader {
  const safeDirectories = new Map<string, Promise<boolean>>();
  /** Resolved once per directory: it may have been replaced by a link since it was listed. */
  const isSafeDirectory = (directory: string) => {
    const known = safeDirectories.get(directory);
    if (known !== undefined) return known;
    const safe = realpath(directory).then(
      (real) => isInside(root, real),
      () => false,
    );
    safeDirectories.set(directory, safe);
    return safe;
  };
  return {
    async read(path) {
      if (isAbsolute(path) || path.split("/").includes("..")) return { kind: "other" };
      if (BINARY_NAME.test(path)) return { kind: "binary" };
      const full = join(root, path);
      if (!(await isSafeDirectory(dirname(full)))) return { kind: "other" };
      return readRegularFile(full, root);
    },
  };
}

async function readRegularFile(full: string, root: string): Promise<FileText> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(full, OPEN_FLAGS);
    const facts = await handle.stat();
    if (!facts.isFile() || !(await isOpenInside(root, handle))) return { kind: "other" };
    if (facts.size > FILE_BYTES_MAX) return { kind: "huge", bytes: facts.size };
    const buffer = Buffer.allocUnsafe(facts.size);
    const { bytesRead } = await handle.read(buffer, 0, facts.size, 0);
    const bytes = buffer.subarray(0, bytesRead);
    if (bytes.subarray(0, SNIFFED_BYTES).includes(0)) return { kind: "binary" };
    return { kind: "text", text: bytes.toString("utf8"), bytes: bytesRead };
  } catch (thrown) {
    const code = thrown instanceof Error && "code" in thrown ? thrown.code : "";
    return code === "ELOOP" || code === "EMLINK" ? { kind: "other" } : { kind: "unreadable" };
  } finally {
    await handle?.close();
  }
}

/** Where the opened file is: a directory on the way may have become a link just before. Linux only. */
async function isOpenInside(root: string, { fd }: FileHandle): Promise<boolean> {
  return process.platform !== "linux" || isInside(root, await readlink(`/proc/self/fd/${fd}`));
}
