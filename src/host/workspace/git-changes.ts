/**
 * Changes of a working tree against a commit, by git. The repository may be hostile: nothing that its configuration or
 * its attributes name runs, it cannot lead out of the folder, and output, time and file sizes have limits.
 */
import { realpath } from "node:fs/promises";
import { createTextReader, isInside, runGit, type GitEnd } from "../../agents/index.ts";
import { RoundtableError, type ChangedFile, type FilePatch } from "../../protocol/index.ts";

export type RepositoryFile = Omit<ChangedFile, "members">;

export interface RepositoryChanges {
  readonly files: readonly RepositoryFile[];
  readonly truncated: boolean;
}

const FILES_MAX = 2_000;
const PATCH_BYTES_MAX = 1024 * 1024;
const LIST_BYTES_MAX = 4 * 1024 * 1024;
const GIT_MS_MAX = 10_000;
/** Larger files count as binary. */
const LARGE_FILE = "4m";
/** Untracked files whose lines are counted. */
const COUNTED_MAX = 200;
/** Moves of HEAD that are searched for the start of a session. */
const REFLOG_MAX = 5_000;
const FILTERS_MAX = 500;
/** More lines than any file within the limits has. */
const WHOLE_FILE = "-U1000000";

/**
 * Every option that configuration could change is explicit. Submodules are compared by commit, without running git in
 * them.
 */
const DIFF = [
  "--literal-pathspecs",
  "diff",
  "--no-ext-diff",
  "--no-textconv",
  "--no-color",
  "--src-prefix=a/",
  "--dst-prefix=b/",
  "--relative",
  "--find-renames",
  "--submodule=short",
  "--ignore-submodules=dirty",
  "-O/dev/null",
];

export interface Repository {
  changes(base: string): Promise<RepositoryChanges>;
  patch(base: string, file: { path: string; oldPath?: string | undefined }): Promise<FilePatch>;
  /** HEAD at this time, or the empty tree. */
  commitAt(ts: number): Promise<string>;
  /** The empty tree before the first commit. */
  head(): Promise<string>;
}

/** Undefined when the folder, a real path, is in no repository that git accepts. */
export async function openRepository(root: string): Promise<Repository | undefined> {
  const top = await readGit(root, ["rev-parse", "--show-toplevel"]);
  const tree = await realpath(top.text.trimEnd()).catch(() => undefined);
  // The configuration can name another working tree.
  if (top.end !== "done" || tree === undefined || !isInside(tree, root)) return undefined;
  const config = await withoutFilters(root);
  const git = (args: readonly string[], bytesMax = LIST_BYTES_MAX) => readGit(root, args, { config, bytesMax });
  const head = () => headOf(git);
  return {
    head,
    commitAt: async (ts) => (await commitAt(git, ts)) ?? (await emptyTree(git)),
    changes: (base) => changesSince(root, git, base),
    patch: (base, file) => patchOf(root, git, base, file),
  };
}

type Git = (args: readonly string[], bytesMax?: number) => Promise<{ readonly end: GitEnd; readonly text: string }>;

interface ReadOptions {
  readonly config?: readonly (readonly [string, string])[];
  readonly bytesMax?: number;
}

async function readGit(cwd: string, args: readonly string[], { config = [], bytesMax = 65_536 }: ReadOptions = {}) {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const end = await runGit({
    cwd,
    args,
    config,
    signal: new AbortController().signal,
    timeoutMs: GIT_MS_MAX,
    onOutput(chunk) {
      chunks.push(chunk.subarray(0, bytesMax - bytes));
      bytes += chunk.length;
      return bytes <= bytesMax;
    },
  });
  return { end, text: Buffer.concat(chunks).toString("utf8") };
}

/** To compare a file, git would run the filters that the configuration names for it. */
async function withoutFilters(root: string): Promise<(readonly [string, string])[]> {
  const { end, text } = await readGit(root, ["config", "--list", "--name-only", "--null", "--includes"], {
    bytesMax: LIST_BYTES_MAX,
  });
  const names = new Set(
    text.split("\0").flatMap((key) => /^filter\.(.+)\.(?:clean|smudge|process|required)$/s.exec(key)?.[1] ?? []),
  );
  if (end !== "done" || names.size > FILTERS_MAX)
    throw new RoundtableError("unsupported", "The configuration of this repository cannot be read.");
  const off = [...names].flatMap((name) =>
    ["clean", "smudge", "process"].map((key) => [`filter.${name}.${key}`, ""] as const),
  );
  const required = [...names].map((name) => [`filter.${name}.required`, "false"] as const);
  return [...off, ...required, ["core.bigFileThreshold", LARGE_FILE] as const];
}

