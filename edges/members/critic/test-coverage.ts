/** Which sources have a test next to them or are named in one. By names only: no test is run. */
import type { Clock } from "../../../src/kit/clock.ts";
import { isSetAside, isTestPath } from "../search/rank.ts";
import type { TextReader } from "../../../src/agents/index.ts";
import { isCodePath } from "./risk-rules.ts";

export interface Untested {
  path: string;
  /** Requested names defined there that no test mentions, with their lines. */
  names: readonly { name: string; line: number }[];
  /** False when the file has a test and only the names are missing. */
  isWholeFile: boolean;
}

export interface Subject {
  path: string;
  names: readonly { name: string; line: number }[];
}

export interface Coverage {
  untested: readonly Untested[];
  tests: number;
  /** False when not every test was read in time; then nothing is reported as missing. */
  isWhole: boolean;
}

const READ_MS_MAX = 3_000;
const CONCURRENCY = 8;
/** Entry points, settings and type declarations need no test. */
const NEEDS_NO_TEST =
  /(?:^|\/)(?:index|main|mod|lib|__init__|setup|conftest|types?|constants?)\.[^/]+$|(?:^|\/|\.)config\.[^/]+$|\.(?:sql|sh|bash|h)$|(?:^|\/)(?:examples?|bench|benchmarks|scripts|tooling|migrations)\//i;

export function isTestable(path: string): boolean {
  return isCodePath(path) && !isTestPath(path) && !isSetAside(path) && !NEEDS_NO_TEST.test(path);
}

export async function checkCoverage(
  subjects: readonly Subject[],
  options: { paths: readonly string[]; reader: TextReader; clock: Clock; signal: AbortSignal },
): Promise<Coverage> {
  const code = options.paths.filter(isCodePath);
  const tests = code.filter(isTestPath);
  const sources = code.filter((path) => !isTestPath(path) && !isSetAside(path));
  /** By file name: names of the files that use it. */
  const users = new Map(subjects.map((subject) => [stemOf(subject.path), new Set<string>()]));
  const missing = new Set(subjects.flatMap((subject) => subject.names.map((one) => one.name)));
  const tested = new Set(tests.map(subjectOfTest));
  const untilMs = options.clock.monotonic() + READ_MS_MAX;
  const hasAllTests = await readFiles(tests, { ...options, untilMs }, (_path, text) => {
    for (const name of filesNamedIn(text)) tested.add(name.toLowerCase());
    for (const name of missing) if (hasWord(text, name)) missing.delete(name);
  });
  const hasAllSources = await readFiles(sources, { ...options, untilMs }, (path, text) => {
    for (const name of filesNamedIn(text)) users.get(name)?.add(stemOf(path).toLowerCase());
  });
  const isWhole = hasAllTests && hasAllSources;
  const untested = subjects.flatMap(({ path, names }): Untested[] => {
    const stem = stemOf(path);
    const isTested = tested.has(stem.toLowerCase()) || [...(users.get(stem) ?? [])].some((user) => tested.has(user));
    const left = names.filter((one) => missing.has(one.name));
    return isTested && left.length === 0 ? [] : [{ path, names: left, isWholeFile: !isTested }];
  });
  return { untested: isWhole ? untested : [], tests: tests.length, isWhole };
}

/** False when the time was up. */
async function readFiles(
  paths: readonly string[],
  { reader, clock, signal, untilMs }: { reader: TextReader; clock: Clock; signal: AbortSignal; untilMs: number },
  onText: (path: string, text: string) => void,
): Promise<boolean> {
  let next = 0;
  const work = async () => {
    while (next < paths.length && clock.monotonic() < untilMs) {
      signal.throwIfAborted();
      const path = paths[next++] ?? "";
      const file = await reader.read(path);
      if (file.kind === "text") onText(path, file.text);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return next >= paths.length;
}

/** File name without directories and extension. */
export function stemOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).replace(/\.[^.]+$/, "");
}

/** `lock.test.ts`, `lock_test.go`, `test_lock.py`, `LockTest.java`, `__tests__/lock.js` are all about `lock`. */
export function subjectOfTest(path: string): string {
  return stemOf(path)
    .replace(/[._-](?:test|tests|spec|contract)$/i, "")
    .replace(/^test[_-]/i, "")
    .replace(/(?<=[a-z])Tests?$/, "")
    .toLowerCase();
}

/** As written in imports: the last segment of a quoted path, every segment of a dotted name. */
const QUOTED_PATH = /["'`](?:[\w@.~-]{0,100}\/){1,12}([\w-][\w.-]{0,100})["'`]/g;
const IMPORTED = /^\s*(?:pub +)?(?:from|import|use|mod|require|require_relative|#include)\s+["'<]?([\w.:/]{1,200})/gm;

function filesNamedIn(text: string): Set<string> {
  const quoted = [...text.matchAll(QUOTED_PATH)].map(([, name = ""]) => name.replace(/\.[A-Za-z]{1,5}$/, ""));
  const imported = [...text.matchAll(IMPORTED)].flatMap(([, name = ""]) => name.split(/[.:/]+/));
  return new Set([...quoted, ...imported]);
}

function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    if (!/[\w$]/.test(text.charAt(at - 1)) && !/[\w$]/.test(text.charAt(at + word.length))) return true;
  }
  return false;
}
