/** Blobs of sessions: small ones as rows, larger ones as files in a directory that all nodes share. */
import { createHash } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { isUlid } from "../../../kit/ids.ts";
import { writeFileAtomic } from "../../../kit/files/atomic-file.ts";
import { loadOwnFile } from "../../../kit/files/own-file.ts";
import { noSpaceReason } from "../../../kit/files/system-error.ts";
import { SMALL_BLOB_BYTES, TeamStoreError, type TeamBlobs } from "../team-store.ts";
import type { Database } from "./database.ts";

const SHA256 = /^[0-9a-f]{64}$/;

export function createBlobs({ query }: Database, directory: string | undefined): TeamBlobs {
  return {
    async put(sessionId, { sha256, mime }, bytes) {
      if (hashOf(bytes) !== sha256)
        throw new TeamStoreError("conflict", "The bytes of the blob do not match its hash.");
      const isSmall = bytes.length <= SMALL_BLOB_BYTES;
      // The file first: a row means that the blob is there.
      if (!isSmall) await writeFile(fileOf(directory, sessionId, sha256, bytes.length), bytes);
      await query({
        text: `insert into roundtable.blob (session, sha256, size, mime, bytes) values ($1, $2, $3, $4, $5)
          on conflict do nothing`,
        values: [sessionId, sha256, bytes.length, mime ?? null, isSmall ? Buffer.from(bytes) : null],
      });
    },
    async get(sessionId, sha256) {
      const [row] = await query({
        text: "select size, bytes from roundtable.blob where session = $1 and sha256 = $2",
        values: [sessionId, sha256],
      });
      if (row === undefined) return undefined;
      const stored = row["bytes"];
      const bytes = Buffer.isBuffer(stored)
        ? stored
        : await loadOwnFile(fileOf(directory, sessionId, sha256, Number(row["size"])));
      if (hashOf(bytes) === sha256) return bytes;
      throw new TeamStoreError("damaged", `Blob ${sha256} of session ${sessionId} does not match its hash.`);
    },
  };
}

function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function fileOf(directory: string | undefined, sessionId: string, sha256: string, bytes: number): string {
  if (directory === undefined) {
    throw new TeamStoreError("too_large", `A blob of ${bytes} bytes is larger than the ${SMALL_BLOB_BYTES} allowed.`, {
      hint: "For larger files, start the server with serve --team --blobs DIR, a directory that all of its nodes share.",
    });
  }
  if (!isUlid(sessionId) || !SHA256.test(sha256))
    throw new TeamStoreError("conflict", "A blob needs the id of a session and a hash.");
  return path.join(directory, sessionId, sha256);
}

/** Of a session whose copy was deleted. */
export async function removeBlobFiles(directory: string | undefined, sessionId: string): Promise<void> {
  if (directory === undefined || !isUlid(sessionId)) return;
  await rm(path.join(directory, sessionId), { recursive: true, force: true });
}

async function writeFile(file: string, bytes: Uint8Array): Promise<void> {
  try {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    await writeFileAtomic(file, bytes);
  } catch (error) {
    const reason = noSpaceReason(error) ?? (error as Error).message;
    throw new TeamStoreError("full", `The directory of large files cannot be written: ${reason}.`, { cause: error });
  }
}
