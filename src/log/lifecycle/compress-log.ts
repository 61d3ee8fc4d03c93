/**
 * Compresses the log of an archived session, and restores it: the same bytes, verified before the other file is
 * removed. Takes no lock; the caller holds it. After a crash at any point at least one of the two files is complete,
 * and the plain one takes precedence.
 */
import { createHash } from "node:crypto";
import { constants, zstdCompress } from "node:zlib";
import { RoundtableError } from "../../protocol/index.ts";
import { openCompressed, encodeEnding, FRAME_PLAIN_BYTES } from "./compressed-file.ts";
import { FILE_MODE, type FilePort, type OpenFile } from "../files/file-port.ts";
import { nodeFiles } from "../files/node-files.ts";
import { sessionPaths, tornPath, type SessionPaths } from "../files/paths.ts";
import { readRange } from "../reader/scan.ts";

/** Good ratio at good speed for repetitive text. */
const LEVEL = 9;
const PARAMS = { [constants.ZSTD_c_compressionLevel]: LEVEL, [constants.ZSTD_c_checksumFlag]: 1 };

export interface CompressOptions {
  readonly dataDir: string;
  readonly sessionId: string;
  readonly files?: FilePort;
}

export interface Compressed {
  readonly plainBytes: number;
  readonly bytes: number;
}

/** Undefined when it is already compressed. */
export async function compressLog({
  dataDir,
  sessionId,
  files = nodeFiles,
}: CompressOptions): Promise<Compressed | undefined> {
  const paths = sessionPaths(dataDir, sessionId);
  if (files.stat(paths.log) === undefined && files.stat(paths.compressed) !== undefined) return undefined;
  const plain = files.openToRead(paths.log);
  try {
    const temporary = temporaryFor(files, paths.compressed);
    const written = await writeNewFile(files, temporary, (to) => writeCompressed(plain, to));
    await assertSame(files, temporary, written.sha256, plain.stat().size);
    files.rename(temporary, paths.compressed);
    await files.syncDirectory(paths.logs);
    const bytes = files.stat(paths.compressed)?.size ?? 0;
    files.unlink(paths.log);
    await files.syncDirectory(paths.logs);
    return { plainBytes: plain.stat().size, bytes };
  } finally {
    plain.close();
  }
}

/** Restores the plain file byte for byte and removes the compressed one. */
export async function expandLog(files: FilePort, paths: SessionPaths): Promise<void> {
  const compressed = await openCompressed(files, paths.compressed);
  try {
    const temporary = temporaryFor(files, paths.log);
    const { bytes, sha256 } = compressed.facts;
    const written = await writeNewFile(files, temporary, (to) => copyHashed(compressed, to));
    if (written.bytes !== bytes || written.sha256 !== sha256) {
      files.unlink(temporary);
      throw damaged(paths.compressed);
    }
    files.rename(temporary, paths.log);
    await files.syncDirectory(paths.logs);
  } finally {
    compressed.close();
  }
  files.unlink(paths.compressed);
  await files.syncDirectory(paths.logs);
}

/**
 * A compressed log beside the plain one was left by a crash, and the plain one may have grown since. If its content
 * differs, it is moved aside for inspection by a person.
 */
export async function settleCompressed(files: FilePort, paths: SessionPaths, now: number): Promise<void> {
  if (files.stat(paths.compressed) === undefined) return;
  if (await isBeginning(files, paths)) files.unlink(paths.compressed);
  else files.rename(paths.compressed, `${tornPath(paths, now)}.zst`);
  await files.syncDirectory(paths.logs);
}

async function isBeginning(files: FilePort, paths: SessionPaths): Promise<boolean> {
  const compressed = await openCompressed(files, paths.compressed).catch((error: unknown) => {
    if (error instanceof RoundtableError) return undefined;
    throw error;
  });
  if (compressed === undefined) return false;
  const { facts } = compressed;
  compressed.close();
  const plain = files.openToRead(paths.log);
  try {
    const { bytes, sha256 } = await copyHashed(plain, undefined, facts.bytes);
    return bytes === facts.bytes && sha256 === facts.sha256;
  } finally {
    plain.close();
  }
}

/** Reads all of it; false when the content does not match its checksum. */
export async function isCompressedWhole({ dataDir, sessionId, files = nodeFiles }: CompressOptions): Promise<boolean> {
  const compressed = await openCompressed(files, sessionPaths(dataDir, sessionId).compressed);
  try {
    const { bytes, sha256 } = await copyHashed(compressed, undefined);
    return bytes === compressed.facts.bytes && sha256 === compressed.facts.sha256;
  } finally {
    compressed.close();
  }
}

interface Copied {
  readonly bytes: number;
  readonly sha256: string;
}

/** A fixed name, so that leftovers of an earlier attempt are replaced. */
function temporaryFor(files: FilePort, path: string): string {
  const temporary = `${path}.tmp`;
  if (files.stat(temporary) !== undefined) files.unlink(temporary);
  return temporary;
}

async function writeNewFile(
  files: FilePort,
  path: string,
  write: (to: (bytes: Uint8Array) => void) => Promise<Copied>,
): Promise<Copied> {
  const file = files.create(path, FILE_MODE);
  try {
    const copied = await write((bytes) => {
      for (let done = 0; done < bytes.length;) done += file.write(bytes.subarray(done));
    });
    await file.datasync();
    return copied;
  } catch (error) {
    removeQuietly(files, path);
    throw error;
  } finally {
    file.close();
  }
}

async function writeCompressed(from: OpenFile, to: (bytes: Uint8Array) => void): Promise<Copied> {
  const sizes: { bytes: number; plainBytes: number }[] = [];
  const copied = await copyHashed(from, async (chunk) => {
    const frame = await compressChunk(chunk);
    to(frame);
    sizes.push({ bytes: frame.length, plainBytes: chunk.length });
  });
  to(encodeEnding(sizes, { format: 1, ...copied }));
  return copied;
}

async function copyHashed(
  from: OpenFile,
  to: ((chunk: Buffer) => void | Promise<void>) | undefined,
  bytesMax = Infinity,
): Promise<Copied> {
  const hash = createHash("sha256");
  const size = Math.min(from.stat().size, bytesMax);
  let bytes = 0;
  while (bytes < size) {
    const chunk = await readRange(from, bytes, Math.min(size, bytes + FRAME_PLAIN_BYTES));
    if (chunk.length === 0) break;
    hash.update(chunk);
    await to?.(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest("hex") };
}

function compressChunk(chunk: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    zstdCompress(chunk, { params: PARAMS }, (error, frame) => (error === null ? resolve(frame) : reject(error)));
  });
}

async function assertSame(files: FilePort, path: string, sha256: string, bytes: number): Promise<void> {
  const compressed = await openCompressed(files, path);
  try {
    const copied = await copyHashed(compressed, undefined);
    if (copied.sha256 === sha256 && copied.bytes === bytes) return;
  } finally {
    compressed.close();
  }
  removeQuietly(files, path);
  throw damaged(path);
}

function removeQuietly(files: FilePort, path: string): void {
  try {
    files.unlink(path);
  } catch {
    // The earlier error is reported; the next attempt removes the rest.
  }
}

function damaged(path: string): RoundtableError {
  return new RoundtableError("store_unavailable", `${path} does not decompress to the original bytes.`, {
    hint: "Nothing was removed. See `roundtable doctor`.",
  });
}
