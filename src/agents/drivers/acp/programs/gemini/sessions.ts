/**
 * The files in which Gemini CLI keeps its sessions: one folder for each project, each file named after the minute in
 * which it was begun. Whenever it loads a session it first begins a second file of it, which stays without a
 * conversation. The next start in that project takes such a file for a broken session and deletes all files of the
 * session, so the second file has to go before.
 */
import { closeSync, readdirSync, readSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { openOwnFile } from "../../../../../kit/files/own-file.ts";
import { fieldsOf, recordOf, recordsOf, textOf, type Fields } from "../../../../json-rpc/fields.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** The home directory as Gemini CLI sees it: `.gemini` is in it. */
export function geminiHome({ GEMINI_CLI_HOME, HOME }: Variables): string {
  const given = [GEMINI_CLI_HOME, process.platform === "win32" ? undefined : HOME];
  return given.find((one) => one !== undefined && path.isAbsolute(one)) ?? homedir();
}

/** The paths of its files, for each project that has any. */
export function sessionFiles(sessionId: string, home: string): string[][] {
  const projects = path.join(home, ".gemini", "tmp");
  const end = `-${sessionId.slice(0, SHORT_ID_CHARS)}.jsonl`;
  return listFolder(projects)
    .map((project) => path.join(projects, project, "chats"))
    .map((chats) =>
      listFolder(chats)
        .filter((name) => name.startsWith("session-") && name.endsWith(end))
        .map((name) => path.join(chats, name)),
    )
    .filter((files) => files.length > 0);
}

/** Removes the files without a conversation of a session that has one. */
export function removeEmptyCopies(sessionId: string, home: string): void {
  for (const files of sessionFiles(sessionId, home).filter(({ length }) => length > 1)) {
    const empty = files.filter((file) => isEmpty(file, sessionId));
    // One of them may be a session in which nothing was said yet.
    if (empty.length < files.length) empty.forEach(remove);
  }
}

const SHORT_ID_CHARS = 8;
/** Without a conversation it only has a description of the project. */
const EMPTY_BYTES_MAX = 1024 * 1024;
/** What Gemini CLI itself says to its model first. */
const CONTEXT = /^\s*<(?:session|hook)_context>/;

function isEmpty(file: string, sessionId: string): boolean {
  try {
    const records = readRecords(file);
    return records !== null && records.length > 0 && records.every((record) => isEmptyRecord(record, sessionId));
  } catch {
    // It cannot be read, or is not of this format: then it stays.
    return false;
  }
}

/** Null when the file is larger than an empty one. */
function readRecords(file: string): Fields[] | null {
  const fd = openOwnFile(file);
  try {
    const buffer = Buffer.alloc(EMPTY_BYTES_MAX);
    const length = readSync(fd, buffer, 0, buffer.length, 0);
    if (length === buffer.length) return null;
    const lines = buffer.toString("utf8", 0, length).split("\n");
    return lines.filter((line) => line !== "").map((line) => fieldsOf(JSON.parse(line)));
  } finally {
    closeSync(fd);
  }
}

function isEmptyRecord(record: Fields, sessionId: string): boolean {
  const set = record["$set"] === undefined ? record : recordOf(record, "$set");
  const isAboutSession = record["$set"] !== undefined || textOf(record, "sessionId") === sessionId;
  return isAboutSession && recordsOf(set, "messages").every(isContext);
}

function isContext(message: Fields): boolean {
  const text = recordsOf(message, "content")
    .map((part) => textOf(part, "text") ?? "")
    .join("");
  return textOf(message, "type") === "user" && CONTEXT.test(text);
}

function remove(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // It is not for us to remove; then the session may be lost, which is said.
  }
}

function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Not a folder, or not there: then it holds no session.
    return [];
  }
}
