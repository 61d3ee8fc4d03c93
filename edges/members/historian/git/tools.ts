/** Historian's tools, each shown as a tool call: git_log, git_commit, git_show, git_blame. */
import { type EmbeddedTurn, type GitEnd, printableLine, type ToolOutcome } from "../../../../src/agents/index.ts";
import { counted } from "../../markdown.ts";
import { cutLine } from "../../search/excerpt.ts";
import { parseBlame, type BlamedLine } from "./blame-lines.ts";
import { blameArgs, blobArgs, commitArgs, logArgs, patchArgs, type LogQuery } from "./args.ts";
import { OUTPUT_BYTES_MAX, runForText, runForTurn } from "./output.ts";
import { createLogRecords, type Commit } from "./log-records.ts";
import { parsePatch, type PatchFile } from "./patch.ts";
import type { Repository } from "./repository.ts";

export interface LogResult {
  /** The newest first. */
  commits: readonly Commit[];
  /** True when the whole available history was searched and nothing was omitted. */
  isWhole: boolean;
  /** True when the time limit was reached. */
  isTimedOut: boolean;
}

const LOG_MS_MAX = 3_000;
const SHOW_MS_MAX = 2_000;
const BLAME_MS_MAX = 2_500;
const LISTED_MAX = 40;
const SHOWN_LINES_MAX = 60;

/** Rejects only when the turn is stopped: if git fails, the call reports it and the result is empty. */
export async function logTool(
  turn: EmbeddedTurn,
  repository: Repository,
  log: { query: LogQuery; title: string },
): Promise<LogResult> {
  const query = { ...log.query, paths: log.query.paths ?? repository.scope };
  const args = logArgs(query);
  const call = { name: "git_log", args: shownCall(args), title: log.title, kind: "search" as const };
  return orElse(turn, NOTHING, () =>
    turn.tool(call, async (tool) => {
      let shown = 0;
      const records = createLogRecords((commit) => {
        if (shown++ < LISTED_MAX) tool.output(`${describeCommit(commit)}\n`);
      });
      const end = await runForTurn(turn, {
        root: repository.root,
        args,
        timeoutMs: LOG_MS_MAX,
        onOutput: records.push,
      });
      refuseFailed(end, "git log");
      const { commits } = records;
      const isTimedOut = end === "timed_out";
      const isWhole = !isTimedOut && commits.length < query.count;
      const why = isTimedOut
        ? `; stopped after ${LOG_MS_MAX / 1_000} s without searching older history`
        : isWhole
          ? ""
          : ", the limit; there may be more";
      return { value: { commits, isWhole, isTimedOut }, result: `${counted(commits.length, "commit")}${why}.` };
    }),
  );
}

const NOTHING: LogResult = { commits: [], isWhole: true, isTimedOut: false };

/** Existing commits with these ids. */
export async function commitTool(
  turn: EmbeddedTurn,
  repository: Repository,
  ids: readonly string[],
): Promise<Commit[]> {
  if (ids.length === 0) return [];
  const args = commitArgs(ids);
  const title = `Read ${counted(ids.length, "commit")}`;
  return orElse(turn, [], () =>
    turn.tool({ name: "git_commit", args: shownCall(args), title, kind: "read" }, async () => {
      const records = createLogRecords();
      const end = await runForTurn(turn, {
        root: repository.root,
        args,
        timeoutMs: SHOW_MS_MAX,
        onOutput: records.push,
      });
      refuseFailed(end, "git log");
      return { value: records.commits, result: records.commits.map(describeCommit).join("\n") };
    }),
  );
}

export interface Patch {
  files: readonly PatchFile[];
  /** True when only the beginning of the patch was read. */
  isCut: boolean;
}

export async function patchTool(
  turn: EmbeddedTurn,
  repository: Repository,
  { commit, pickaxe = "", paths = repository.scope }: { commit: Commit; pickaxe?: string; paths?: readonly string[] },
): Promise<Patch> {
  const args = patchArgs(commit.hash, { pickaxe, paths });
  const call = {
    name: "git_show",
    args: shownCall(args),
    title: `Read the change ${commit.short}`,
    kind: "read" as const,
  };
  return orElse(turn, { files: [], isCut: false }, () =>
    turn.tool(call, async () => {
      const { text, end } = await runForText(turn, { root: repository.root, args, timeoutMs: SHOW_MS_MAX });
      refuseFailed(end, "git show");
      return { value: { files: parsePatch(text), isCut: end !== "done" }, ...firstLines(text.split("\n")) };
    }),
  );
}

