/**
 * Files whose lines form a tree: which of them lead to the end of the conversation, and which were left behind.
 * Promises: ends for every input, also for parents that form a circle or are missing, and for ids that occur twice.
 */
export interface Leaf {
  /** Where it stands in the file. */
  readonly number: number;
  readonly id: string;
  readonly parentId: string | undefined;
}

export interface Branch<Node extends Leaf> {
  /** From the first to the last of the branch that was spoken last. */
  readonly path: readonly Node[];
  /** Nodes that are on other branches, in their order. */
  readonly left: readonly Node[];
  /** Some parent on the path is missing, or the parents form a circle; the lines before stood in. */
  readonly isBroken: boolean;
}

/** `nodes` in the order of the file, whose last one is where the conversation stands. Of two with one id the later counts. */
export function lastBranch<Node extends Leaf>(nodes: readonly Node[]): Branch<Node> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const known = nodes.filter((node) => byId.get(node.id) === node);
  const before = new Map(known.map((node, at) => [node, known[at - 1]]));
  const path = new Set<Node>();
  let isBroken = false;
  for (let node = known.at(-1); node !== undefined && !path.has(node);) {
    path.add(node);
    const { parentId } = node;
    const parent: Node | undefined = parentId === undefined ? undefined : byId.get(parentId);
    // A parent that is not there, or that comes again, is taken to be the line before.
    const isLost: boolean = parentId !== undefined && (parent === undefined || path.has(parent));
    if (isLost) isBroken = true;
    node = isLost ? before.get(node) : parent;
  }
  return { path: [...path].toReversed(), left: known.filter((one) => !path.has(one)), isBroken };
}

/** How many of the nodes that were left stood before each one of the path, or after the last. Both in the file's order. */
export function forksOf<Node extends Leaf>(
  path: readonly Node[],
  left: readonly Node[],
): ReadonlyMap<Node | undefined, number> {
  const forks = new Map<Node | undefined, number>();
  let at = 0;
  for (const node of left) {
    while (at < path.length && (path[at]?.number ?? 0) < node.number) at += 1;
    forks.set(path[at], (forks.get(path[at]) ?? 0) + 1);
  }
  return forks;
}
