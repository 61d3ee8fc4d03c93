/**
 * Reads as many lines from the beginning of a file as are needed to recognise it, for lists of thousands of files.
 * Compressed files are decompressed only that far.
 */
import { open, stat } from "node:fs/promises";
import { promisify } from "node:util";
import { constants, zstdDecompress } from "node:zlib";

const KIB = 1024;
/** Enough for most files; the first lines of some formats contain long instructions. */
const STEPS = [64 * KIB, 512 * KIB];
/** Smaller files are read completely, so that their messages can be counted. */
const WHOLE_BYTES = 512 * KIB;
const PLAIN_BYTES_MAX = 8 * 1024 * KIB;

export interface FilePeek {
  readonly values: readonly unknown[];
  /** All lines were read. */
  readonly isWhole: boolean;
  readonly bytes: number;
  readonly updatedMs: number;
}

/** Undefined when it cannot be read. `isEnough` is checked after each step; without it there is one step. */
export async function peekFile(
  path: string,
  isEnough: (values: readonly unknown[]) => boolean = () => true,
): Promise<FilePeek | undefined> {
  try {
    const { size, mtimeMs } = await stat(path);
    const wanted = size <= WHOLE_BYTES ? [WHOLE_BYTES] : STEPS;
    let values: unknown[] = [];
    for (const bytes of wanted) {
      values = parseLines(await beginning(path, bytes), bytes >= size);
      if (isEnough(values)) break;
    }
    return { values, isWhole: size <= WHOLE_BYTES, bytes: size, updatedMs: Math.floor(mtimeMs) };
  } catch {
    // Missing, unreadable or of another type: it is not listed.
    return undefined;
  }
}

async function beginning(path: string, bytes: number): Promise<string> {
  const file = await open(path, "r");
  try {
    const buffer = Buffer.alloc(bytes);
    const { bytesRead } = await file.read(buffer, 0, bytes, 0);
    const read = buffer.subarray(0, bytesRead);
    return (path.endsWith(".zst") ? await decompressed(read) : read).toString("utf8");
  } finally {
    await file.close();
  }
}

/** A cut frame gives what it holds up to the cut. */
function decompressed(bytes: Buffer): Promise<Buffer> {
  const options = { finishFlush: constants.ZSTD_e_flush, maxOutputLength: PLAIN_BYTES_MAX };
  return promisify(zstdDecompress)(bytes, options);
}

/** The last line may be cut and is then left out. */
function parseLines(text: string, isWhole: boolean): unknown[] {
  const lines = text.split("\n");
  if (!isWhole) lines.pop();
  return lines.flatMap((line) => {
    if (line.trim() === "") return [];
    try {
      return [JSON.parse(line) as unknown];
    } catch {
      // An import says which lines are damaged; a list need not.
      return [];
    }
  });
}
