/**
 * Whether the output of a command shows that the system refused a write, also when the command or its agent reports a
 * success. A shown file may contain the same text, so it counts only by what the line could do and which path
 * it names.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { mayWrite, targetsOfLine } from "./expected-changes.ts";
import { isInside } from "../tools/inside.ts";
import { readLine, type Layer } from "./shell/read-line.ts";

export interface RefusalQuestion {
  readonly command: string;
  /** Directory of the session. */
  readonly cwd: string;
  /** For a command with exit code 0 or without a known outcome. */
  readonly isOk: boolean;
}

const READ_ONLY = /(?:[:\]] )Read-only file system(?:$|: | \(os error 30\))|\bEROFS: read-only file system\b/i;
/** Messages of the agents' own sandboxes. */
const FORBIDDEN =
  /(?:[:\]] )(?:Permission denied|Operation not permitted)(?:$|: | \(os error 13?\))|\bE(?:ACCES|PERM): /i;

export function saysReadOnly(line: string): boolean {
  return READ_ONLY.test(line);
}

export function saysForbidden(line: string): boolean {
  return FORBIDDEN.test(line);
}

export function showsRefusal(lines: readonly string[], question: RefusalQuestion): boolean {
  const suspects = lines.filter((line) => saysReadOnly(line) || saysForbidden(line));
  if (suspects.length === 0) return false;
  const { command, cwd } = question;
  const { commands } = readLine(command);
  const programs = commands.flatMap((layers) => layers.at(-1) ?? []);
  const named = programs.flatMap((program) => operandsOf(program)).map((name) => path.resolve(cwd, name));
  const isShown = programs.some(showsFiles);
  const targets = new Set(isShown ? targetsOfLine(command, cwd) : []);
  const isQuoted = quotedIn([command, ...named.map(textOf)]);
  const telling = suspects.filter((line) => {
    if (isQuoted(line)) return false;
    const paths = pathsIn(line).map((name) => path.resolve(cwd, name));
    if (isShown) return paths.some((file) => targets.has(file));
    return saysReadOnly(line) ? isRefused(line, paths, question) : paths.some((file) => isRefusedNew(file, cwd));
  });
  if (telling.length === 0 || !question.isOk) return telling.length > 0;
  const isOld = quotedIn(textsBelow(cwd));
  return telling.some((line) => !isOld(line));
}

/** After a success only for files of the session: programs tolerate unwritable caches. */
function isRefused(line: string, paths: readonly string[], { cwd, isOk }: RefusalQuestion): boolean {
  if (isOk && /warn/i.test(line)) return false;
  // The repository may begin above the session's directory.
  const isOurs = (file: string): boolean => isInside(cwd, file) || file.includes("/.git/");
  return paths.length === 0 || paths.some((file) => (isOk ? isOurs(file) : isDirectory(path.dirname(file))));
}

/** A missing file in a directory that we may write: only a write can have been refused. */
function isRefusedNew(file: string, cwd: string): boolean {
  return isInside(cwd, file) && statsOf(file) === undefined && mayWrite(path.dirname(file));
}

/** Quoted ones, or the word before the reason in "speaker: what it did with NAME: reason". */
function pathsIn(line: string): string[] {
  const quoted = [...line.matchAll(/['"`‘“]([^'"`‘’“”]+)['"`’”]/g)].map(([, name = ""]) => name);
  if (quoted.length > 0) return quoted;
  const [before = ""] = line.split(/: (?:Read-only file system|Permission denied|Operation not permitted)/i);
  const [, last] = /:\s(?:[^:]*\s)?([^\s:]+)$/.exec(before) ?? /\bopen (\S+)$/.exec(before) ?? [];
  return last === undefined ? [] : [last];
}

const SHOWS: ReadonlySet<string> = new Set(
  `cat tac head tail less more nl cut strings od xxd hexdump zcat zless bat batcat column fold fmt paste rev sort uniq
  pr`.split(/\s+/),
);
/** Their first operand is a pattern or a program. */
const SEARCHES: ReadonlySet<string> = new Set("grep egrep fgrep zgrep sed awk gawk mawk jq yq".split(" "));
const SHOWS_ALWAYS: ReadonlySet<string> = new Set("rg ag ack diff cmp comm journalctl dmesg".split(" "));
const GIT_SHOWS = /^(?:log|show|diff|blame|grep|cat-file|stash|whatchanged|reflog)$/;

/** Whether its output is mostly file content; without file names it passes on its input. */
function showsFiles(program: Layer): boolean {
  const { name, args } = program;
  const count = operandsOf(program).length;
  if (name === "git") return args.some(({ text }) => GIT_SHOWS.test(text ?? ""));
  const isRecursive = args.some(({ start }) => /^-[a-zA-Z]*[rR]|^--(?:dereference-)?recursive/.test(start));
  return SHOWS_ALWAYS.has(name) || (SHOWS.has(name) && count > 0) || (SEARCHES.has(name) && (count > 1 || isRecursive));
}

function operandsOf({ args }: Layer): string[] {
  return args.slice(1).flatMap(({ text, start }) => (start.startsWith("-") ? [] : [text ?? start]));
}

const TEXT_BYTES_MAX = 1024 * 1024;

/** Whether a line occurs in one of the texts, so that it may only have been shown. */
function quotedIn(texts: readonly string[]): (line: string) => boolean {
  return (line) => line.trim() !== "" && texts.some((text) => text.includes(line.trim()));
}

const ENTRIES_MAX = 4_000;
const FILE_BYTES_MAX = 256 * 1024;
const SEARCHED_BYTES_MAX = 8 * 1024 * 1024;
const SKIPPED: ReadonlySet<string> = new Set([".git", "node_modules"]);

/** Texts of the session's directory, upper files first: nothing in it can be of this call. */
function textsBelow(cwd: string): string[] {
  const queue = [cwd];
  const texts: string[] = [];
  let [entries, bytes] = [0, 0];
  for (let at = queue.shift(); at !== undefined; at = queue.shift()) {
    for (const entry of entriesIn(at)) {
      const file = path.join(at, entry.name);
      if (entry.isDirectory() && !SKIPPED.has(entry.name)) queue.push(file);
      const size = entry.isFile() ? (statsOf(file)?.size ?? 0) : 0;
      const isText = size <= FILE_BYTES_MAX;
      entries += 1;
      bytes += isText ? size : 0;
      if (entries > ENTRIES_MAX || bytes > SEARCHED_BYTES_MAX) return texts;
      if (isText && size > 0) texts.push(textOf(file));
    }
  }
  return texts;
}

function entriesIn(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    // Not readable by us.
    return [];
  }
}

function textOf(file: string): string {
  const stats = statsOf(file);
  if (stats?.isFile() !== true || stats.size > TEXT_BYTES_MAX) return "";
  try {
    return readFileSync(file, "utf8");
  } catch {
    // Not readable by us.
    return "";
  }
}

function statsOf(file: string) {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    // A parent is no directory, or may not be searched.
    return undefined;
  }
}

function isDirectory(file: string): boolean {
  return statsOf(file)?.isDirectory() === true;
}
