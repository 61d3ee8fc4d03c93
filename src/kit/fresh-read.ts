/**
 * Reads a value for callers that need its state from after their call. One read at a time: a call during a read waits
 * for the next one, which all such callers share, because the running read may have begun too early.
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
      // Callers that wait for that read get its error.
      .catch(() => {})
      .then(() => {
        next = undefined;
        return begin();
      });
    return next;
  };
}
