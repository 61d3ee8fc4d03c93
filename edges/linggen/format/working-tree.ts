/** Files that running agents work on, as a tree under the project's name. Names only; nothing is read. */
import type { Transcript } from "../../../src/transcript/index.ts";
import { agentsOfTurns } from "./agent-ids.ts";
import { fileOf, toolLineOf } from "./tool-lines.ts";
import { toSeconds } from "./ui-message.ts";

const ENTRIES_MAX = 500;
const DEPTH_MAX = 24;

interface Directory {
  readonly type: "dir";
  readonly path?: string;
  readonly children: Record<string, Directory | WorkedFile>;
}

interface WorkedFile {
  readonly type: "file";
  readonly agent: string;
  readonly status: "working";
  readonly path: string;
  readonly last_modified: number;
}

export function workingTree(projectRoot: string, transcripts: readonly Transcript[]): Record<string, Directory> {
  const name = projectRoot.split("/").findLast((part) => part !== "") ?? "unknown";
  const root: Directory = { type: "dir", path: projectRoot, children: emptyChildren() };
  let entries = 0;
  for (const file of transcripts.flatMap((transcript) => workedFiles(projectRoot, transcript))) {
    if (entries >= ENTRIES_MAX) break;
    entries += 1;
    insertFile(root, file);
  }
  return { [name]: root };
}

function workedFiles(projectRoot: string, { head }: Transcript): WorkedFile[] {
  const turns = Object.values(head.openTurns);
  const agents = agentsOfTurns(turns);
  return turns.flatMap((turn) =>
    turn.blocks.flatMap((block): WorkedFile[] => {
      const named = block.kind === "tool" ? fileOf(toolLineOf(block)) : undefined;
      const path = named === undefined ? undefined : insideOf(projectRoot, named);
      if (block.kind !== "tool" || path === undefined) return [];
      const agent = agents.get(turn.turnId)?.agent ?? turn.member;
      return [{ type: "file", agent, status: "working", path, last_modified: toSeconds(block.startTs) }];
    }),
  );
}

/** Relative to the project; undefined outside it or beyond the depth limit. */
function insideOf(projectRoot: string, named: string): string | undefined {
  const isAbsolute = named.startsWith("/");
  if (isAbsolute && !named.startsWith(`${projectRoot}/`)) return undefined;
  const segments = (isAbsolute ? named.slice(projectRoot.length) : named)
    .split("/")
    .filter((part) => part !== "" && part !== ".");
  return segments.length === 0 || segments.length > DEPTH_MAX || segments.includes("..")
    ? undefined
    : segments.join("/");
}

function insertFile(root: Directory, file: WorkedFile): void {
  const segments = file.path.split("/");
  const last = segments.pop() ?? "";
  let at = root;
  for (const part of segments) {
    const existing = at.children[part];
    const next: Directory = existing?.type === "dir" ? existing : { type: "dir", children: emptyChildren() };
    at.children[part] = next;
    at = next;
  }
  at.children[last] = file;
}

/** Without a prototype, since file names may be anything. */
function emptyChildren(): Record<string, Directory | WorkedFile> {
  return Object.create(null) as Record<string, Directory | WorkedFile>;
}
