/**
 * Files a command may change, by its arguments. A program not known to be read-only may change whatever it is given.
 */
import type { Arg } from "./arg.ts";
import { findRisk } from "./risky-options.ts";
import { gitSubcommand } from "./risky-git.ts";

/** A program with its arguments; `inner` is where the command that it wraps begins. */
interface CommandLayer {
  readonly name: string;
  readonly args: readonly Arg[];
  readonly inner?: number;
}

export interface NamedFile {
  readonly name: string;
  readonly isHome: boolean;
}

export interface ChangedFiles {
  /** Certainly changed, or possibly. */
  readonly isCertain: boolean;
  readonly files: readonly NamedFile[];
  /** A directory stands for its content. */
  readonly isDeep: boolean;
  /** Some are unknown before it runs. */
  readonly isUnknown: boolean;
}

const NONE: ChangedFiles = { isCertain: false, files: [], isDeep: false, isUnknown: false };

const READERS = new Set(
  `cat tac head tail less more nl wc ls dir exa eza lsd tree stat file du df pwd cd pushd popd dirs echo printf test [ true
  false : grep egrep fgrep zgrep rg ag ack fd fdfind find diff cmp comm colordiff sort uniq cut paste tr fold fmt column od
  hexdump xxd strings jq yq basename dirname realpath readlink md5sum sha1sum sha256sum sha512sum b2sum cksum sum which type
  whereis whatis man help date cal id whoami groups env printenv export declare typeset local readonly unset set sleep seq
  expr sed awk gawk mawk bat delta zcat bzcat xzcat base64 exit return break continue shift wait jobs kill ps pgrep uname
  hostname arch nproc tput clear read let`.split(/\s+/),
);
const GIT_READS =
  /^(?:annotate|blame|branch|cat-file|check-attr|check-ignore|check-mailmap|cherry|commit|count-objects|describe|diff|diff-files|diff-index|diff-tree|fetch|for-each-ref|fsck|grep|help|log|ls-files|ls-remote|ls-tree|merge-base|name-rev|push|range-diff|reflog|remote|rev-list|rev-parse|shortlog|show|show-branch|show-ref|status|tag|var|verify-commit|verify-tag|version|whatchanged|add|stage)$/;
/** They make the working tree that of another commit, of a stash or of a patch: any tracked file may change. */
const GIT_ALL =
  /^(?:am|apply|bisect|checkout|checkout-index|cherry-pick|clean|filter-branch|lfs|merge|merge-index|mergetool|pull|read-tree|rebase|reset|restore|revert|sparse-checkout|stash|submodule|switch)$/;
/** Their operands are paths. */
const GIT_PATHS = /^(?:clean|restore|checkout-index)$/;
/** With these first words they change no file of the working tree. */
const GIT_LOOKS: Readonly<Record<string, RegExp>> = {
  bisect: /^(?:log|view|visualize|terms|help)$/,
  lfs: /^(?:env|fetch|locks?|logs|ls-files|prune|push|status|version)$/,
  "sparse-checkout": /^list$/,
  stash: /^(?:clear|create|drop|list|show|store)$/,
  submodule: /^(?:status|summary|init)$/,
};

const CHANGERS = new Set(
  `touch rm unlink shred srm rmdir truncate tee mv chmod chown chgrp ln link mkfifo mknod mkdir patch setfacl chattr gzip
  gunzip bzip2 bunzip2 xz unxz zstd install cp rsync sponge dd sed trash trash-put rename`.split(/\s+/),
);
/** They take a directory with its content. */
const RECURSIVE = new Set(["rm", "mv", "rsync", "trash", "trash-put", "srm"]);
/** The last operand is changed, the others are only read. */
const COPIERS = new Set(["cp", "install", "rsync"]);

/** They change what an archive or a patch names. */
const UNPACKERS = new Set(
  `patch pax unzip bsdtar cpio 7z 7za 7zr 7zz unrar unar ar cabextract uudecode dpkg-deb dtrx atool aunpack asar jar quilt
  rename prename file-rename mmv zmv`.split(/\s+/),
);
/** What other version control systems may do without changing the working tree. */
const LOOKS =
  /^(?:st|stat|status|di|diff|log|info|ls|list|cat|show|blame|annotate|id|identify|heads|summary|root|help|version|ci|commit|add)$/;
/** A file with such a suffix is written too: `sed -i.txt`, `cp -bS .txt`, `gzip -k --suffix=.txt`. */
const NEXT_IS_SUFFIX = /^-[a-zA-Z]*[Sz]$|^--su[a-z]*$/;
const COMBINED_MAX = 200;
/** They copy from elsewhere under the same name: `scp h:a/b .`, `docker cp c:/a/b .`, `aws s3 cp s3://a/b .`. */
const FETCHING = /^(?:cp|copy|get|pull|download|sync)$/;

