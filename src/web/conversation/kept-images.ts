/** Pictures that were fetched, by their hash: a row that is scrolled out and back shows the same one. The oldest go first. */
const KEPT_MAX = 60;
const kept = new Map<string, string>();

export function keptImage(sha256: string): string | undefined {
  return kept.get(sha256);
}

export function keepImage(sha256: string, image: Blob): string {
  const known = kept.get(sha256);
  if (known !== undefined) return known;
  const url = URL.createObjectURL(image);
  kept.set(sha256, url);
  const [oldest] = kept;
  if (kept.size > KEPT_MAX && oldest !== undefined) {
    kept.delete(oldest[0]);
    URL.revokeObjectURL(oldest[1]);
  }
  return url;
}
