/** Bodies too large for an event, by hash. Synced before an event can refer to them; verified when read. */
import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { writeFileAtomic } from "../../kit/files/atomic-file.ts";
import { RoundtableError, type BlobRef } from "../../protocol/index.ts";
import type { BlobStore } from "../event-log.ts";
import { FILE_MODE, type FilePort } from "./file-port.ts";
import { readWhole } from "./sealed-json.ts";

const BLOB_BYTES_MAX = 64 * 1024 * 1024;
/** Length of the excerpts from both ends of a text in its reference. */
const EXCERPT_BYTES = 1024;
const SHA256 = /^[0-9a-f]{64}$/;

export interface BlobOptions {
  readonly files: FilePort;
  readonly directory: string;
  /** Called before a file is written; rejects for a store that is open for reading only. */
  readonly prepare: () => Promise<void>;
}

export function createBlobs({ files, directory, prepare }: BlobOptions): BlobStore {
  async function get(sha256: string): Promise<Uint8Array | undefined> {
    if (!SHA256.test(sha256)) return undefined;
    const bytes = await readWhole(files, join(directory, sha256));
    return bytes !== undefined && hashOf(bytes) === sha256 ? bytes : undefined;
  }

  return {
    get,
    async put(bytes, mime) {
      if (bytes.length > BLOB_BYTES_MAX) {
        throw new RoundtableError(
          "too_large",
          `A blob of ${bytes.length} bytes is larger than the ${BLOB_BYTES_MAX} allowed.`,
        );
      }
      const sha256 = hashOf(bytes);
      try {
        await prepare();
        // An existing file may have been renamed just before a crash, so its directory is synced again.
        if ((await get(sha256)) === undefined)
          await writeFileAtomic(join(directory, sha256), bytes, { mode: FILE_MODE, files });
        else await files.syncDirectory(directory);
      } catch (error) {
        if (error instanceof RoundtableError) throw error;
        throw new RoundtableError("store_unavailable", `A blob could not be stored in ${directory}.`, { cause: error });
      }
      return { sha256, bytes: bytes.length, ...(mime === undefined ? {} : { mime }), ...excerptsOf(bytes, mime) };
    },
  };
}

function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function excerptsOf(bytes: Uint8Array, mime: string | undefined): Pick<BlobRef, "head" | "tail"> {
  const isText = (mime === undefined || mime.startsWith("text/") || mime === "application/json") && isUtf8(bytes);
  if (!isText || bytes.length === 0) return {};
  let headEnd = Math.min(bytes.length, EXCERPT_BYTES);
  while (isInsideCharacter(bytes, headEnd)) headEnd--;
  let tailStart = Math.max(headEnd, bytes.length - EXCERPT_BYTES);
  while (isInsideCharacter(bytes, tailStart)) tailStart++;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { head: text.toString("utf8", 0, headEnd), tail: text.toString("utf8", tailStart) };
}

function isInsideCharacter(bytes: Uint8Array, at: number): boolean {
  return ((bytes[at] ?? 0) & 0xc0) === 0x80;
}
