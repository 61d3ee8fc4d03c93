/** What was named with -f: read before anybody is asked, so that a wrong name costs nothing. */
import path from "node:path";
import type { AttachedFile } from "../../client/index.ts";
import { NotAFile, readBeginning } from "../../kit/files/read-beginning.ts";
import { sniffType } from "../../kit/files/sniff-type.ts";
import { ATTACHMENT_BYTES_MAX, ATTACHMENTS_MAX } from "../../protocol/index.ts";
import { usageFailure } from "../../kit/failure.ts";

/** Of all of them: each is held whole until it is sent. */
const FILES_BYTES_MAX = 64 * 1024 * 1024;
const FEWER = "Give fewer, or name them in the question: members read the directory themselves";

/** Throws a Failure for what no message can carry. */
export async function readAttachedFiles(names: readonly string[] = []): Promise<AttachedFile[]> {
  if (names.length > ATTACHMENTS_MAX) {
    const message = `a message carries at most ${ATTACHMENTS_MAX} files, and ${names.length} were given with -f`;
    throw usageFailure(message, FEWER);
  }
  const files: AttachedFile[] = [];
  let bytes = 0;
  for (const name of names) {
    const file = await readAttachedFile(name);
    files.push(file);
    bytes += file.bytes.length;
    if (bytes <= FILES_BYTES_MAX) continue;
    throw usageFailure(`the files given with -f are larger than ${FILES_BYTES_MAX / 1024 / 1024} MB together`, FEWER);
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

/** There is no such file, or no message can carry it; the message says what was found. */
class Unattachable extends Error {
  readonly why: keyof typeof HINTS;

  constructor(why: keyof typeof HINTS, message: string) {
    super(message);
    this.why = why;
  }
}

const HINTS = {
  missing: "Give the path of a file, from where you are",
  directory: "Give the files in it, each with -f",
  large: "Give a part of it, or name it in the question",
  empty: "Leave it out",
  kind: "Give it in another form, or name it in the question",
};

/** Rejects with an `Unattachable`. */
export async function readAttachable(file: string): Promise<AttachedFile> {
  const { bytes, isWhole } = await readBeginning(file, ATTACHMENT_BYTES_MAX).catch((error: unknown) => {
    throw unreadable(error);
  });
  if (!isWhole) throw new Unattachable("large", `it is larger than ${ATTACHMENT_BYTES_MAX / 1024 / 1024} MB`);
  if (bytes.length === 0) throw new Unattachable("empty", "it is empty");
  if (sniffType(bytes) === "application/octet-stream") {
    const what = "it is neither an image (PNG, JPEG, GIF, WebP) nor a text in UTF-8, so no member could read it";
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
  EACCES: "you may not read it",
  // A socket, or a device with nothing behind it.
  ENXIO: "it is not a regular file",
};
