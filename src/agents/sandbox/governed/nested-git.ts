/**
 * Git directories that a member could make below the workspace, or change where no mount holds them: their
 * configuration and hooks run programs as soon as anybody uses git there, or `git status` looks into them. What cannot
 * run anything stays.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readlinkSync, writeFileSync, type Stats } from "node:fs";
import path from "node:path";
import { readRegularFile } from "../../../kit/files/read-regular-file.ts";
import { findProgram } from "../../process/launch/find-program.ts";
import { gitEnvironment } from "../../tools/git.ts";
import { isInside } from "../../tools/inside.ts";
import { listEntries } from "./list-entries.ts";
import { move, statsOf } from "./quarantine.ts";
import { readText } from "../read-existing.ts";

export interface Judged {
  /** Moved away whole. */
  readonly moved: readonly { from: string; to: string }[];
  /** Configuration files that were replaced by their harmless part; `to` is the original. */
  readonly reduced: readonly { from: string; to: string; keys: readonly string[] }[];
  readonly left: readonly { file: string; why: string }[];
}

/** Parts of a git directory that are or name programs, or lead to parts that do. */
const CONFIGS = ["config", "config.worktree", ".gitconfig"];
const TODO = "git-rebase-todo";
const RISKY = [...CONFIGS, "commondir", "hooks", "info/attributes", `rebase-merge/${TODO}`];
const GIT_MS = 10_000;
const BYTES_MAX = 1024 * 1024;

/** Directories of a git directory in which git itself writes; it follows links there. */
const WRITTEN = new Set(["logs", "refs", "info", "objects", "pack", "rebase-merge", "rebase-apply", "sequencer"]);
const DIRECTORIES_MAX = 500;

/** Links by which git, used outside, would write elsewhere. */
function linksIn(entry: string): string[] {
  const queue = [entry];
  const links: string[] = [];
  for (let at = 0; at < queue.length && at < DIRECTORIES_MAX; at += 1) {
    const directory = queue[at] as string;
    const isWritten = directory !== entry && !isObjects(directory);
    for (const one of listEntries(directory)) {
      const file = path.join(directory, one.name);
      if (one.isSymbolicLink()) links.push(file);
      else if (one.isDirectory() && (isWritten || WRITTEN.has(one.name))) queue.push(file);
    }
  }
  return links;
}

function isObjects(directory: string): boolean {
  return path.basename(directory) === "objects";
}

/** Whether a change of this entry of a git directory is judged: a part of those, or a link. */
export function isRiskyInGit(file: string): boolean {
  return RISKY.includes(path.basename(file)) || statsOf(file)?.isSymbolicLink() === true;
}

/**
 * Fingerprints of these parts; a missing one has none. `entries` are `.git` files and directories and bare
 * repositories.
 */
export function fingerprints(entries: readonly string[]): Map<string, string> {
  const files = entries.flatMap((entry) =>
    isPointer(entry) ? [entry] : [...RISKY.map((name) => path.join(entry, name)), ...linksIn(entry)],
  );
  return new Map(files.flatMap((file) => fingerprintOf(file)));
}

function fingerprintOf(file: string): [string, string][] {
  const stats = statsOf(file);
  if (stats === undefined) return [];
  const hash = createHash("sha256").update(`${stats.mode} `);
  try {
    if (stats.isFile())
      hash.update(isShort(stats) ? readRegularFile(file) : `${stats.ino} ${stats.size} ${stats.mtimeMs}`);
    if (stats.isSymbolicLink()) hash.update(readlinkSync(file));
    // Programs in it can be told apart by these; samples do not run.
    if (stats.isDirectory()) {
      for (const name of hooksIn(file)) {
        const { ino, size, mtimeMs } = lstatSync(path.join(file, name));
        hash.update(`${name} ${ino} ${size} ${mtimeMs}\n`);
      }
    }
  } catch {
    // Changed while it was read, so it is another one next time.
  }
  return [[file, hash.digest("hex")]];
}

