/**
 * Whether a deny or ask rule matches a shell line. False positives are accepted: a line that may match, or that is not
 * understood, is asked about.
 */
import { matchesGlob } from "../../tools/glob-match.ts";
import type { Arg } from "./arg.ts";
import { shown } from "./finding.ts";
import type { Layer, ReadLine } from "./read-line.ts";
import { findCodeOption } from "./risky-options.ts";
import { gitSubcommand, isGitCommand } from "./risky-git.ts";
import { rulePattern } from "./rule-pattern.ts";

export interface Denied {
  /** False: it may match. */
  readonly isCertain: boolean;
  readonly reason: string;
}

export function denyLine(match: string, line: string, read: ReadLine): Denied | undefined {
  const layers = read.commands.flat();
  const glob = match.trim().toLowerCase();
  const spelled = layers.find((layer) => texts(layer).some((text) => matchesGlob([glob], [text])));
  if (spelled !== undefined) return certain(spelled);
  if (matchesGlob([glob], [line.trim().toLowerCase()])) return { isCertain: true, reason: `it is ${shown(line)}` };
  const denied = readDenied(glob);
  const judged = denied === undefined ? [] : layers.map((layer) => ({ layer, verdict: meaning(denied, layer) }));
  const meant = judged.find(({ verdict }) => verdict === "yes");
  if (meant !== undefined) return certain(meant.layer);
  const maybe = judged.find(({ verdict }) => verdict === "maybe");
  if (maybe !== undefined) return doubt(`${shown(textOf(maybe.layer))} may be denied`);
  return denied === undefined ? undefined : findSuspicion(denied, read);
}

/** For any deny rule: what is not understood may match. */
export function findUnclear({ commands, findings }: ReadLine): Denied | undefined {
  const finding = findings.find(({ level }) => level === "opaque");
  if (finding !== undefined) return doubt(finding.reason);
  for (const { name, args } of commands.flat()) {
    const reason = findCodeOption(name, args.slice(1));
    if (reason !== undefined) return doubt(reason);
  }
  return undefined;
}

function certain(layer: Layer): Denied {
  return { isCertain: true, reason: `it runs ${shown(textOf(layer))}` };
}

function doubt(reason: string): Denied {
  return { isCertain: false, reason };
}

function textOf({ args }: Layer): string {
  return args.map(({ text, source }) => text ?? source).join(" ");
}

/** As written, and by the bare name of its program. */
function texts(layer: Layer): string[] {
  const full = textOf(layer).toLowerCase();
  const [, ...rest] = layer.args.map(({ text, source }) => (text ?? source).toLowerCase());
  return [full, [layer.name, ...rest].join(" ")];
}

interface DeniedCommand {
  readonly program: string;
  readonly operands: readonly string[];
  /** Each with all its aliases. */
  readonly options: readonly (readonly string[])[];
  readonly isOpen: boolean;
}

function readDenied(glob: string): DeniedCommand | undefined {
  const pattern = rulePattern(glob);
  const [first, ...rest] = pattern?.globs ?? [];
  if (pattern === undefined || first === undefined) return undefined;
  const program = first.split("/").at(-1) ?? first;
  const isOption = (one: string) => /^-./.test(one);
  const last = rest.at(-1);
  // `--force*` also matches `--force-with-lease`.
  const widened = pattern.isOpen && last !== undefined && !last.endsWith("*") && glob.endsWith(`${last}*`);
  const globs = widened ? [...rest.slice(0, -1), `${last}*`] : rest;
  return {
    program,
    operands: globs.filter((one) => !isOption(one)),
    options: globs.filter(isOption).flatMap((one) => optionNames(program, one)),
    isOpen: pattern.isOpen,
  };
}

function meaning({ program, operands, options, isOpen }: DeniedCommand, { name, args }: Layer): "yes" | "maybe" | "no" {
  if (!matchesGlob([program], [name])) return "no";
  const { given, hasAlias } = argumentsOf(name, args.slice(1), operands.length > 0);
  const known = given.filter((arg) => arg.text !== undefined);
  const isUnknown = known.length < given.length || hasAlias;
  const texts = known.map(({ text }) => (text ?? "").toLowerCase());
  const names = texts.flatMap((text) =>
    text.startsWith("-") ? optionNames(name, text) : optionsOfOperand(name, text),
  );
  const own = texts.filter((text) => !text.startsWith("-"));
  const hasOptions = options.every((option) => names.some((one) => isSameOption(option, one)));
  const hasOperands = operands.every((glob, at) => own[at] !== undefined && matchesGlob([glob], [own[at]]));
  // The value of an option may precede an operand.
  const isAmong = operands.every((glob) => own.some((text) => matchesGlob([glob], [text])));
  if (hasOptions && hasOperands) {
    const isMeant = names.every((one) => options.some((option) => isSameOption(option, one)));
    const isExact = own.length === operands.length && isMeant;
    return isOpen || isExact ? "yes" : "maybe";
  }
  // Git has neither; its aliases are told apart already.
  const isCut = name !== "git" && isCutShort(operands, own);
  if (hasOptions && (isAmong || isCut)) return "maybe";
  return isUnknown && (hasAlias || canBeCompleted(operands, given)) ? "maybe" : "no";
}