function isUnpacker(name: string, args: readonly Arg[]): boolean {
  const isTar =
    name === "tar" &&
    args.some(({ start }, at) =>
      (at === 0 ? /^-?[a-zA-Z]*x|^--(?:ext|get)/ : /^-[a-zA-Z]*x|^--(?:ext|get)/).test(start),
    );
  const isNamedThere =
    // `-o '#1' 'http://x/{a,b}'`
    (name === "curl" && args.some(({ start }) => /^-[a-zA-Z]*J|^--remote-h|:\/\/.*[{[]/.test(start))) ||
    (name === "wget" && args.some(({ start }) => /^--(?:content-d|tru)/.test(start)));
  const isOtherVersion = /^(?:hg|svn|bzr|jj|fossil|sl)$/.test(name) && !LOOKS.test(operandsOf(args)[0]?.text ?? "");
  const isPackage = name === "dpkg" && args.some(({ start }) => /^-[xX]|^--(?:v?ext|ra)/.test(start));
  const isListing = name === "unzip" && args.some(({ start }) => /^-[a-zA-Z]*[lptvzZ]/.test(start));
  const isModule = args.some(({ text }) => /^(?:-m)?(?:zipfile|tarfile)$/.test(text ?? ""));
  return (
    isTar ||
    isNamedThere ||
    isOtherVersion ||
    isPackage ||
    (isModule && args.some(({ start }) => /^-e$|^--e/.test(start))) ||
    (UNPACKERS.has(name) && !isListing)
  );
}

/** Names that a program makes from its operands: without a suffix, as most that unpack or decrypt, or with one. */
function derivedNames(name: string, args: readonly Arg[]): NamedFile[] {
  const operands = operandsOf(args).flatMap(({ text }) => text ?? []);
  const suffixes = args.flatMap((arg, at) => {
    const own = arg.start.startsWith("-") ? namesIn(arg).map((one) => one.name) : [];
    return own.concat(NEXT_IS_SUFFIX.test(arg.start) ? (args[at + 1]?.text ?? []) : []);
  });
  const names = [
    ...operands.map((one) => one.replace(/(?<=[^/.])\.\w+$/, "")),
    ...operands.flatMap((one) => suffixes.map((suffix) => one + suffix)).slice(0, COMBINED_MAX),
  ];
  return [...names.map((one) => ({ name: one, isHome: false })), ...fetchedNames(name, args, operands)];
}

function fetchedNames(name: string, args: readonly Arg[], texts: readonly string[]): NamedFile[] {
  const last = (one: string) => one.split(/[/:]/).at(-1) ?? "";
  const isRemote = texts.slice(0, -1).some((one) => one.includes(":")) && texts.at(-1)?.includes(":") !== true;
  const isFetching = isRemote && (name === "scp" || texts.slice(0, 2).some((one) => FETCHING.test(one)));
  const fetched = texts.filter((one) => isFetching || name === "curl" || name === "wget" || one.includes("://"));
  if (fetched.length > 0) {
    return fetched.flatMap((one) => [last(one), decoded(last(one))]).map((file) => ({ name: file, isHome: false }));
  }
  // Their operands and prefixes are the beginnings of names.
  const isSplit = name === "split" || name === "csplit";
  return isSplit ? args.flatMap(namesIn).map(({ name: start, isHome }) => ({ name: `${start}*`, isHome })) : [];
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    // A per cent sign of its own.
    return name;
  }
}

export function changedFiles({ name, args: all, inner }: CommandLayer): ChangedFiles {
  // The inner command of a wrapper is checked separately.
  const args = all.slice(1, inner);
  if (name === "git") return changedByGit(args);
  const isReader = READERS.has(name) && findRisk(name, knownOnly(args)) === undefined;
  if (isReader) return NONE;
  const isCertain = CHANGERS.has(name);
  const isFind = name === "find";
  const files = COPIERS.has(name) ? copied(args) : args.flatMap((arg) => namesIn(arg));
  const more = name === "mv" || name === "ln" || COPIERS.has(name) ? intoDirectory(args) : [];
  const first = args.find(({ start }) => !/^-[HLPDO]/.test(start));
  const whole = isFind && (first === undefined || /^[-(!]/.test(first.start)) ? [{ name: ".", isHome: false }] : [];
  return {
    isCertain,
    files: [...files, ...more, ...whole, ...derivedNames(name, args)].filter((file) => file.name !== ""),
    isDeep:
      isFind || RECURSIVE.has(name) || (isCertain && args.some(({ start }) => /^-[a-zA-Z]*[rRa]|^--[ra]/.test(start))),
    isUnknown: isUnpacker(name, args) || args.some(({ text }) => text === undefined),
  };
}

function changedByGit(args: readonly Arg[]): ChangedFiles {
  const subcommand = gitSubcommand(args);
  const text = subcommand?.name.text;
  if (
    subcommand === undefined ||
    (text !== undefined && GIT_READS.test(text) && findRisk("git", knownOnly(args)) === undefined)
  )
    return NONE;
  const { rest } = subcommand;
  // A pathspec with a colon may be about anything.
  const isMagic = rest.some(({ start }) => start.startsWith(":"));
  const files = rest.flatMap((arg) => namesIn(arg));
  const isAll = isMagic || (text !== undefined && changesTree(text, rest));
  return {
    isCertain: text === "rm" || text === "mv",
    files: isAll ? [...files, { name: ".", isHome: false }] : files,
    isDeep: true,
    isUnknown: text === "apply" || text === "am" || rest.some((arg) => arg.text === undefined),
  };
}

function changesTree(subcommand: string, rest: readonly Arg[]): boolean {
  if (!GIT_ALL.test(subcommand)) return false;
  const operands = operandsOf(rest);
  const first = operands[0]?.text ?? "";
  if (GIT_LOOKS[subcommand]?.test(first) === true) return false;
  if (subcommand === "reset") return rest.some(({ text, start }) => text === undefined || /^--(?:h|k|me)/.test(start));
  if (isNewBranch(subcommand, rest)) return false;
  const dashes = rest.findIndex(({ text }) => text === "--");
  const hasPaths = GIT_PATHS.test(subcommand) ? operands.length > 0 : dashes !== -1 && dashes + 1 < rest.length;
  return !hasPaths;
}

/** At the commit that is checked out. */
function isNewBranch(subcommand: string, [option, name, ...others]: readonly Arg[]): boolean {
  const isCreated = subcommand === "checkout" ? /^-b$/ : /^(?:-c|--create)$/;
  const isSwitch = subcommand === "checkout" || subcommand === "switch";
  return isSwitch && isCreated.test(option?.text ?? "") && name !== undefined && others.length === 0;
}

/** Unknown arguments are reported separately. */
function knownOnly(args: readonly Arg[]): readonly Arg[] {
  return args.filter(({ text }) => text !== undefined);
}

const CLUSTER_MAX = 8;

/** The argument, its part after `=`, what a cluster of letters may have attached, and the parts of a list. */
export function namesIn({ text, start, isHome }: Pick<Arg, "text" | "start" | "isHome">): NamedFile[] {
  const known = text ?? start;
  if (known === "" || known === "-" || known === "--") return [];
  const value = known.includes("=") ? known.slice(known.indexOf("=") + 1) : "";
  const letters = Math.min(/^-(?!-)([a-zA-Z\d#]*)/.exec(known)?.[1]?.length ?? 0, CLUSTER_MAX);
  const attached = Array.from({ length: letters }, (_letter, at) => known.slice(at + 2));
  const parts = /\s/.test(known) ? known.split(/[,:@]/) : known.split(/[,:@=;|<>"'{}[\]()]+/);
  const names = [known, value, ...attached, ...parts].filter((one) => one !== "" && one.length <= 4096);
  return [...new Set(names)].map((name) => ({ name, isHome: isHome || name.startsWith("~/") }));
}

function operandsOf(args: readonly Arg[]): readonly Arg[] {
  return args.filter(({ start }) => !start.startsWith("-"));
}

/** The destination, and the target of an option; linking to a file counts as changing it. */
function copied(args: readonly Arg[]): NamedFile[] {
  const operands = operandsOf(args);
  const options = args.filter(({ start }) => start.startsWith("-"));
  const isLinking = options.some(({ start }) => /^-[a-zA-Z]*[ls]|^--(?:l|s|t|f)/.test(start));
  const isTarget = options.some(({ start }) => /^-[a-zA-Z]*t|^--t/.test(start));
  const named = isLinking || isTarget ? args : [...options, ...operands.slice(-1)];
  return named.flatMap((arg) => namesIn(arg));
}

/** A file copied into a directory keeps its own name. */
function intoDirectory(args: readonly Arg[]): NamedFile[] {
  const operands = operandsOf(args);
  const at = args.findIndex(({ text }) => /^-[a-zA-Z]*t$|^--t[a-z-]*$/.test(text ?? ""));
  const attached = args
    .find(({ start }) => start.startsWith("--t") && start.includes("="))
    ?.text?.replace(/^[^=]*=/, "");
  const target = at === -1 ? operands.at(-1) : args[at + 1];
  const directory = attached ?? target?.text;
  if (directory === undefined) return [];
  return operands.flatMap(({ text }) => {
    const name = text?.replace(/\/+$/, "").split("/").at(-1) ?? "";
    return text === directory || name === "" ? [] : [{ name: `${directory}/${name}`, isHome: target?.isHome === true }];
  });
}
