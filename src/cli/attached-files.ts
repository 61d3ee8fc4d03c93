/** What was named with -f: read before anybody is asked, so that a wrong name costs nothing. */
import path from "node:path";
import type { AttachedFile } from "../client/index.ts";
import { NotAFile, readBeginning } from "../kit/read-beginning.ts";
import { sniffType } from "../kit/sniff-type.ts";
import { ATTACHMENT_BYTES_MAX, ATTACHMENTS_MAX } from "../protocol/index.ts";
import { usageFailure, type Failure } from "./failure.ts";

/** Of all of them: each is held whole until it is sent. */
const FILES_BYTES_MAX = 64 * 1024 * 1024;
const FEWER = "Give fewer, or name them in the question: members read the directory themselves";
const HINT = "Give the path of a file, from where you are";

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
  const { bytes, isWhole } = await readBeginning(path.resolve(name), ATTACHMENT_BYTES_MAX).catch((error: unknown) => {
    throw unreadable(name, error);
  });
  if (!isWhole) {
    const limit = `${ATTACHMENT_BYTES_MAX / 1024 / 1024} MB`;
    throw refused(name, `it is larger than ${limit}`, "Give a part of it, or name it in the question");
  }
  if (bytes.length === 0) throw refused(name, "it is empty", "Leave it out");
  if (sniffType(bytes) === "application/octet-stream") {
    const what = "it is neither an image (PNG, JPEG, GIF, WebP) nor a text in UTF-8, so no member could read it";
    throw refused(name, what, "Give it in another form, or name it in the question");
  }
  return { name: path.basename(path.resolve(name)), bytes };
}

function unreadable(name: string, error: unknown): Failure {
  if (error instanceof NotAFile) {
    return refused(name, error.message, error.isDirectory ? "Give the files in it, each with -f" : HINT);
  }
  const code = (error as NodeJS.ErrnoException).code ?? String(error);
  return refused(name, FOUND[code] ?? `it cannot be read (${code})`, HINT);
}

const FOUND: Readonly<Record<string, string | undefined>> = {
  ENOENT: "there is no such file",
  ENOTDIR: "there is no such file",
  EACCES: "you may not read it",
  // A socket, or a device with nothing behind it.
  ENXIO: "it is not a regular file",
};

function refused(name: string, what: string, hint: string): Failure {
  return usageFailure(`-f ${name === "" ? '""' : name}: ${what}`, hint);
}