/** Some programs accept abbreviated subcommands, and other names of them. */
function isCutShort([first = "", ...others]: readonly string[], [given = "", ...rest]: readonly string[]): boolean {
  if (given === "" || given === first || !others.every((glob) => rest.some((one) => matchesGlob([glob], [one])))) {
    return false;
  }
  const isAlias = ALIASES.some((names) => names.includes(given) && names.some((name) => matchesGlob([first], [name])));
  return first.startsWith(given) || given.startsWith(`${first}-`) || isAlias;
}

/** Of subcommands, above all npm's. */
const ALIASES: readonly (readonly string[])[] = [
  "install add i in ins inst insta instal isnt isnta isntal isntall it install-test cit install-ci-test",
  "uninstall remove rm r un unlink delete del",
  "run run-script rum urn",
  "test t tst",
  "exec x dlx",
  "update up upgrade udpate",
  "ci clean-install ic install-clean isntall-clean",
  "login adduser add-user",
  "commit ci",
  "checkout co",
].map((names) => names.split(" "));

/** Whether the known prefix of arguments still matches. */
function canBeCompleted(operands: readonly string[], given: readonly Arg[]): boolean {
  const unknown = given.findIndex(({ text }) => text === undefined);
  const before = given
    .slice(0, unknown === -1 ? given.length : unknown)
    .flatMap(({ text }) => (text ?? "").toLowerCase());
  const own = before.filter((text) => !text.startsWith("-"));
  return operands.every((glob, at) => own[at] === undefined || matchesGlob([glob], [own[at]]));
}

/** For git without the options before the subcommand. */
function argumentsOf(
  name: string,
  args: readonly Arg[],
  hasOperands: boolean,
): { given: readonly Arg[]; hasAlias: boolean } {
  const subcommand = name === "git" ? gitSubcommand(args) : undefined;
  if (subcommand === undefined) return { given: args, hasAlias: false };
  const { text } = subcommand.name;
  return {
    given: [subcommand.name, ...subcommand.rest],
    hasAlias: hasOperands && (text === undefined || !isGitCommand(text)),
  };
}

function isSameOption(rule: readonly string[], given: readonly string[]): boolean {
  return rule.some((one) => given.some((other) => isOption(one, other)));
}

/** `given` may be abbreviated, and the rule's may be a glob. */
function isOption(rule: string, given: string): boolean {
  if (matchesGlob([rule], [given])) return true;
  const plain = rule.replace(/\*+$/, "");
  return given.startsWith("--") && given.length > 2 && plain.startsWith(given);
}

/** They only show, search or change a file of a given name. */
const INERT = new Set(
  `echo printf cat grep egrep fgrep rg ag ls cd pushd pwd head tail wc test [ which type whereis whatis man command hash
  mkdir touch rm chmod chown diff cmp stat file sort uniq cut tr basename dirname realpath readlink export declare
  local readonly unset jq sed awk git tar zip unzip curl wget gh kill pgrep pkill ps true false : exit return set read du df
  less more tee find tree date sleep seq `.split(/\s+/),
);

