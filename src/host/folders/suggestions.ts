/**
 * Suggested questions about a folder, from its git repository and files: cheap, without a model. Text that comes from
 * the repository is untrusted.
 */
import { opendir } from "node:fs/promises";
import { printableLine, runGit } from "../../agents/index.ts";
import type { MemberSpec } from "../../protocol/index.ts";

export interface Suggestion {
  /** branch: commits to review. changes: uncommitted. todo: a marked line. churn: a file that changes often. */
  readonly about: "branch" | "changes" | "todo" | "churn" | "start" | "commit" | "risks";
  /** A message that can be sent as it is. */
  readonly text: string;
  /** Why it is suggested. */
  readonly detail: string;
}

export interface FolderFacts {
  /** Absent outside a repository and for a detached HEAD. */
  readonly branch?: string;
  readonly suggestions: readonly Suggestion[];
}

const SUGGESTIONS_MAX = 3;
const TIMEOUT_MS = 2_000;
const OUTPUT_BYTES_MAX = 256 * 1024;
const DETAIL_CHARS_MAX = 80;
const NAME_CHARS_MAX = 120;
const COMMITS_READ = 50;
/** A file changed in fewer of the last commits is not worth a question. */
const CHURN_MIN = 4;
const BASES = ["refs/remotes/origin/HEAD", "refs/heads/main", "refs/heads/master"];
const CHURN_ASKS = "Why does";
const GENERATED = /(?:^|\/)(?:package-lock\.json|.*\.lock|CHANGELOG.*|.*\.(?:svg|png|snap|min\.js))$/i;

/** Where all members are rule-based, only questions that their rules can answer. */
export async function describeFolder(cwd: string, members: readonly MemberSpec[] = []): Promise<FolderFacts> {
  const embedded = members.every(({ kind }) => kind === "embedded") ? members.map(({ name }) => name) : [];
  const [head, base] = await Promise.all([git(cwd, ["symbolic-ref", "--short", "-q", "HEAD"]), findBase(cwd)]);
  const questions = embedded.length > 0 ? await askEmbedded(cwd, embedded) : await askAnyone(cwd, head, base);
  const suggestions = questions.filter((one) => one !== undefined).slice(0, SUGGESTIONS_MAX);
  return { ...(head === undefined ? {} : { branch: oneLine(head, NAME_CHARS_MAX) }), suggestions };
}

async function askAnyone(cwd: string, head: string | undefined, base: string | undefined) {
  return await Promise.all([
    reviewBranch(cwd, head, base),
    reviewChanges(cwd),
    finishTodo(cwd),
    questionChurn(cwd),
    whereToStart(cwd),
    reviewCommit(cwd),
  ]);
}

/** Each question goes to the member whose rules know it. */
async function askEmbedded(cwd: string, names: readonly string[]): Promise<(Suggestion | undefined)[]> {
  const [start, churn, commit] = await Promise.all([whereToStart(cwd), questionChurn(cwd), reviewCommit(cwd)]);
  if (start === undefined && commit === undefined) return [];
  const why = churn && { ...churn, text: `@historian why does${churn.text.slice(CHURN_ASKS.length)}` };
  const last = commit && { ...commit, text: "@historian what changed in the last commit?" };
  const risks: Suggestion = {
    about: "risks",
    text: "@critic review this project",
    detail: "Code without tests, swallowed errors, notes left to do",
  };
  return [
    names.includes("scout") ? start : undefined,
    names.includes("historian") ? (why ?? last) : undefined,
    names.includes("critic") ? risks : undefined,
  ];
}

/** The branch that others are merged into. */
async function findBase(cwd: string): Promise<string | undefined> {
  const refs = (await git(cwd, ["for-each-ref", "--format=%(refname)", ...BASES]))?.split("\n") ?? [];
  return BASES.find((ref) => refs.includes(ref));
}

/** The current branch or, on the base itself, the newest one that is not merged. */
async function reviewBranch(
  cwd: string,
  head: string | undefined,
  base: string | undefined,
): Promise<Suggestion | undefined> {
  if (base === undefined) return undefined;
  const name = base.slice(base.lastIndexOf("/") + 1);
  const isBase = head === undefined || BASES.includes(`refs/heads/${head}`);
  const unmerged = ["for-each-ref", "--sort=-committerdate", "--count=1", "--format=%(refname)", `--no-merged=${base}`];
  const ref = isBase ? await git(cwd, [...unmerged, "refs/heads"]) : `refs/heads/${head}`;
  if (ref === undefined) return undefined;
  const [commits, files] = await Promise.all([
    git(cwd, ["rev-list", "--count", `${base}..${ref}`, "--"]),
    git(cwd, ["diff", "--no-ext-diff", "--no-textconv", "--name-only", `${base}...${ref}`, "--"]),
  ]);
  const ahead = Number(commits ?? 0);
  if (ahead === 0) return undefined;
  const branch = oneLine(ref.slice("refs/heads/".length), NAME_CHARS_MAX);
  const into = name === "HEAD" ? "the default branch" : name;
  return {
    about: "branch",
    text: `Review the branch ${branch} before it merges`,
    detail: `${counted(lines(files).length, "file")} changed, ${counted(ahead, "commit")} ahead of ${into}`,
  };
}

