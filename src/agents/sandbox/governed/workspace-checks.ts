/**
 * A workspace is checked for files of sandboxed members before another member's program starts there. Our own
 * git needs no check: it runs nothing that a repository names.
 */
import { isInside } from "../../tools/inside.ts";

interface WorkspaceCheck {
  /** Real path of the workspace. */
  readonly root: string;
  /** Moves unapproved files away. Returns the reason when one could not be moved. */
  readonly run: (starting: string) => string | undefined;
}

const checks = new Set<WorkspaceCheck>();

/** Until the returned function is called. */
export function addWorkspaceCheck(check: WorkspaceCheck): () => void {
  checks.add(check);
  return () => void checks.delete(check);
}

/** Why the member's program must not be started in the directory now; undefined when it may. */
export function whyNotStart(directory: string, member: string): string | undefined {
  for (const { root, run } of checks) {
    const isShared = isInside(root, directory) || isInside(directory, root);
    const why = isShared ? run(member) : undefined;
    if (why !== undefined) return why;
  }
  return undefined;
}
