/**
 * Applies a change of a governed file that the user has allowed and that the member cannot make itself: the file is
 * read-only in its sandbox. In place, so that the sandbox shows it; never through a link, whatever the member does
 * meanwhile.
 */
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { isInside } from "../../tools/inside.ts";
import type { Json } from "../../../protocol/index.ts";
import { asFields, parseFields, type CallFields } from "../../approvals/call-fields.ts";

const FILE_BYTES_MAX = 2 * 1024 * 1024;
const NEW_MODE = 0o644;

export interface Change {
  readonly cwd: string;
  /** Relative to the session's directory. */
  readonly file: string;
  readonly call: string;
  readonly diff?: string | undefined;
}

/** Undefined when it was applied; otherwise why not, and then nothing is changed. Never throws. */
export function applyChange({ cwd, file, call, diff }: Change): string | undefined {
  try {
    const root = realpathSync(cwd);
    const target = path.resolve(root, file);
    if (!isInside(root, target) || target === root) return "it is outside the session's directory";
    const isNew = lstatSync(target, { throwIfNoEntry: false }) === undefined;
    if (isNew && !makeParents(path.dirname(target))) return "it is reached through a link";
    if (realpathSync(path.dirname(target)) !== path.dirname(target)) return "it is reached through a link";
    return isNew ? makeFile(target, { call, diff }) : changeFile(target, { call, diff });
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ELOOP"
      ? "it is a link"
      : `it cannot be written (${error instanceof Error ? error.message : String(error)})`;
  }
}

/** Only below a directory that is reached without a link. */
function makeParents(directory: string): boolean {
  if (lstatSync(directory, { throwIfNoEntry: false }) !== undefined) return realpathSync(directory) === directory;
  if (!makeParents(path.dirname(directory))) return false;
  mkdirSync(directory);
  return true;
}

type Request = Pick<Change, "call" | "diff">;

function makeFile(target: string, request: Request): string | undefined {
  const planned = planChange(request, undefined);
  if ("why" in planned) return planned.why;
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
  const fd = openSync(target, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, NEW_MODE);
  try {
    if (!isAt(target, fd)) {
      unlinkSync(target);
      return "its directory was replaced in the meantime";
    }
    writeWhole(fd, planned.text);
    return undefined;
  } finally {
    closeSync(fd);
  }
}

function changeFile(target: string, request: Request): string | undefined {
  const fd = openSync(target, constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) return "it is not a regular file";
    if (stats.nlink > 1) return "it has another hard link";
    if (stats.size > FILE_BYTES_MAX) return `it is larger than ${FILE_BYTES_MAX} bytes`;
    if (!isAt(target, fd)) return "its directory was replaced in the meantime";
    const before = readFileSync(fd);
    const text = before.toString("utf8");
    if (!Buffer.from(text).equals(before)) return "it is not text in UTF-8";
    const planned = planChange(request, text);
    if ("why" in planned) return planned.why;
    writeWhole(fd, planned.text);
    return undefined;
  } finally {
    closeSync(fd);
  }
}

/** Whether the opened file is the one at this very path, with all links resolved. */
function isAt(target: string, fd: number): boolean {
  const [opened, named] = [fstatSync(fd), lstatSync(target, { throwIfNoEntry: false })];
  return realpathSync(target) === target && opened.ino === named?.ino && opened.dev === named.dev;
}

function writeWhole(fd: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done, bytes.length - done, done);
  ftruncateSync(fd, bytes.length);
}

/**
 * Content of a file after the change that a request shows, from its call or its diff. Pure. Exactly that change or a
 * reason why it does not apply.
 */
type Planned = { readonly text: string } | { readonly why: string };

const CONTENT_KEYS = ["content", "contents", "file_text"];
const OLD_KEYS = ["old_string", "oldText", "old_str", "old_text"];
const NEW_KEYS = ["new_string", "newText", "new_str", "new_text"];

/** `before` is undefined where there is no file yet. */
export function planChange(request: { call: string; diff?: string | undefined }, before: string | undefined): Planned {
  const fields = parseFields(request.call);
  const args = asFields(fields?.["args"]) ?? fields ?? {};
  const changes = args["changes"];
  if (Array.isArray(changes)) return planListed(changes, before);
  const edits = Array.isArray(args["edits"]) ? args["edits"].map((edit) => asFields(edit) ?? {}) : [args];
  const isEdit = edits.length > 0 && edits.every((edit) => textAt(edit, OLD_KEYS) !== undefined);
  if (isEdit) return planEdits(edits, before);
  const content = textAt(args, CONTENT_KEYS);
  if (content !== undefined) return { text: content };
  return request.diff === undefined
    ? { why: "the request does not show the exact change" }
    : applyDiff(request.diff, before);
}