async function reviewChanges(cwd: string): Promise<Suggestion | undefined> {
  const status = lines(await git(cwd, ["status", "--porcelain", "--ignore-submodules", "--", "."]));
  if (status.length === 0) return undefined;
  return {
    about: "changes",
    text: "Review my uncommitted changes",
    detail: `${counted(status.length, "file")} changed in the working tree`,
  };
}

async function finishTodo(cwd: string): Promise<Suggestion | undefined> {
  const note = "^[[:space:]]*(//|#|/?\\*|--) *(TODO|FIXME)[ :(]";
  const grep = ["grep", "-I", "-n", "-m", "1", "--no-textconv", "-E", "-e", note];
  const hits = lines(await git(cwd, [...grep, "--", "."]));
  const [, file = "", line = "", text = ""] =
    hits.map((hit) => /^([^:]+):(\d+):(.*)$/.exec(hit)).find((hit) => hit !== null) ?? [];
  if (file === "") return undefined;
  const [, word = "TODO", rest = ""] = /(TODO|FIXME)\b[\s:]*(.*)$/.exec(text) ?? [];
  return {
    about: "todo",
    text: `Finish the ${word} in ${oneLine(file, NAME_CHARS_MAX)}:${line}`,
    detail: oneLine(rest.replace(/\*\/\s*$/, "").trim(), DETAIL_CHARS_MAX) || "A note in the code",
  };
}

async function questionChurn(cwd: string): Promise<Suggestion | undefined> {
  const log = await git(cwd, ["log", `-n${COMMITS_READ}`, "--format=", "--name-only", "--no-renames", "--", "."]);
  const counts = new Map<string, number>();
  for (const file of lines(log)) if (!GENERATED.test(file)) counts.set(file, (counts.get(file) ?? 0) + 1);
  const [file, count] = [...counts].toSorted((a, b) => b[1] - a[1])[0] ?? ["", 0];
  if (count < CHURN_MIN) return undefined;
  return {
    about: "churn",
    text: `${CHURN_ASKS} ${oneLine(file, NAME_CHARS_MAX)} change so often?`,
    detail: `Changed in ${count} of the last ${COMMITS_READ} commits`,
  };
}

async function whereToStart(cwd: string): Promise<Suggestion | undefined> {
  try {
    for await (const entry of await opendir(cwd)) {
      if (!entry.isFile() || !/^readme/i.test(entry.name)) continue;
      return {
        about: "start",
        text: "What is this project, and where should I start reading?",
        detail: `From ${oneLine(entry.name, NAME_CHARS_MAX)} and the code`,
      };
    }
  } catch {
    // Unreadable: nothing to suggest.
  }
  return undefined;
}

async function reviewCommit(cwd: string): Promise<Suggestion | undefined> {
  const subject = await git(cwd, ["log", "-1", "--format=%s", "--", "."]);
  if (subject === undefined) return undefined;
  return { about: "commit", text: "Review the last commit", detail: oneLine(subject, DETAIL_CHARS_MAX) };
}

/** Trimmed output; undefined when it is empty or git failed. */
async function git(cwd: string, args: readonly string[]): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const { signal } = new AbortController();
  const end = await runGit({
    cwd,
    args,
    signal,
    timeoutMs: TIMEOUT_MS,
    onOutput(chunk) {
      chunks.push(chunk);
      bytes += chunk.length;
      return bytes < OUTPUT_BYTES_MAX;
    },
  });
  const output = Buffer.concat(chunks).toString("utf8").trim();
  return (end === "done" || end === "enough") && output !== "" ? output : undefined;
}

function lines(output: string | undefined): string[] {
  return output === undefined ? [] : output.split("\n").filter((line) => line !== "");
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

/** Names and notes in a repository may be anything. */
function oneLine(text: string, max: number): string {
  const line = printableLine(text);
  return line.length > max ? `${line.slice(0, max - 1)}…` : line;
}
