/**
 * Calls of `inspect` that are run: a fixed set of programs, with options that only select what is shown.
 * Guarantee: an option that is not listed here is denied, so that none can name a file to write or a program to run;
 * paths lie in the session's directory.
 */
import { realpathSync, statSync } from "node:fs";
import path from "node:path";
import { isInside } from "../../../tools/inside.ts";

export type Inspection =
  | { readonly program: "git"; readonly command: string; readonly args: readonly string[] }
  | { readonly program: "ls" | "wc" | "head"; readonly args: readonly string[] };

/** Reason for the model why a call is not run. */
export class NotRun extends Error {}

const ARGUMENTS_MAX = 100;
const ARGUMENT_CHARS_MAX = 1_000;

export function checkCall(argv: readonly string[], cwd: string): Inspection {
  if (argv.length > ARGUMENTS_MAX || argv.some((one) => one.length > ARGUMENT_CHARS_MAX)) {
    throw new NotRun("There are too many arguments, or one is too long.");
  }
  if (argv.some((one) => one === "" || one.includes("\0"))) throw new NotRun("An argument is empty or contains a NUL.");
  const [program = "", ...args] = argv;
  switch (program) {
    case "git":
      return checkGit(args);
    case "ls":
    case "wc":
    case "head":
      return { program, args: checkFiles(program, args, cwd) };
    default:
      throw new NotRun(`${program} cannot be run here, only ${PROGRAMS}.`);
  }
}

export const PROGRAMS = "git log, git show, git blame, git diff, git status, ls, wc and head";

const COUNT = String.raw`\d{1,6}`;
const TEXT = String.raw`[^\0]{1,500}`;

const PATCH = options(
  "-p|-u|--patch|-s|--no-patch|--stat|--shortstat|--numstat|--dirstat|--name-only|--name-status|--summary|--raw",
  `-U${COUNT}|--unified=${COUNT}|-w|-b|--ignore-all-space|--ignore-space-change|--ignore-blank-lines`,
  "-M|-C|--find-renames|--find-copies|--no-renames|--word-diff|-R|--minimal|--patience|--histogram|-W|--function-context",
  "--diff-filter=[A-Za-z*]{1,20}|--full-index|-z|--check|--exit-code",
);
const COMMITS = options(
  `-${COUNT}|-n${COUNT}|--max-count=${COUNT}|--skip=${COUNT}|--oneline|--graph|--decorate|--no-decorate`,
  "--all|--branches|--tags|--remotes|--merges|--no-merges|--first-parent|--reverse|--follow|--full-history|--left-right",
  "--topo-order|--date-order|--abbrev-commit|--no-abbrev-commit|--parents|--children|--boundary|--cherry-pick|-m|-c|--cc",
  "--date=[a-z-]{1,20}|-i|--regexp-ignore-case|-E|--extended-regexp|-F|--fixed-strings|--all-match|--invert-grep",
  `--(?:since|until|after|before|author|committer|grep|format|pretty)=${TEXT}|-[SGL]${TEXT}|--pickaxe-all|--pickaxe-regex`,
);

const GIT: Readonly<Record<string, readonly RegExp[]>> = {
  log: [...PATCH, ...COMMITS],
  show: [...PATCH, ...COMMITS],
  diff: [...PATCH, ...options("--cached|--staged|--merge-base")],
  blame: options(`-L${TEXT}|-w|-M|-C|-e|-s|-l|-f|-n|--show-email|--porcelain|--line-porcelain|--date=[a-z-]{1,20}`),
  status: options(
    "-s|--short|-b|--branch|-sb|-z|--long|--porcelain(?:=v[12])?|--ignored|-u(?:no|normal|all)?",
    "--untracked-files(?:=no|=normal|=all)?|--ahead-behind|--no-ahead-behind|--show-stash",
  ),
};

const FILES: Readonly<Record<"ls" | "wc" | "head", readonly RegExp[]>> = {
  ls: options("-[1aAlhRtrSdFp]{1,12}|--all|--almost-all|--recursive|--human-readable|--reverse|--directory"),
  wc: options("-[clmwL]{1,5}|--lines|--words|--bytes|--chars"),
  head: options(`-${COUNT}|-[nc]${COUNT}|--lines=${COUNT}|--bytes=${COUNT}|-q|-v`),
};

function options(...patterns: string[]): RegExp[] {
  return patterns.map((pattern) => new RegExp(`^(?:${pattern})$`, "s"));
}

function checkGit([command = "", ...rest]: readonly string[]): Inspection {
  const known = Object.hasOwn(GIT, command) ? GIT[command] : undefined;
  if (known === undefined) throw new NotRun(`git ${command} cannot be run here, only ${PROGRAMS}.`);
  const args = joinValues(rest, ["-n", "-L", "-S", "-G", "-U"]);
  const end = args.indexOf("--");
  for (const [at, arg] of args.entries()) {
    const isOption = arg.startsWith("-") && (end === -1 || at < end);
    if (isOption) checkOption(known, arg);
    else if (arg !== "--" && leadsOut(arg)) throw new NotRun(`${arg} is outside the session's directory.`);
  }
  return { program: "git", command, args };
}

function checkFiles(program: "ls" | "wc" | "head", rest: readonly string[], cwd: string): string[] {
  const args = joinValues(rest, ["-n", "-c"].slice(0, program === "head" ? 2 : 0));
  const end = args.includes("--") ? args.indexOf("--") : args.length;
  const flags = args.slice(0, end).filter((arg) => arg.startsWith("-"));
  for (const flag of flags) checkOption(FILES[program], flag);
  const names = [...args.slice(0, end).filter((arg) => !arg.startsWith("-")), ...args.slice(end + 1)];
  if (names.length === 0 && program !== "ls") throw new NotRun(`${program} needs a file.`);
  for (const name of names) checkFile(name, cwd, { isPlain: program !== "ls" });
  return [...flags, "--", ...names];
}

/** Checked by real path: a link may lead anywhere. Reading something other than a plain file may never end. */
function checkFile(name: string, cwd: string, { isPlain }: { isPlain: boolean }): void {
  let real: string;
  try {
    real = realpathSync(path.resolve(cwd, name));
    if (isPlain && !statSync(real).isFile()) throw new NotRun(`${name} is not a plain file.`);
    if (isInside(realpathSync(cwd), real)) return;
  } catch (thrown) {
    if (thrown instanceof NotRun) throw thrown;
    throw new NotRun(`${name} cannot be found or read.`);
  }
  throw new NotRun(`${name} is outside the session's directory.`);
}

function checkOption(known: readonly RegExp[], option: string): void {
  if (!known.some((one) => one.test(option))) throw new NotRun(`The option ${option} is not available here.`);
}

/** Joins `-n 5` to `-n5`, so that a value is never parsed as something else. */
function joinValues(args: readonly string[], takers: readonly string[]): string[] {
  const joined: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? "";
    if (arg === "--") return [...joined, ...args.slice(at)];
    const value = takers.includes(arg) ? args[at + 1] : undefined;
    joined.push(value === undefined ? arg : `${arg}${value}`);
    if (value !== undefined) at += 1;
  }
  return joined;
}

/** For a revision or a path as git accepts it. */
function leadsOut(arg: string): boolean {
  return path.isAbsolute(arg) || arg.startsWith("~") || arg.split(/[/\\]/).includes("..");
}
