/** Rules about shell lines: what a line changes that a rule denies, and whether rules allow it. */
import { statSync } from "node:fs";
import path from "node:path";
import { EDITORS, SHELLS } from "../../protocol/index.ts";
import { matchesGlob } from "../tools/glob-match.ts";
import { isGoverned } from "../sandbox/governed/is-governed.ts";
import { startOf, type PendingCall, type Subject } from "./pending-call.ts";
import { PathPattern } from "./path-rules.ts";
import { namesOfPath, realPath, withHome } from "./real-path.ts";
import type { Rule } from "./rule.ts";
import { allowLine, writeReason, type Allowed } from "./shell/allow-line.ts";
import type { Arg } from "./shell/arg.ts";
import { changedFiles, namesIn, type NamedFile } from "./shell/changed-files.ts";
import { denyLine, findUnclear, type Denied } from "./shell/deny-line.ts";
import { opaque, shown } from "./shell/finding.ts";
import { readLine, type ReadLine } from "./shell/read-line.ts";
import { rulePattern } from "./shell/rule-pattern.ts";

const BASES_MAX = 8;
const EVERYTHING = "**";

/** The line as its shell parses it. Only Unix shells are supported: others read the same text differently. */
function readCommand({ tool }: PendingCall, line: string): ReadLine {
  const read = readLine(line);
  const isUnsupportedShell =
    tool.toLowerCase() === "powershell" || (process.platform === "win32" && !/^bash$/i.test(tool));
  return isUnsupportedShell
    ? { ...read, findings: [opaque("commands of its shell cannot be checked"), ...read.findings] }
    : read;
}

/** A rule about commands. `match` is undefined for all of them. */
export function denyCommand(match: string, call: PendingCall, { text }: Subject): Denied | undefined {
  const read = readCommand(call, text);
  return denyLine(match, text, read) ?? findUnclear(read);
}

/** A rule about file changes, applied to a command. */
export function denyChanges(match: string | undefined, call: PendingCall, { text }: Subject): Denied | undefined {
  const read = readCommand(call, text);
  const bases = directoriesOf(read, startOf(call));
  const files = new DeniedFiles(match ?? EVERYTHING, call.cwd, bases);
  return (
    files.findWrite(read.writes) ??
    files.findChange(read, match === undefined) ??
    (match === undefined ? undefined : files.findGiven(read.given)) ??
    findUnclear(read)
  );
}

export function isAboutCommands({ tool }: Rule): boolean {
  return ["shell", ...SHELLS].some((name) => matchesGlob([tool.toLowerCase()], [name]));
}

export function isAboutChanges({ tool }: Rule): boolean {
  return ["edit", "write", ...EDITORS].some((name) => matchesGlob([tool.toLowerCase()], [name]));
}

export function allowCommand(
  rules: readonly Rule[],
  call: PendingCall,
  { text }: Subject,
  mayChange: (subject: Subject) => boolean,
): Allowed<Rule> {
  const patterns = rules.flatMap((rule) => {
    const pattern = rule.match === undefined ? undefined : rulePattern(rule.match);
    return pattern === undefined ? [] : [{ rule, pattern }];
  });
  const read = readCommand(call, text);
  const bases = directoriesOf(read, startOf(call));
  const hasMoved = bases.length > 1 || call.elsewhere !== undefined;
  const isWritable = (file: Arg) => {
    const real =
      file.text === undefined || call.cwd === undefined || hasMoved ? undefined : realPath(call.cwd, fileName(file));
    return real !== undefined && !real.isDangling && mayChange({ kind: "path", text: real.name });
  };
  const allowed = allowLine(read, patterns, isWritable);
  const reason = "rule" in allowed ? findGoverned(read, call.cwd, bases) : undefined;
  return reason === undefined ? allowed : { reason, isNear: true };
}

/** A pattern for a program never allows changes of files that govern agents or git, nor of any that are not known. */
function findGoverned(
  read: ReadLine,
  cwd: string | undefined,
  bases: readonly (string | undefined)[],
): string | undefined {
  const layers = read.commands.flat();
  const isElsewhere = layers.some(({ name, args }) => movedTo(name, args).includes(undefined));
  for (const layer of layers) {
    const { files, isCertain, isUnknown } = changedFiles(layer);
    if (isCertain && (isUnknown || isElsewhere)) {
      return `which files ${layer.name} changes is only known at run time`;
    }
    const governed = files.find((file) => isGoverned(tidy(file.name)) || leadsToGoverned(file, cwd, bases));
    if (governed !== undefined) return `it may change ${shown(governed.name)}`;
  }
  return undefined;
}

function leadsToGoverned(file: NamedFile, cwd: string | undefined, bases: readonly (string | undefined)[]): boolean {
  return bases.some((base) => {
    if (cwd === undefined || base === undefined) return false;
    const name = nameOf(file);
    const real = realPath(cwd, path.isAbsolute(name) ? name : `${base}${path.sep}${name}`);
    return real !== undefined && isGoverned(real.name);
  });
}

function tidy(name: string): string {
  return path.posix.normalize(name);
}

function fileName({ text, start, isHome }: Pick<Arg, "text" | "start" | "isHome">): string {
  const name = text ?? start;
  return isHome ? withHome(name) : name;
}

