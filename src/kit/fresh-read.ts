/**
 * Reads something again for callers that need to know what happened before they called. One read at a time, and one more
 * for all who call while it is under way: it may have begun too early for them.
 */
export function createFreshRead(read: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const begin = (): Promise<void> => {
    current = read().finally(() => (current = undefined));
    return current;
  };
  return () => {
    if (next !== undefined) return next;
    if (current === undefined) return begin();
    next = current
      // Whoever waits for that one is told of its failure.
      .catch(() => {})
      .then(() => {
        next = undefined;
        return begin();
      });
    return next;
  };
}
