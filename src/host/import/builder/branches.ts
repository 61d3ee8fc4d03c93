/**
 * Files whose lines form a tree: finds the branch that leads to the end of the conversation, and the abandoned ones.
 * Terminates for every input, also for cyclic or missing parents and duplicate ids.
 */
export interface Leaf {
  /** Line number. */
  readonly number: number;
  readonly id: string;
  readonly parentId: string | undefined;
}

export interface Branch<Node extends Leaf> {
  /** From the first to the last node of the latest branch. */
  readonly path: readonly Node[];
  /** Nodes of other branches, in order. */
  readonly left: readonly Node[];
  /** A parent on the path is missing, or parents form a cycle; the preceding lines were used instead. */
  readonly isBroken: boolean;
}

/** `nodes` in file order; the last one is the end of the conversation. Of two with the same id the later one counts. */
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
    // A missing or repeated parent is replaced by the preceding line.
    const isLost: boolean = parentId !== undefined && (parent === undefined || path.has(parent));
    if (isLost) isBroken = true;
    node = isLost ? before.get(node) : parent;
  }
  return { path: [...path].toReversed(), left: known.filter((one) => !path.has(one)), isBroken };
}

/** Number of abandoned nodes before each node of the path, and after the last. Both in file order. */
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
