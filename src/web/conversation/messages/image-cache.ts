/** Pictures that were fetched, by their hash: a row that is scrolled out and back shows the same one. The oldest go first. */
const CACHE_MAX = 60;
const cache = new Map<string, string>();

export function cachedImage(sha256: string): string | undefined {
  return cache.get(sha256);
}

export function cacheImage(sha256: string, image: Blob): string {
  const known = cache.get(sha256);
  if (known !== undefined) return known;
  const url = URL.createObjectURL(image);
  cache.set(sha256, url);
  const [oldest] = cache;
  if (cache.size > CACHE_MAX && oldest !== undefined) {
    cache.delete(oldest[0]);
    URL.revokeObjectURL(oldest[1]);
  }
  return url;
}
