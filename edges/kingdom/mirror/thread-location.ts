/**
 * Location of a session's thread: `.kd` tree, branch and thread. Open settings are chosen here once; existing files are
 * never renamed or emptied.
 */
import { createHash } from "node:crypto";
import { lstat, mkdir, readdir, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { RoundtableError, type ThreadMirror } from "../../../src/protocol/index.ts";
import * as kingdom from "../format/kingdom.ts";
import { codeOf, ignoreMissing } from "./files/error-code.ts";
import { scanThread } from "./files/thread-directory.ts";
import { readTreeFile } from "./files/tree-file.ts";
import { createFile, replaceFile } from "./files/atomic-file.ts";

const TREE = ".kd";
const FIRST_BRANCH = "main";
const BRANCH_DIRECTORIES = ["threads", "sessions", "logs", "tickets"];
/** Ignored by git in kingdom's own trees. */
const GITIGNORE = [
  "*.json",
  "*.jsonl",
  "*.log",
  "*.session",
  "**/logs/",
  "**/sessions/",
  "worktrees/",
  "current",
  "!config.json",
  "",
];

export interface ThreadLocation {
  readonly kd: string;
  /** As given, which may differ from the directory name. */
  readonly branch: string;
  readonly thread: string;
  readonly branchDir: string;
  readonly dir: string;
  /** True when the thread was just created. */
  readonly isNew: boolean;
}

export interface LocationOptions {
  readonly mirror: ThreadMirror;
  readonly cwd: string;
  readonly sessionId: string;
}

/** Creates what is missing. Throws with a message for the user when the location is unusable. */
export async function findThreadLocation({ mirror, cwd, sessionId }: LocationOptions): Promise<ThreadLocation> {
  const kd = await findTree(mirror.kd, cwd);
  const branch = mirror.branch ?? (await currentBranch(kd));
  const branchDir = path.join(kd, "branches", kingdom.normaliseName(branch));
  try {
    for (const name of BRANCH_DIRECTORIES) await mkdir(path.join(branchDir, name), { recursive: true });
    await beginBranch({ kd, branch, branchDir }, sessionId);
    const threads = path.join(branchDir, "threads");
    const claimed = await claimThread(threads, mirror.thread, sessionId);
    await assertInside(kd, path.join(threads, claimed.thread));
    return { kd, branch, branchDir, dir: path.join(threads, claimed.thread), ...claimed };
  } catch (error) {
    if (error instanceof RoundtableError) throw error;
    throw unusable(kd, error);
  }
}

async function findTree(given: string | undefined, cwd: string): Promise<string> {
  if (given !== undefined) {
    if (path.isAbsolute(given) && path.basename(given) === TREE) return given;
    throw new RoundtableError(
      "bad_command",
      `${JSON.stringify(given)} is not the absolute path of a ${TREE} directory.`,
    );
  }
  let top = cwd;
  for (let dir = cwd; ; dir = path.dirname(dir)) {
    if (await isDirectory(path.join(dir, TREE))) return path.join(dir, TREE);
    if (await exists(path.join(dir, ".git"))) {
      top = dir;
      break;
    }
    if (dir === path.dirname(dir)) break;
  }
  return path.join(top, TREE);
}

/** Current branch of kingdom's programs, else git's. */
async function currentBranch(kd: string): Promise<string> {
  const read = async (file: string) => (await readTreeFile(file).catch(() => undefined)) ?? "";
  const current = (await read(path.join(kd, "current"))).trim();
  if (current !== "") return current;
  const head = await read(path.join(path.dirname(kd), ".git", "HEAD"));
  return /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1]?.trim() ?? FIRST_BRANCH;
}

