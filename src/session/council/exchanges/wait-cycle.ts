/** Who waits for whom. As long as nobody is let into a circle, somebody can always go on. */
export interface Waiting {
  readonly from: string;
  readonly to: string;
}

/**
 * The members on the way from `to` back to `from`, both included, when waiting would close a circle; undefined when it
 * would not. A member runs one turn at a time, so who waits for a member waits for whatever that one waits for.
 */
export function waitCycle(waiting: readonly Waiting[], { from, to }: Waiting): readonly string[] | undefined {
  const seen = new Set<string>();
  const paths: (readonly string[])[] = [[to]];
  for (let path = paths.pop(); path !== undefined; path = paths.pop()) {
    const last = path.at(-1) ?? to;
    if (last === from) return path;
    if (seen.has(last)) continue;
    seen.add(last);
    for (const edge of waiting) if (edge.from === last) paths.push([...path, edge.to]);
  }
  return undefined;
}
