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
  "patch pax unzip bsdtar cpio 7z 7za 7zz unrar unar ar cabextract uudecode dpkg-deb".split(" "),
);
/** They remove the suffix of a file. */
const DECOMPRESSORS = new Set(
  "gunzip bunzip2 unxz unlzma unzstd uncompress gzip bzip2 xz zstd lz4 unlz4 brotli lzop lzip pigz".split(" "),
);
/** They copy from elsewhere under the same name: `scp h:a/b .`, `docker cp c:/a/b .`, `aws s3 cp s3://a/b .`. */
const FETCHING = /^(?:cp|copy|get|pull|download|sync)$/;

function isUnpacker(name: string, args: readonly Arg[]): boolean {
  const isTar =
    name === "tar" &&
    args.some(({ start }, at) =>
      (at === 0 ? /^-?[a-zA-Z]*x|^--(?:ext|get)/ : /^-[a-zA-Z]*x|^--(?:ext|get)/).test(start),
    );
  const isNamedThere =
    (name === "curl" && args.some(({ start }) => /^-[a-zA-Z]*J|^--remote-h/.test(start))) ||
    (name === "wget" && args.some(({ start }) => start.startsWith("--content-d")));
  const isModule = args.some(({ text }) => /^(?:-m)?(?:zipfile|tarfile)$/.test(text ?? ""));
  return (
    isTar || isNamedThere || (isModule && args.some(({ start }) => /^-e$|^--e/.test(start))) || UNPACKERS.has(name)
  );
}

/** Names that a program makes from its operands. */
function derivedNames(name: string, args: readonly Arg[]): NamedFile[] {
  const texts = operandsOf(args).flatMap(({ text }) => text ?? []);
  const last = (one: string) => one.split(/[/:]/).at(-1) ?? "";
  const isRemote = texts.slice(0, -1).some((one) => one.includes(":")) && texts.at(-1)?.includes(":") !== true;
  const isFetching = isRemote && (name === "scp" || texts.slice(0, 2).some((one) => FETCHING.test(one)));
  if (name === "curl" || name === "wget" || isFetching) {
    return texts.flatMap((one) => [last(one), decoded(last(one))]).map((file) => ({ name: file, isHome: false }));
  }
  // Their operands and prefixes are the beginnings of names.
  if (name === "split" || name === "csplit") return texts.map((one) => ({ name: `${one}*`, isHome: false }));
  return DECOMPRESSORS.has(name) ? texts.map((file) => ({ name: file.replace(/\.\w+$/, ""), isHome: false })) : [];
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
  const whole = isFind && !files.some((file) => !file.name.startsWith("-")) ? [{ name: ".", isHome: false }] : [];
  return {
    isCertain,
    files: [...files, ...more, ...whole, ...derivedNames(name, args)].filter((file) => file.name !== ""),
    isDeep:
      isFind || RECURSIVE.has(name) || (isCertain && args.some(({ start }) => /^-[a-zA-Z]*[rR]|^--r/.test(start))),
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

/** The argument, its part after `=`, and the parts of a list. */
function namesIn({ text, start, isHome }: Arg): NamedFile[] {
  const known = text ?? start;
  if (known === "" || known === "-" || known === "--") return [];
  const value = known.includes("=") ? known.slice(known.indexOf("=") + 1) : "";
  const attached = /^-[a-zA-Z](.+)$/.exec(known)?.[1] ?? "";
  const parts = /[,:@]/.test(known) ? known.split(/[,:@]/) : [];
  const names = [known, value, attached, ...parts].filter((one) => one !== "" && one.length <= 4096);
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