export interface JudgeOptions {
  /** The workspace. */
  readonly root: string;
  /** Whether the sandbox keeps a file read-only, so that somebody else has changed it. */
  readonly isHeld: (file: string) => boolean;
  /** A place in the quarantine. */
  readonly target: (file: string) => string;
}

interface Judging {
  readonly moved: { from: string; to: string }[];
  readonly reduced: { from: string; to: string; keys: string[] }[];
  readonly left: { file: string; why: string }[];
}

/** Checks what differs from `known`. Never throws. */
export function judgeGit(
  entries: readonly string[],
  known: ReadonlyMap<string, string>,
  options: JudgeOptions,
): Judged {
  const judged: Judging = { moved: [], reduced: [], left: [] };
  for (const [file, now] of fingerprints(entries)) {
    try {
      if (known.get(file) !== now) judgeFile(file, options, judged);
    } catch (error) {
      // It changes at this moment.
      judged.left.push({ file, why: error instanceof Error ? error.message : String(error) });
    }
  }
  return judged;
}

function judgeFile(file: string, { root, isHeld, target }: JudgeOptions, judged: Judging): void {
  if (isHeld(file) || isHarmless(file, root)) return;
  const config = CONFIGS.includes(path.basename(file)) ? readConfig(file, root) : undefined;
  if (config?.removed.length === 0) return;
  const result = move(file, target(file));
  if ("why" in result) {
    judged.left.push({ file, why: result.why });
    return;
  }
  const { to } = result;
  if (config === undefined) judged.moved.push({ from: file, to });
  else {
    judged.reduced.push({ from: file, to, keys: config.removed });
    writeFileSync(file, config.text, { flag: "wx" });
  }
  if (path.basename(file) === "hooks") mkdirSync(file);
}

/** Parts that are not configuration. */
function isHarmless(file: string, root: string): boolean {
  const name = path.basename(file);
  // Git makes such links for branches at most.
  if (statsOf(file)?.isSymbolicLink() === true) return name === "HEAD" && isBranchLink(file);
  if (name === "hooks") return hooksIn(file).length === 0;
  const stats = statsOf(file);
  if (stats === undefined || !isShort(stats)) return false;
  // A rebase that somebody continues runs the commands in it.
  if (name === TODO) return !/^\s*(?:x|exec)\s/m.test(readText(file));
  // Linked worktrees have one, which names the repository two levels up.
  if (name === "commondir") return readText(file).trim() === "../.." && isUnder(file, "worktrees");
  if (name !== ".git") return false;
  const pointed = /^gitdir: (.+)$/m.exec(readText(file))?.[1];
  return pointed !== undefined && isInside(root, path.resolve(path.dirname(file), pointed.trim()));
}

/** A file as git writes them, which can be read without a wait. */
function isShort(stats: Stats): boolean {
  return stats.isFile() && stats.size <= BYTES_MAX;
}

function isBranchLink(file: string): boolean {
  return /^refs\/heads\/[^/.][^/]*$/.test(readlinkSync(file));
}

function isUnder(file: string, folder: string): boolean {
  return path.basename(path.dirname(path.dirname(file))) === folder;
}

function isPointer(entry: string): boolean {
  return statsOf(entry)?.isDirectory() === false;
}

function hooksIn(directory: string): string[] {
  return listEntries(directory).flatMap(({ name }) => (name.endsWith(".sample") ? [] : name));
}

