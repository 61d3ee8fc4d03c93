/** Directory and branch for the status line. */
import { homedir } from "node:os";
import type { ScreenOptions } from "../../tui/index.ts";

const TIMEOUT_MS = 2_000;
const BRANCH_LINE = /^## (?:No commits yet on )?(.+?)(?:\.\.\..*)?$/;

/** Without git, or outside a repository, only the directory. */
export function createDescribeDirectory(
  startCwd: () => Promise<string>,
): NonNullable<ScreenOptions["describeDirectory"]> {
  return async (given) => {
    const cwd = given ?? (await startCwd());
    const path = shortPath(cwd, homedir());
    const { runGit } = await import("../../agents/index.ts");
    let output = "";
    const end = await runGit({
      args: ["status", "--porcelain", "--branch", "--ignore-submodules"],
      cwd,
      signal: new AbortController().signal,
      timeoutMs: TIMEOUT_MS,
      onOutput(bytes) {
        output += bytes.toString("utf8");
        // The branch, and whether there is any change.
        return output.indexOf("\n") === output.lastIndexOf("\n");
      },
    });
    const [first = "", second = ""] = output.split("\n");
    const branch = BRANCH_LINE.exec(first)?.[1];
    if (end === "absent" || branch === undefined) return { path };
    return { path, branch: branch.startsWith("HEAD ") ? "a detached HEAD" : branch, isDirty: second !== "" };
  };
}

function shortPath(path: string, home: string): string {
  if (path === home) return "~";
  return home !== "" && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
