/** Numbers and lists for people. */

export function formatCount(value: number): string {
  return String(Math.round(value)).replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(bytes < 10 * 1024 ? 1 : 0)} KB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

export function formatTokens(tokens: number): string {
  if (tokens < 1000) return String(Math.round(tokens));
  return tokens < 1_000_000 ? `${trim(tokens / 1000)}k` : `${trim(tokens / 1_000_000)}M`;
}

function trim(value: number): string {
  return value < 100 ? value.toFixed(1).replace(/\.0$/, "") : value.toFixed(0);
}

export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

/** "a", "a and b", "a, b and c". */
export function formatList(names: readonly string[]): string {
  const last = names.at(-1) ?? "";
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} and ${last}`;
}

/** Truncates to `charsMax` characters, the last one "…"; never splits a surrogate pair. */
export function withEllipsis(text: string, charsMax: number): string {
  return text.length > charsMax ? `${text.slice(0, charsMax - 1).replace(/[\uD800-\uDBFF]$/, "")}…` : text;
}
