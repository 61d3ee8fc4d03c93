/** Files given with -f, read before anything is sent, so that a wrong name costs nothing. */
import path from "node:path";
import type { AttachedFile } from "../../client/index.ts";
import { NotAFile, readBeginning } from "../../kit/files/read-beginning.ts";
import { sniffType } from "../../kit/files/sniff-type.ts";
import { ATTACHMENT_BYTES_MAX, ATTACHMENTS_MAX } from "../../protocol/index.ts";
import { usageFailure } from "../../kit/failure.ts";

/** Limit for all files together: they are in memory until they are sent. */
const FILES_BYTES_MAX = 64 * 1024 * 1024;
const FEWER = "Attach fewer, or name them in the question: members can read the directory";

/** Throws a Failure for a file that cannot be attached. */
export async function readAttachedFiles(names: readonly string[] = []): Promise<AttachedFile[]> {
  if (names.length > ATTACHMENTS_MAX) {
    const message = `a message can have at most ${ATTACHMENTS_MAX} files, but ${names.length} were given with -f`;
    throw usageFailure(message, FEWER);
  }
  const files: AttachedFile[] = [];
  let bytes = 0;
  for (const name of names) {
    const file = await readAttachedFile(name);
    files.push(file);
    bytes += file.bytes.length;
    if (bytes <= FILES_BYTES_MAX) continue;
    throw usageFailure(`the files given with -f exceed ${FILES_BYTES_MAX / 1024 / 1024} MB in total`, FEWER);
  }
  return files;
}

async function readAttachedFile(name: string): Promise<AttachedFile> {
  try {
    return await readAttachable(path.resolve(name));
  } catch (error) {
    if (!(error instanceof Unattachable)) throw error;
    throw usageFailure(`-f ${name === "" ? '""' : name}: ${error.message}`, HINTS[error.why]);
  }
}

/** A file that does not exist or cannot be attached; the message says why. */
class Unattachable extends Error {
  readonly why: keyof typeof HINTS;

  constructor(why: keyof typeof HINTS, message: string) {
    super(message);
    this.why = why;
  }
}

const HINTS = {
  missing: "Give a path relative to the current directory",
  directory: "Attach the files in it, each with -f",
  large: "Attach a part of it, or name it in the question",
  empty: "Remove it",
  kind: "Convert it, or name it in the question",
};

/** Rejects with an `Unattachable`. */
export async function readAttachable(file: string): Promise<AttachedFile> {
  const { bytes, isWhole } = await readBeginning(file, ATTACHMENT_BYTES_MAX).catch((error: unknown) => {
    throw unreadable(error);
  });
  if (!isWhole) throw new Unattachable("large", `it is larger than ${ATTACHMENT_BYTES_MAX / 1024 / 1024} MB`);
  if (bytes.length === 0) throw new Unattachable("empty", "it is empty");
  if (sniffType(bytes) === "application/octet-stream") {
    const what = "it is neither an image (PNG, JPEG, GIF, WebP) nor UTF-8 text";
    throw new Unattachable("kind", what);
  }
  return { name: path.basename(file), bytes };
}

function unreadable(error: unknown): Unattachable {
  if (error instanceof NotAFile) return new Unattachable(error.isDirectory ? "directory" : "missing", error.message);
  const code = (error as NodeJS.ErrnoException).code ?? String(error);
  return new Unattachable("missing", READ_ERRORS[code] ?? `it cannot be read (${code})`);
}

const READ_ERRORS: Readonly<Record<string, string | undefined>> = {
  ENOENT: "there is no such file",
  ENOTDIR: "there is no such file",
  EACCES: "permission denied",
  // A socket, or a device without a driver.
  ENXIO: "it is not a regular file",
};
