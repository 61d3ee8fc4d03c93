/** Git repositories made for one test: fixed authors and days, and none of the user's own settings. */
import { execFileSync } from "node:child_process";
import { cp, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { scratchTree } from "./scratch-tree.ts";
import { patient } from "../patience.ts";

export interface ScratchCommit {
  by: string;
  day: string;
  message: string;
  /** Null deletes the file. */
  files: Readonly<Record<string, string | null>>;
}

export function git(
  cwd: string,
  args: readonly string[],
  { env = {}, input = "" }: { env?: Readonly<Record<string, string>>; input?: string } = {},
): string {
  return execFileSync("git", [...args], {
    cwd,
    encoding: "utf8",
    input,
    stdio: ["pipe", "pipe", "pipe"],
    timeout: patient(20_000),
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: "/nonexistent",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_AUTHOR_NAME: "Nobody",
      GIT_AUTHOR_EMAIL: "nobody@example.org",
      GIT_COMMITTER_NAME: "Nobody",
      GIT_COMMITTER_EMAIL: "nobody@example.org",
      ...env,
    },
  });
}

/** The short ids of the commits come back in the order they were made. */
export async function commitAll(root: string, commits: readonly ScratchCommit[]): Promise<string[]> {
  for (const { by, day, message, files } of commits) {
    for (const [path, content] of Object.entries(files)) {
      const full = join(root, path);
      if (content === null) {
        await rm(full);
        continue;
      }
      await mkdir(dirname(full), { recursive: true });
      await writeFile(full, content);
    }
    const date = `${day}T12:00:00+00:00`;
    if (Object.keys(files).length > 0) git(root, ["add", "--all"]);
    git(root, ["commit", "--quiet", "--allow-empty", "--file=-"], {
      input: message,
      env: { GIT_AUTHOR_NAME: by, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date },
    });
  }
  if (commits.length === 0) return [];
  return git(root, ["log", "--reverse", "--format=%h", `--max-count=${commits.length}`])
    .trim()
    .split("\n");
}

export interface ScratchRepository {
  root: string;
  ids: string[];
}

export async function scratchRepository(commits: readonly ScratchCommit[] = []): Promise<ScratchRepository> {
  return begin(await scratchTree(), commits);
}

async function begin(root: string, commits: readonly ScratchCommit[]): Promise<ScratchRepository> {
  git(root, ["init", "--quiet", "--initial-branch=main"]);
  return { root, ids: await commitAll(root, commits) };
}

/** One repository for the tests of a file: `shared` is only read, a `copy` is one test's own. */
export function repositoryOfFile(commits: readonly ScratchCommit[]): {
  shared(): ScratchRepository;
  copy(): Promise<ScratchRepository>;
} {
  let made: ScratchRepository = { root: "", ids: [] };
  beforeAll(async () => {
    made = await begin(await realpath(await mkdtemp(join(tmpdir(), "scout-"))), commits);
  });
  afterAll(() => rm(made.root, { recursive: true, force: true }));
  return {
    shared: () => made,
    async copy() {
      const root = await scratchTree();
      await cp(made.root, root, { recursive: true });
      return { root, ids: made.ids };
    },
  };
}
