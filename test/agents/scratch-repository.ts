/** Git repositories made for one test: fixed authors and days, and none of the user's own settings. */
import { execFileSync } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { scratchTree } from "./scratch-tree.ts";

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
    timeout: 20_000,
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
  const ids: string[] = [];
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
    git(root, ["add", "--all"]);
    git(root, ["commit", "--quiet", "--allow-empty", "--file=-"], {
      input: message,
      env: { GIT_AUTHOR_NAME: by, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date },
    });
    ids.push(git(root, ["rev-parse", "--short", "HEAD"]).trim());
  }
  return ids;
}

export async function scratchRepository(
  commits: readonly ScratchCommit[] = [],
): Promise<{ root: string; ids: string[] }> {
  const root = await scratchTree();
  git(root, ["init", "--quiet", "--initial-branch=main"]);
  return { root, ids: await commitAll(root, commits) };
}