/** Possible working directories of the line; undefined for an unknown one. */
export function directoriesOf({ commands, writes }: ReadLine, cwd: string | undefined): (string | undefined)[] {
  const bases = new Set<string | undefined>([cwd]);
  const isAlone = commands.length === 1 && writes.length === 0;
  for (const { name, args } of commands.flat()) {
    const targets = MAKES_NAMES.has(name) && !isAlone ? [undefined] : movedTo(name, args);
    for (const target of targets) {
      const known = [...bases].slice(0, BASES_MAX);
      for (const base of known)
        bases.add(target === undefined || base === undefined ? undefined : path.resolve(base, fileName(target)));
      if (known.length === BASES_MAX) bases.add(undefined);
    }
  }
  return [...bases];
}

/** After these a name may resolve differently than now. */
const MAKES_NAMES = new Set(["ln", "link", "mv", "mount", "rename", "unlink"]);

function movedTo(name: string, args: readonly Arg[]): (Arg | undefined)[] {
  const known = (arg: Arg | undefined) => (arg?.text === undefined || arg.text === "-" ? undefined : arg);
  if (name === "cd" || name === "pushd" || name === "chdir") {
    const operands = args.slice(1).filter(({ start }) => !/^-[LPe@]+$/.test(start));
    return [operands.length === 0 ? undefined : known(operands[0])];
  }
  if (name === "popd") return [undefined];
  return args.flatMap(({ start, text }, at) => {
    if (at === 0) return [];
    if (text === "-C" || text === "--chdir" || text === "--directory") return [known(args[at + 1])];
    const attached = /^(?:-C|--chdir=|--directory=)(.+)$/.exec(start)?.[1];
    return attached === undefined
      ? []
      : [text === undefined ? undefined : { ...(args[at] as Arg), text: attached, start: attached }];
  });
}

/** Files that one rule denies, as a line may name them. */
class DeniedFiles {
  readonly #pattern: PathPattern;
  readonly #cwd: string | undefined;
  readonly #bases: readonly (string | undefined)[];

  constructor(match: string, cwd: string | undefined, bases: readonly (string | undefined)[]) {
    this.#pattern = new PathPattern(match, cwd);
    this.#cwd = cwd;
    this.#bases = bases;
  }

  findWrite(writes: readonly Arg[]): Denied | undefined {
    let unknown: Denied | undefined;
    for (const file of writes) {
      const status = file.text === undefined ? "unknown" : this.#find(fileName(file), false);
      if (status === "denied") return { isCertain: true, reason: writeReason(file) };
      if (status !== undefined) unknown ??= { isCertain: false, reason: writeReason(file) };
    }
    return unknown;
  }

  /** `isAll`: every change is denied, so only certain changes count. */
  findChange({ commands }: ReadLine, isAll: boolean): Denied | undefined {
    let maybe: Denied | undefined;
    for (const layer of commands.flat()) {
      const { files, isCertain, isDeep, isUnknown } = changedFiles(layer);
      if (isAll && !isCertain) continue;
      const matches = files
        .map((file) => ({ file, how: this.#find(nameOf(file), isDeep) }))
        .filter(({ how }) => how !== undefined);
      const [first] = matches;
      const sure = isCertain ? matches.find(({ how }) => how === "denied") : undefined;
      if (sure !== undefined) return { isCertain: true, reason: `${layer.name} changes ${shown(sure.file.name)}` };
      if (first !== undefined)
        maybe ??= { isCertain: false, reason: `${layer.name} may change ${shown(first.file.name)}` };
      if (isUnknown && layer.inner === undefined) {
        maybe ??= { isCertain: false, reason: `which files ${layer.name} changes is only known at run time` };
      }
    }
    return maybe;
  }

  /** A program may write a file that a variable names. */
  findGiven(given: readonly Arg[]): Denied | undefined {
    const named = given.flatMap(namesIn).find((file) => this.#find(nameOf(file), false) !== undefined);
    return named === undefined ? undefined : { isCertain: false, reason: `it may change ${shown(named.name)}` };
  }

  #find(name: string, isDeep: boolean): "denied" | "unknown" | undefined {
    for (const base of this.#bases) {
      if (base === undefined) {
        if (this.#pattern.isNamed(name) || (this.#pattern.isOpen && !path.isAbsolute(name))) return "unknown";
        continue;
      }
      const from = base;
      // Its target cannot be resolved.
      if (realPath(path.parse(from).root, path.isAbsolute(name) ? name : `${from}${path.sep}${name}`) === undefined) {
        return "unknown";
      }
      const names = namesFrom(this.#cwd ?? from, from, name);
      const relation = this.#pattern.match(names, path.resolve(from, name));
      if (relation === "same" || relation === "below") return "denied";
      if (isGlob(name) && names.some((one) => this.#pattern.mayBeAmong(one))) return "unknown";
      if (relation === "above" && isDeep && isDirectory(path.resolve(from, name))) return "unknown";
    }
    return undefined;
  }
}

/** Some programs expand wildcards themselves: `git rm '*.txt'`. No address, and no sentence. */
function isGlob(name: string): boolean {
  return /[*?[]/.test(name) && !/\s|:\/\//.test(name);
}

function isDirectory(full: string): boolean {
  try {
    return statSync(full, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    // Not readable: it may match.
    return true;
  }
}

function nameOf({ name, isHome }: NamedFile): string {
  return isHome ? withHome(name) : name;
}

/** Rules are relative to the directory of the call, the name possibly to another one. */
function namesFrom(cwd: string, base: string, name: string): string[] {
  return namesOfPath(cwd, base === cwd ? name : path.resolve(base, name));
}
