/** Checks whether there is a history to read, and explains why not. */
import { dirname, join } from "node:path";
import { hasGit } from "../../../../src/kit/files/checkout-directories.ts";
import type { EmbeddedTurn, TextReader, ToolOutcome } from "../../../../src/agents/index.ts";
import { inlineCode } from "../../markdown.ts";
import { HEAD_ARGS, STATE_ARGS } from "./args.ts";
import { runForText } from "./output.ts";

/** A repository with at least one commit, relative to the session's directory. */
export interface Repository {
  /** The directory of the session, links resolved. */
  readonly root: string;
  readonly reader: TextReader;
  /** False for a bare repository. */
  readonly hasWorkTree: boolean;
  /** A shallow clone: older commits are missing. */
  readonly isShallow: boolean;
  /** Path filter for git: the session's directory if it is a subdirectory of the repository, else none. */
  readonly scope: readonly string[];
}

export type RepositoryProbe = { kind: "repository"; repository: Repository } | { kind: "none"; why: string };

const STATE_MS_MAX = 3_000;

export function probeRepositoryTool(
  turn: EmbeddedTurn,
  { root, reader }: { root: string; reader: TextReader },
): Promise<RepositoryProbe> {
  const call = {
    name: "git_state",
    args: { argv: ["git", ...STATE_ARGS] },
    title: "Look for a git repository",
    kind: "read" as const,
  };
  return turn.tool(call, async (): Promise<ToolOutcome<RepositoryProbe>> => {
    const ask = (args: readonly string[]) => runForText(turn, { root, args, timeoutMs: STATE_MS_MAX });
    const [state, head] = await Promise.all([ask(STATE_ARGS), ask(HEAD_ARGS)]);
    const why = whyNot(root, state.end, head.end);
    if (why !== undefined) return { value: { kind: "none", why }, result: why };
    const [isInside, isShallow, prefix] = state.text.split("\n");
    const repository: Repository = {
      root,
      reader,
      hasWorkTree: isInside === "true",
      isShallow: isShallow === "true",
      scope: (prefix ?? "") === "" ? [] : ["."],
    };
    const result = `A repository${repository.isShallow ? ", shallow" : ""}, at commit ${head.text.trim().slice(0, 12)}.`;
    return { value: { kind: "repository", repository }, result };
  });
}

function whyNot(root: string, state: string, head: string): string | undefined {
  if (state === "absent")
    return "Git is not installed on this machine, so I have no history to read. Install it and ask again.";
  if (state === "timed_out")
    return `git did not answer within ${STATE_MS_MAX / 1_000} s, so I have no history to read.`;
  if (state !== "done") {
    const dotGit = findDotGit(root);
    return dotGit === undefined
      ? "This directory is not in a git repository, so there is no history to read. Open the session in one, or create one with `git init`."
      : `There is ${inlineCode(dotGit)}, but git cannot read it: it may belong to another user (see \`safe.directory\` in \`git help config\`) or be damaged.`;
  }
  return head === "done" ? undefined : "This git repository has no commits yet, so there is no history to read.";
}

/** By name only, for the explanation; its content is not read. */
function findDotGit(root: string): string | undefined {
  for (let at = root; ; at = dirname(at)) {
    if (hasGit(at)) return join(at, ".git");
    if (dirname(at) === at) return undefined;
  }
}
