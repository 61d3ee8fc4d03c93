/** Touched files as a tree of directories, with what is below them summed up. */
import type { ChangedFile, TouchedFile } from "../../protocol/index.ts";

export interface TreeNode {
  /** Of a directory that has nothing but one directory: both names. */
  readonly name: string;
  readonly path: string;
  readonly members: readonly string[];
  readonly added?: number;
  readonly removed?: number;
  /** Absent for a file. */
  readonly children?: readonly TreeNode[];
}

interface Leaf extends Omit<TreeNode, "name" | "children"> {
  readonly segments: readonly string[];
}

export function touchedTree(files: readonly TouchedFile[], changes: readonly ChangedFile[]): TreeNode[] {
  const counts = new Map(changes.map((file) => [file.path, file]));
  const leaves = files.map(({ path, members }): Leaf => {
    const { added, removed } = counts.get(path) ?? {};
    const lines = added === undefined || removed === undefined ? {} : { added, removed };
    return { path, segments: path.split("/"), members: members.map(({ name }) => name), ...lines };
  });
  return nodesAt(leaves, 0);
}

/** Directories before files, by name. */
function nodesAt(leaves: readonly Leaf[], depth: number): TreeNode[] {
  const inside = leaves.filter(({ segments }) => segments.length > depth + 1);
  const here = leaves.filter(({ segments }) => segments.length === depth + 1);
  const groups = [...Map.groupBy(inside, ({ segments }) => segments[depth] ?? "")].sort(([a], [b]) => (a < b ? -1 : 1));
  const directories = groups.map(([name, below]) => directory(name, below, depth));
  const files = here.map(({ segments, ...leaf }): TreeNode => Object.assign({ name: segments[depth] ?? "" }, leaf));
  return [...directories, ...files.sort((a, b) => (a.name < b.name ? -1 : 1))];
}

function directory(name: string, below: readonly Leaf[], depth: number): TreeNode {
  const children = nodesAt(below, depth + 1);
  const [only] = children;
  if (children.length === 1 && only?.children !== undefined) return { ...only, name: `${name}/${only.name}` };
  const sum = (key: "added" | "removed") => below.reduce((total, leaf) => total + (leaf[key] ?? 0), 0);
  const isChanged = below.some(({ added }) => added !== undefined);
  return {
    name,
    path: (below[0]?.segments ?? []).slice(0, depth + 1).join("/"),
    members: [...new Set(below.flatMap(({ members }) => members))],
    ...(isChanged ? { added: sum("added"), removed: sum("removed") } : {}),
    children,
  };
}
