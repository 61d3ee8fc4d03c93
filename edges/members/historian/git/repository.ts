/** Looks whether there is a history to read here, and says plainly why not. */
import { dirname, join } from "node:path";
import { hasGit } from "../../../../src/kit/files/checkout-directories.ts";
import type { EmbeddedTurn, TextReader, ToolOutcome } from "../../../../src/agents/index.ts";
import { inlineCode } from "../../markdown.ts";
import { HEAD_ARGS, STATE_ARGS } from "./args.ts";
import { runForText } from "./output.ts";

/** A repository with at least one commit, seen from the directory of the session. */
export interface Repository {
  /** The directory of the session, links resolved. */
  readonly root: string;
  readonly reader: TextReader;
  /** Without one there are commits and no files. */
  readonly hasWorkTree: boolean;
  /** Older commits exist and are not here. */
  readonly isShallow: boolean;
  /** What git is asked about: the directory when it is a part of the repository, else nothing, which means all. */
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
    if (why !== null) return { value: { kind: "none", why }, result: why };
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

function whyNot(root: string, state: string, head: string): string | null {
  if (state === "absent")
    return "There is no git on this machine, so I have no history to read. Install git and ask again.";
  if (state === "timed_out")
    return `git did not answer within ${STATE_MS_MAX / 1_000} s, so I have no history to read.`;
  if (state !== "done") {
    const dotGit = findDotGit(root);
    return dotGit === null
      ? "This directory is not in a git repository, so there is no history to read. Open the session in one, or begin one with `git init`."
      : `There is ${inlineCode(dotGit)}, but git cannot read it: it may belong to another user (see \`safe.directory\` in \`git help config\`) or be damaged.`;
  }
  return head === "done" ? null : "This git repository has no commits yet, so there is no history to read.";
}

/** By name only, so that the reason can be told; nothing in it is read. */
function findDotGit(root: string): string | null {
  for (let at = root; ; at = dirname(at)) {
    if (hasGit(at)) return join(at, ".git");
    if (dirname(at) === at) return null;
  }
}