function planListed(changes: readonly Json[], before: string | undefined): Planned {
  const [change, ...others] = changes.map((one) => asFields(one) ?? {});
  if (change === undefined || others.length > 0) return { why: "it covers several files" };
  const kind = asFields(change["kind"]);
  const body = change["diff"];
  if (typeof body !== "string" || typeof kind?.["move_path"] === "string") return { why: "it is more than an edit" };
  if (kind?.["type"] === "add") return before === undefined ? { text: body } : { why: "the file already exists" };
  return kind?.["type"] === "delete" ? { why: "it removes the file" } : applyDiff(body, before);
}

function planEdits(edits: readonly CallFields[], before: string | undefined): Planned {
  let text = before ?? "";
  for (const edit of edits) {
    const [old = "", now] = [textAt(edit, OLD_KEYS), textAt(edit, NEW_KEYS)];
    if (now === undefined) return { why: "the request does not show the exact change" };
    const chunks = old === "" ? [] : text.split(old);
    if (old === "" && text !== "") return { why: "the file is not empty" };
    const isEvery = edit["replace_all"] === true;
    if (old !== "" && (chunks.length < 2 || (chunks.length > 2 && !isEvery))) {
      return { why: `the text to replace occurs ${chunks.length - 1} times` };
    }
    text = old === "" ? now : chunks.join(now);
  }
  return { text };
}

function textAt(fields: CallFields, keys: readonly string[]): string | undefined {
  const text = keys.map((key) => fields[key]).find((value) => typeof value === "string");
  return typeof text === "string" ? text : undefined;
}

interface Hunk {
  /** First line, from 0. */
  readonly at: number;
  readonly old: readonly string[];
  readonly now: readonly string[];
  /** Whether the last line of the new text has a newline, where the diff says so. */
  readonly endsInNewline?: boolean;
}

const HUNK_HEAD = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@/;

function applyDiff(diff: string, before: string | undefined): Planned {
  const hunks = parseHunks(diff.split("\n"));
  if (hunks === undefined) return { why: "its diff cannot be read exactly" };
  let endsInNewline = before === undefined || before === "" || before.endsWith("\n");
  const lines =
    before === undefined || before === "" ? [] : (before.endsWith("\n") ? before.slice(0, -1) : before).split("\n");
  let shift = 0;
  for (const hunk of hunks) {
    const at = findPosition(hunk, lines, hunk.at + shift);
    if (at === undefined) return { why: "the file does not match the change" };
    lines.splice(at, hunk.old.length, ...hunk.now);
    shift += hunk.now.length - hunk.old.length;
    endsInNewline = hunk.endsInNewline ?? endsInNewline;
  }
  return { text: lines.join("\n") + (endsInNewline && lines.length > 0 ? "\n" : "") };
}

/** At the given line, or at the only position that matches: some agents count lines in the part that they change. */
function findPosition({ old }: Hunk, lines: readonly string[], expected: number): number | undefined {
  const fits = (at: number) =>
    at + old.length <= lines.length && old.every((line, index) => lines[at + index] === line);
  if (expected >= 0 && fits(expected)) return expected;
  if (old.length === 0) return undefined;
  const positions = lines.flatMap((_line, at) => (fits(at) ? [at] : []));
  return positions.length === 1 ? positions[0] : undefined;
}

/** Undefined unless it is the complete diff of one file with its line counts. */
function parseHunks(lines: readonly string[]): Hunk[] | undefined {
  const hunks: Hunk[] = [];
  let heads = 0;
  for (let at = 0; at < lines.length;) {
    const line = lines[at] ?? "";
    const head = HUNK_HEAD.exec(line);
    if (head !== null) {
      const read = readHunk(lines, at + 1, head);
      if (read === undefined) return undefined;
      hunks.push(read.hunk);
      at = read.next;
      continue;
    }
    if (line.startsWith("--- ")) heads += 1;
    const isHead = /^(?:--- |\+\+\+ |diff |index |new file mode |\s*$)/.test(line);
    if (!isHead || heads > 1) return undefined;
    at += 1;
  }
  return hunks.length === 0 ? undefined : hunks;
}

function readHunk(
  lines: readonly string[],
  from: number,
  head: RegExpExecArray,
): { hunk: Hunk; next: number } | undefined {
  const [, start = "0", oldCount = "1", newCount = "1"] = head;
  const [old, now]: [string[], string[]] = [[], []];
  let [at, last, endsInNewline]: [number, string, boolean | undefined] = [from, "", undefined];
  for (; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const mark = line[0] ?? " ";
    if (mark === "\\") {
      endsInNewline = last === "-";
      continue;
    }
    if (old.length >= Number(oldCount) && now.length >= Number(newCount)) break;
    if (mark !== " " && mark !== "-" && mark !== "+") return undefined;
    if (mark !== "+") old.push(line.slice(1));
    if (mark !== "-") now.push(line.slice(1));
    last = mark;
  }
  if (old.length !== Number(oldCount) || now.length !== Number(newCount)) return undefined;
  // An empty range names the line before it.
  const first = Number(oldCount) === 0 ? Number(start) : Number(start) - 1;
  return { hunk: { at: first, old, now, ...(endsInNewline === undefined ? {} : { endsInNewline }) }, next: at };
}