export interface LineRange {
  path: string;
  first: number;
  last: number;
  /** Line number and its current text. */
  line: number;
  text: string;
}

export type Blame =
  | { kind: "lines"; lines: readonly BlamedLine[]; line: number }
  | { kind: "uncommitted" }
  | { kind: "unknown" };

/** Authors of the committed versions of these lines; lines that moved within the file are found. */
export async function blameTool(turn: EmbeddedTurn, repository: Repository, range: LineRange): Promise<Blame> {
  const { path, first, last } = range;
  const title = `Who wrote ${printableLine(path)}:${first}-${last}`;
  const call = { name: "git_blame", args: shownCall(blameArgs(path, range)), title, kind: "read" as const };
  return orElse<Blame>(turn, { kind: "unknown" }, () =>
    turn.tool(call, async (): Promise<ToolOutcome<Blame>> => {
      const blob = await runForText(turn, {
        root: repository.root,
        args: blobArgs(path),
        timeoutMs: SHOW_MS_MAX,
        bytesMax: BLOB_BYTES_MAX,
      });
      const committed = blob.end === "done" ? linesOf(blob.text) : [];
      const line = nearestLine(committed, range);
      if (line === undefined) return { value: { kind: "uncommitted" }, result: "Not committed yet." };
      const moved = line - range.line;
      const args = blameArgs(path, {
        first: Math.max(1, first + moved),
        last: Math.min(committed.length, last + moved),
      });
      const { text, end } = await runForText(turn, { root: repository.root, args, timeoutMs: BLAME_MS_MAX });
      if (end === "timed_out")
        throw new Error(`git blame did not finish within ${BLAME_MS_MAX / 1_000} s and was stopped.`);
      refuseFailed(end, "git blame");
      const lines = parseBlame(text);
      return { value: { kind: "lines", lines, line }, ...firstLines(lines.map(describeBlamed)) };
    }),
  );
}

/** Larger files are neither searched nor blamed. */
const BLOB_BYTES_MAX = 1024 * 1024 + 1;

function linesOf(text: string): string[] {
  const lines = text.split("\n").map((line) => line.replace(/\r$/, ""));
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** The nearest committed line with the same text; undefined if there is none. */
function nearestLine(committed: readonly string[], { line, text }: LineRange): number | undefined {
  let best: number | undefined;
  for (const [index, one] of committed.entries()) {
    if (one !== text) continue;
    if (best === undefined || Math.abs(index + 1 - line) < Math.abs(best - line)) best = index + 1;
  }
  return best;
}

function refuseFailed(end: GitEnd, what: string): void {
  if (end === "failed" || end === "absent") throw new Error(`${what} failed.`);
}

/** A failed tool reports it in its call; the answer continues with the other results. */
async function orElse<Value>(turn: EmbeddedTurn, otherwise: Value, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch {
    turn.signal.throwIfAborted();
    return otherwise;
  }
}

function shownCall(args: readonly string[]): { argv: string[] } {
  return { argv: ["git", ...args].map((word) => printableLine(word).slice(0, 200)) };
}

function describeCommit(commit: Commit): string {
  return printableLine(`${commit.short} ${commit.date} ${commit.author}: ${commit.subject.slice(0, 200)}`);
}

function describeBlamed({ line, text, by }: BlamedLine): string {
  return cutLine(`${by.hash.slice(0, 8)} ${by.date} ${by.author} ${line}) ${text}`);
}

function firstLines(lines: readonly string[]) {
  const shown = lines.slice(0, SHOWN_LINES_MAX).map(cutLine).join("\n");
  const totalBytes = lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
  const shownBytes = Math.min(Buffer.byteLength(shown), totalBytes);
  const isAll = lines.length <= SHOWN_LINES_MAX && totalBytes < OUTPUT_BYTES_MAX;
  return { result: shown, ...(isAll ? {} : { truncated: { totalBytes, shownBytes } }) };
}