/** A new tree or branch gets the files without which kingdom's programs do not start. */
async function beginBranch(
  { kd, branch, branchDir }: Pick<ThreadLocation, "kd" | "branch" | "branchDir">,
  owner: string,
): Promise<void> {
  const create = async (file: string, text: string) => {
    if (!(await exists(file))) await createFile(file, text, owner);
  };
  await create(path.join(kd, ".gitignore"), GITIGNORE.join("\n"));
  await create(path.join(kd, "current"), `${branch}\n`);
  await create(path.join(branchDir, "state.json"), kingdom.encodeJsonFile({ branch }));
}

async function claimThread(
  threads: string,
  given: string | undefined,
  sessionId: string,
): Promise<{ thread: string; isNew: boolean }> {
  if (given !== undefined) {
    const thread = kingdom.normaliseName(given);
    if (await isDirectory(path.join(threads, thread))) return { thread, isNew: false };
    await mkdir(path.join(threads, thread), { recursive: true });
    return { thread, isNew: true };
  }
  const hex = createHash("sha256").update(sessionId).digest("hex");
  for (let attempt = 0; ; attempt += 1) {
    const thread = kingdom.threadId(hex, attempt);
    if (await isFree(path.join(threads, thread))) return { thread, isNew: true };
  }
}

/** For a thread without files of ours: whether a crash came before it was made the current one. */
export async function isIncomplete({ dir, branchDir }: ThreadLocation): Promise<boolean> {
  const thread = await stat(path.join(dir, "thread.json")).catch(ignoreMissing);
  if (thread === undefined) return (await scanThread(dir)).messages.length === 0;
  const state = await stat(path.join(branchDir, "state.json")).catch(ignoreMissing);
  // No other thread was made current since its thread.json was written.
  return state === undefined || state.mtimeMs <= thread.mtimeMs;
}

/** Also free: one that a crash left empty. */
async function isFree(dir: string): Promise<boolean> {
  try {
    await mkdir(dir);
    return true;
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    return (await lstat(dir)).isDirectory() && (await readdir(dir)).length === 0;
  }
}

/** A link in the tree must not redirect our files. */
async function assertInside(kd: string, dir: string): Promise<void> {
  const [root, target] = [await realpath(kd), await realpath(dir)];
  if (target.startsWith(`${root}${path.sep}`)) return;
  throw new RoundtableError("bad_command", `${dir} leads outside ${kd}, so nothing is written there.`);
}

/**
 * Lists every member of the thread, whichever program wrote it first. False when it is damaged; it then stays as it is.
 */
export async function writeThreadFile(
  location: ThreadLocation,
  { members, createdTs, owner }: { members: readonly string[]; createdTs: number; owner: string },
): Promise<boolean> {
  const file = path.join(location.dir, "thread.json");
  // Unreadable counts as damaged.
  const before = await readTreeFile(file).catch(() => "");
  const known = before === undefined ? undefined : kingdom.decodeThread(before);
  if (before !== undefined && known === undefined) return false;
  const all = [...new Set([...(known?.members ?? []), ...members])];
  const text = kingdom.encodeThread({
    id: known?.id ?? location.thread,
    members: all,
    pattern: known?.pattern ?? "council",
    createdTs: known?.createdTs ?? createdTs,
  });
  const isComplete = known !== undefined && all.length === known.members.length;
  if (!isComplete && text !== before) await replaceFile(file, text, owner);
  return true;
}

export function unusable(directory: string, error: unknown): RoundtableError {
  const reason = error instanceof Error ? error.message : String(error);
  const hint =
    codeOf(error) === "EROFS" || codeOf(error) === "EACCES"
      ? "Make the directory writable, or choose another one with --kd."
      : "The session continues without it; nothing is lost.";
  return new RoundtableError("store_unavailable", `The thread files in ${directory} cannot be written: ${reason}.`, {
    hint,
    cause: error,
  });
}

async function isDirectory(dir: string): Promise<boolean> {
  return (await stat(dir).catch(() => undefined))?.isDirectory() ?? false;
}

async function exists(file: string): Promise<boolean> {
  return (await stat(file).catch(() => undefined)) !== undefined;
}
