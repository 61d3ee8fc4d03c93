/** The files of a directory: what git tracks or would track, and a plain walk where git has no answer. */
import { createPathSplitter } from "./path-splitter.ts";
import { runGit } from "./git.ts";
import type { TextReader } from "./text-reader.ts";
import { walkFiles } from "./walk-files.ts";

export interface FileList {
  /** Relative, with `/`; sorted as the source gave them. */
  paths: readonly string[];
  by: "git" | "walk";
  /** True when there is more than was listed. */
  isCut: boolean;
  unreadableDirectories: number;
}

export const FILES_MAX = 50_000;
const GIT_MS_MAX = 3_000;

const LIST_ARGS = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate", "--", "."];

export async function listFiles(
  root: string,
  options: { signal: AbortSignal; reader: TextReader; filesMax?: number; marker?: string | undefined },
): Promise<FileList> {
  const { signal, reader, marker, filesMax = FILES_MAX } = options;
  const splitter = createPathSplitter(filesMax);
  const end = await runGit({
    cwd: root,
    args: LIST_ARGS,
    signal,
    marker,
    timeoutMs: GIT_MS_MAX,
    onOutput: splitter.push,
  });
  signal.throwIfAborted();
  const isListed = end === "done" || end === "enough" || end === "timed_out";
  // A directory that its repository ignores has no files for git, yet it is what the session is about.
  if (isListed && splitter.paths.length > 0) {
    return { paths: splitter.paths, by: "git", isCut: end !== "done", unreadableDirectories: 0 };
  }
  return { ...(await walkFiles(root, { filesMax, signal, reader })), by: "walk" };
}
