/**
 * Command lines for git.
 * Text of a question or a file name is never an argument of its own before `--`; it is joined to the option
 * it belongs to, so it cannot be read as another option. Programs configured by the repository are not run.
 */
import { FORMAT } from "./log-records.ts";

export interface LogQuery {
  count: number;
  /** Any of these in the message, case-insensitive. */
  grep?: readonly string[];
  /** Commits that change the number of occurrences of this text (pickaxe). */
  pickaxe?: string;
  author?: string;
  since?: string | undefined;
  /** Relative to the directory; empty means everything. */
  paths?: readonly string[];
  /** Only for one path. */
  follow?: boolean;
  /** Only commits that removed the path. */
  onlyDeletions?: boolean;
}

/** Output independent of the user's configuration, without programs that the repository's configuration names. */
const PLAIN = ["--no-pager", "-c", "core.quotePath=false", "-c", "log.showSignature=false"];
const PLAIN_DIFF = ["--no-color", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all"];

export const STATE_ARGS = ["rev-parse", "--is-inside-work-tree", "--is-shallow-repository", "--show-prefix"];
export const HEAD_ARGS = ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"];

export function logArgs(query: LogQuery): string[] {
  const { grep = [], pickaxe = "", author = "", since, paths = [] } = query;
  const isGlob = paths.some((path) => path.startsWith(":(glob)"));
  return [
    ...PLAIN,
    ...(isGlob ? [] : ["--literal-pathspecs"]),
    "log",
    `--max-count=${query.count}`,
    "-z",
    FORMAT,
    "--encoding=UTF-8",
    "--no-show-signature",
    "--no-notes",
    ...PLAIN_DIFF,
    "--regexp-ignore-case",
    "--fixed-strings",
    ...grep.map((word) => `--grep=${safe(word)}`),
    ...(author === "" ? [] : [`--author=${safe(author)}`]),
    ...(since === undefined ? [] : [`--since=${since}`]),
    ...(pickaxe === "" ? [] : [`-S${safe(pickaxe)}`]),
    ...(query.follow === true ? ["--follow"] : []),
    ...(query.onlyDeletions === true ? ["--diff-filter=D"] : []),
    "HEAD",
    "--",
    ...paths.map(safe),
  ];
}

/** Records of single commits by id. */
export function commitArgs(ids: readonly string[]): string[] {
  const names = ids.map((id) => `${hex(id)}^{commit}`);
  return [
    ...PLAIN,
    "log",
    "--no-walk",
    "-z",
    FORMAT,
    "--encoding=UTF-8",
    "--no-show-signature",
    "--no-notes",
    ...names,
    "--",
  ];
}

/** The patch of one commit against its first parent; with a pickaxe, only the files it applies to. */
export function patchArgs(
  id: string,
  { pickaxe = "", paths = [] }: { pickaxe?: string; paths?: readonly string[] },
): string[] {
  return [
    ...PLAIN,
    "--literal-pathspecs",
    "show",
    "--format=",
    "--no-show-signature",
    "--no-notes",
    ...PLAIN_DIFF,
    "--unified=2",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--relative",
    "-m",
    "--first-parent",
    "--regexp-ignore-case",
    ...(pickaxe === "" ? [] : [`-S${safe(pickaxe)}`]),
    hex(id),
    "--",
    ...paths.map(safe),
  ];
}

/** The committed file, not the one in the work tree: reading that would run filters that the repository configures. */
export function blobArgs(path: string): string[] {
  return [...PLAIN, "cat-file", "blob", `HEAD:./${safe(path)}`];
}

export function blameArgs(path: string, { first, last }: { first: number; last: number }): string[] {
  return [...PLAIN, "blame", "--porcelain", "--no-textconv", `-L${first},${last}`, "HEAD", "--", safe(path)];
}

/** Arguments with a NUL would prevent the start. */
function safe(text: string): string {
  return text.replaceAll("\0", "\uFFFD");
}

function hex(id: string): string {
  if (!/^[0-9a-f]{4,64}$/.test(id)) throw new Error(`${id} is not the id of a commit.`);
  return id;
}