async function headOf(git: Git): Promise<string> {
  const { end, text } = await git(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
  return end === "done" ? text.trim() : emptyTree(git);
}

async function emptyTree(git: Git): Promise<string> {
  return (await git(["hash-object", "-t", "tree", "/dev/null"])).text.trim();
}

async function commitAt(git: Git, ts: number): Promise<string | undefined> {
  const seconds = Math.floor(ts / 1000);
  const moves = ["log", "-g", "--no-show-signature", "--no-mailmap", "--no-decorate", "--date=unix", "--format=%H %gd"];
  const { text } = await git([...moves, `-n${REFLOG_MAX}`, "HEAD"]);
  for (const line of text.split("\n")) {
    const [, commit, time] = /^([0-9a-f]{40,64}) HEAD@\{(\d+)\}$/.exec(line) ?? [];
    if (commit !== undefined && Number(time) <= seconds) return commit;
  }
  const before = await git(["rev-list", "-1", `--before=${seconds}`, "HEAD"]);
  return before.text.trim() === "" || before.end !== "done" ? undefined : before.text.trim();
}

async function changesSince(root: string, git: Git, base: string): Promise<RepositoryChanges> {
  const tracked = await git([...DIFF, "--raw", "--numstat", "--abbrev=40", "-z", base]);
  const others = await git(["ls-files", "-z", "--others", "--exclude-standard"]);
  if (tracked.end === "failed") throw new RoundtableError("unsupported", "git cannot compare this folder.");
  const untracked = wholeFields(others).filter((path) => !path.endsWith("/"));
  const reader = createTextReader(root);
  const added = await Promise.all(
    untracked.slice(0, FILES_MAX).map(async (path, at): Promise<RepositoryFile> => {
      const file = at < COUNTED_MAX ? await reader.read(path) : undefined;
      if (file?.kind !== "text") return { path, status: "added" };
      return { path, status: "added", added: countLines(file.text), removed: 0 };
    }),
  );
  const files = [...parseDiff(wholeFields(tracked)), ...added].sort((a, b) => (a.path < b.path ? -1 : 1));
  const isCut = tracked.end !== "done" || others.end !== "done" || files.length > FILES_MAX;
  return { files: files.slice(0, FILES_MAX), truncated: isCut || untracked.length > FILES_MAX };
}

/** Parts that end with NUL; output that was cut ends with another. */
function wholeFields({ text }: { text: string }): string[] {
  return text.split("\0").slice(0, -1);
}

function countLines(text: string): number {
  return text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}

const STATUS: Readonly<Record<string, RepositoryFile["status"]>> = {
  A: "added",
  C: "added",
  D: "deleted",
  R: "renamed",
};

/** Both lists of `git diff --raw --numstat -z`: first what changed, then how many lines. */
function parseDiff(fields: readonly string[]): RepositoryFile[] {
  const files = new Map<string, RepositoryFile>();
  for (let at = 0; at < fields.length;) {
    const field = fields[at] ?? "";
    const [, letter] = /^:\d+ \d+ [0-9a-f]+ [0-9a-f]+ ([A-Z])\d*$/.exec(field) ?? [];
    const isPair = letter === "R" || letter === "C" || (letter === undefined && field.endsWith("\t"));
    const [first = "", second = ""] = [fields[at + 1], fields[at + 2]];
    if (letter !== undefined) {
      const path = isPair ? second : first;
      const status = STATUS[letter] ?? "modified";
      if (path !== "") files.set(path, { path, status, ...(letter === "R" ? { oldPath: first } : {}) });
      at += isPair ? 3 : 2;
      continue;
    }
    const [, added = "-", removed = "-", own = ""] = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(field) ?? [];
    const known = files.get(isPair ? second : own);
    if (known !== undefined && added !== "-")
      files.set(known.path, { ...known, added: Number(added), removed: Number(removed) });
    at += isPair ? 3 : 1;
  }
  return [...files.values()];
}

async function patchOf(
  root: string,
  git: Git,
  base: string,
  { path, oldPath }: { path: string; oldPath?: string | undefined },
): Promise<FilePatch> {
  const names = ["--", ...(oldPath === undefined ? [] : [oldPath]), path];
  const whole = await git([...DIFF, WHOLE_FILE, base, ...names], PATCH_BYTES_MAX);
  const made = whole.end === "enough" ? await git([...DIFF, "-U3", base, ...names], PATCH_BYTES_MAX) : whole;
  if (made.end === "failed" || made.end === "timed_out")
    throw new RoundtableError("unsupported", `git cannot compare ${path}, or takes too long.`);
  if (made.text === "") {
    const untracked = await git(["--literal-pathspecs", "ls-files", "-z", "--others", "--", path]);
    return newFilePatch(root, path, untracked.text === `${path}\0`);
  }
  const hunks = made.text.indexOf("\n@@ ");
  const truncated = made.end !== "done";
  return {
    path,
    patch: truncated ? made.text.slice(0, made.text.lastIndexOf("\n") + 1) : made.text,
    isWhole: made === whole,
    isBinary: hunks === -1 && /^Binary files /m.test(made.text),
    truncated,
  };
}

/** Of an untracked file, which git does not compare; empty for any other. */
async function newFilePatch(root: string, path: string, isUntracked: boolean): Promise<FilePatch> {
  const none: FilePatch = { path, patch: "", isWhole: true, isBinary: false, truncated: false };
  const file = isUntracked ? await createTextReader(root).read(path) : undefined;
  if (file?.kind === "binary" || file?.kind === "huge") return { ...none, isBinary: true };
  if (file?.kind !== "text" || file.text === "") return none;
  const lines = file.text.replace(/\n$/, "").split("\n");
  const end = file.text.endsWith("\n") ? "" : "\\ No newline at end of file\n";
  const head = `--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,${lines.length} @@\n`;
  return { ...none, patch: `${head}${lines.map((line) => `+${line}\n`).join("")}${end}` };
}