function findSuspicion(denied: DeniedCommand, { commands, given }: ReadLine): Denied | undefined {
  const { program, operands } = denied;
  if (/[*?[]/.test(program)) return undefined;
  const written = [program, ...operands].join(" ").replace(/\*$/, "");
  for (const layers of commands) {
    for (const layer of layers) {
      if (isEquivalent(denied, layer)) return doubt(`${shown(textOf(layer))} may do the same as ${shown(written)}`);
    }
    const layer = layers.at(-1);
    if (layer === undefined || INERT.has(layer.name)) continue;
    if (isNamed(denied, layer.args.slice(1))) return doubt(`${shown(textOf(layer))} may run ${program}`);
  }
  // `MAKEFLAGS='--eval=…'` and the like: many programs run what a variable names.
  const value = given.find((one) => isNamed(denied, [one]));
  return value === undefined ? undefined : doubt(`a program may run ${shown(value.source)}`);
}

function isNamed({ program, operands }: DeniedCommand, args: readonly Arg[]): boolean {
  const named = new Set(args.flatMap(({ text, start }) => namesIn((text ?? start).toLowerCase())));
  return [program, ...operands.filter((one) => !/[*?[]/.test(one))].every((one) => named.has(one));
}

/** The last part of a path, and each name in an argument that is a command line. */
function namesIn(text: string): string[] {
  return [text, ...text.split(/[^\w.+-]+/)].map((one) => one.split("/").at(-1) ?? one);
}

// Programs with the same effect: denying one asks about the others.
const ALIKE: readonly (readonly string[])[] = [
  ["rm", "unlink", "shred", "srm", "rmdir", "trash", "trash-put", "gio", "rimraf", "del-cli", "wipe"],
  [
    "curl",
    "wget",
    "wget2",
    "aria2c",
    "http",
    "https",
    "xh",
    "lynx",
    "fetch",
    "curlie",
    "httpie",
    "axel",
    "w3m",
    "links",
    "elinks",
    "lftp",
  ],
  ["sudo", "doas", "pkexec", "su", "runuser", "run0", "sudoedit", "gosu", "setpriv", "capsh"],
  ["kill", "pkill", "killall", "xkill"],
  ["npm", "pnpm", "yarn", "bun"],
  ["pip", "pip3", "uv", "pipx"],
  ["ssh", "scp", "sftp", "mosh", "rsync"],
  ["apt", "apt-get", "aptitude", "dpkg", "dnf", "yum", "apk", "pacman", "brew"],
  ["shutdown", "reboot", "halt", "poweroff", "systemctl"],
  ["sh", "bash", "dash", "ash", "ksh", "mksh", "zsh", "rbash", "fish"],
  ["python", "python2", "python3", "pypy", "pypy3"],
  ["dd", "shred"],
  ["git", "hub"],
  ["docker", "podman", "nerdctl", "buildah"],
  ["kubectl", "oc", "k"],
  ["terraform", "tofu", "terragrunt"],
];

const REMOVING = /^-delete$|^--del(?:$|e)|^--remove|^--move|^-sdel$/;

/** `grm` of the GNU tools on macOS, `safe-rm`, `rm.real`, `docker-compose`. */
function isVariant(program: string, name: string): boolean {
  const stems = name.replace(/\.[a-z]*sh$/, "").split(/[^a-z\d]+/);
  return name === `g${program}` || stems.includes(program);
}

/** Subcommands of git by which another one has its effect; with options of the rule only those after the bar. */
const GIT_ALIKE: Readonly<Record<string, string>> = {
  push: "| send-pack http-push",
  commit: "merge revert cherry-pick am | commit-tree fast-import",
  checkout: "switch restore | checkout-index read-tree",
  switch: "checkout |",
  restore: "checkout | checkout-index read-tree",
  reset: "| read-tree update-ref",
  branch: "| update-ref",
  tag: "| update-ref mktag",
  merge: "pull | merge-recursive read-tree",
  fetch: "pull | fetch-pack",
  add: "stage | update-index",
  rm: "| update-index",
};

function isGitAlike({ operands: [denied = ""], options }: DeniedCommand, args: readonly Arg[]): boolean {
  const given = gitSubcommand(args)?.name.text ?? "";
  const [own = "", plumbing = ""] = (GIT_ALIKE[denied.replace(/\*$/, "")] ?? "").split("|");
  return given !== "" && `${options.length === 0 ? own : ""} ${plumbing}`.split(" ").includes(given);
}

function isEquivalent(denied: DeniedCommand, { name, args }: Layer): boolean {
  const { program, operands } = denied;
  if (program === "git" && name === "git" && operands.length === 1) return isGitAlike(denied, args.slice(1));
  if (name === program) return false;
  const given = args.slice(1).map(({ text, start }) => text ?? start);
  if (isVariant(program, name)) return operands.every((operand) => given.some((one) => matchesGlob([operand], [one])));
  if (program === "rm" && name === "git") return /^(?:clean|rm)$/.test(gitSubcommand(args.slice(1))?.name.text ?? "");
  if (
    program === "rm" &&
    given.some(
      (one) =>
        REMOVING.test(one) || (name === "zip" && /^-[a-zA-Z]*m/.test(one)) || (name === "zstd" && one === "--rm"),
    )
  )
    return true;
  const isAlike = ALIKE.some((group) => group.includes(program) && group.includes(name));
  const isGiven = (operand: string) =>
    given.some((one) => matchesGlob([operand], [one]) || isCutShort([operand], [one]));
  return isAlike && operands.every(isGiven);
}

// Options as a set of names: `-rf`, `-fr`, `-r --force` and `--recursive -f` are equal.
const LETTERS: ReadonlyMap<string, Readonly<Record<string, string>>> = new Map(
  Object.entries({
    rm: { recursive: "r", force: "f", dir: "d", interactive: "i", verbose: "v" },
    cp: { recursive: "r", force: "f", archive: "a" },
    mv: { force: "f" },
    chmod: { recursive: "r" },
    chown: { recursive: "r" },
    git: { force: "f", delete: "d", all: "a", message: "m", "no-verify": "n" },
  }),
);

/** A `+` before its name force-pushes a branch. */
function optionsOfOperand(program: string, operand: string): string[][] {
  return program === "git" && /^\+\S/.test(operand) ? [["-f", "--force"]] : [];
}

/** Lower case: each option of a word with all its names. `-rf` are two; `--force` is also `-f`. */
function optionNames(program: string, word: string): string[][] {
  if (word === "-" || word === "--") return [];
  if (!word.startsWith("--"))
    return word
      .slice(1)
      .split("")
      .filter(isLetter)
      .map((letter) => [`-${letter}`]);
  const [name = ""] = word.slice(2).split("=", 1);
  const plain = name.replace(/\*+$/, "");
  const letters = Object.entries(LETTERS.get(program) ?? {}).filter(([long]) => plain !== "" && long.startsWith(plain));
  return [[`--${name}`, ...letters.map(([, letter]) => `-${letter}`)]];
}

function isLetter(character: string): boolean {
  return character !== "*";
}