/** Keys that run nothing and lead nowhere, by section. */
const HARMLESS: Readonly<Record<string, RegExp>> = {
  core: /^(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|autocrlf|eol|symlinks|quotepath|safecrlf|whitespace|abbrev|compression|sharedrepository|sparsecheckout|sparsecheckoutcone|untrackedcache|longpaths|protecthfs|protectntfs|commentchar|worktree)$/,
  extensions: /./,
  user: /^(?:name|email|useconfigonly)$/,
  author: /^(?:name|email)$/,
  committer: /^(?:name|email)$/,
  init: /^defaultbranch$/,
  branch: /^(?:remote|merge|rebase|description|pushremote|autosetupmerge|autosetuprebase|sort)$/,
  remote:
    /^(?:url|pushurl|fetch|push|tagopt|prune|prunetags|mirror|promisor|partialclonefilter|skipdefaultupdate|skipfetchall|pushdefault)$/,
  submodule: /^(?:url|active|branch|ignore|recurse|fetchrecursesubmodules)$/,
  commit: /^gpgsign$/,
  tag: /^gpgsign$/,
  pull: /^(?:rebase|ff|octopus|twohead)$/,
  push: /^(?:default|followtags|autosetupremote)$/,
  fetch: /^(?:prune|prunetags|parallel|recursesubmodules)$/,
  merge: /^(?:ff|conflictstyle|renames|stat|log)$/,
  rebase: /^(?:autosquash|autostash|updaterefs|stat)$/,
  status: /./,
  color: /./,
  advice: /./,
  gc: /^(?:auto|autodetach|autopacklimit|pruneexpire)$/,
  index: /./,
  feature: /./,
  lfs: /^repositoryformatversion$/,
};

interface ReducedConfig {
  readonly text: string;
  /** Keys that are left out. */
  readonly removed: string[];
}

/** As git itself reads it, without what it includes. */
function readConfig(file: string, root: string): ReducedConfig {
  const all: ReducedConfig = {
    text: "[core]\n\trepositoryformatversion = 0\n\tbare = false\n",
    removed: ["everything"],
  };
  const git = findProgram("git", { PATH: process.env["PATH"], cwd: path.dirname(file) });
  if (!git.ok || !isShort(lstatSync(file))) return all;
  const args = ["config", "--file", file, "--no-includes", "--null", "--list"];
  const options = { cwd: "/", env: gitEnvironment(process.env), encoding: "utf8", timeout: GIT_MS } as const;
  const { status, stdout } = spawnSync(git.path, args, options);
  if (status !== 0) return all;
  const isTree = (value: string): boolean => isInside(root, path.resolve(path.dirname(file), value));
  const pairs = stdout.split("\0").filter(Boolean).map(parsePair);
  const { harmless = [], removed = [] } = Object.groupBy(pairs, (pair) =>
    isHarmlessPair(pair, isTree) ? "harmless" : "removed",
  );
  return { text: harmless.map(formatPair).join(""), removed: [...new Set(removed.map(({ key }) => key))] };
}

interface Pair {
  readonly key: string;
  readonly section: string;
  readonly subsection: string | undefined;
  readonly name: string;
  /** Undefined for a key without "=", which is true. */
  readonly value: string | undefined;
}

function parsePair(text: string): Pair {
  const [key = "", ...rest] = text.split("\n");
  const [section = "", ...between] = key.split(".");
  const name = between.pop() ?? "";
  const subsection = between.length === 0 ? undefined : between.join(".");
  return { key, section, subsection, name, value: rest.length === 0 ? undefined : rest.join("\n") };
}

function isHarmlessPair({ section, name, value = "true" }: Pair, isTree: (value: string) => boolean): boolean {
  if (section === "core" && name === "fsmonitor") return /^(?:true|false|0|1)$/.test(value);
  if (section === "core" && name === "worktree") return isTree(value);
  const isAddress = name.endsWith("url");
  // "ext::" and other helpers run programs; a dash begins an option.
  return HARMLESS[section]?.test(name) === true && !(isAddress && /^-|^[\w-]+::/.test(value));
}

function formatPair({ section, subsection, name, value }: Pair): string {
  const quoted = (text: string): string =>
    `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;
  const head = subsection === undefined ? section : `${section} ${quoted(subsection)}`;
  return `[${head}]\n\t${name}${value === undefined ? "" : ` = ${quoted(value)}`}\n`;
}
