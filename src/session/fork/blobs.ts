/** The bodies outside the log that an event names, wherever in it: known by the form of a reference, not by its place. */
import type { SessionEvent } from "../../protocol/index.ts";

const SHA256 = /^[0-9a-f]{64}$/;
/** Deeper than any event of ours names one. */
const DEPTH_MAX = 8;

export function blobsIn(event: SessionEvent): string[] {
  const hashes: string[] = [];
  collect(event, hashes, 0);
  return hashes;
}

function collect(value: unknown, hashes: string[], depth: number): void {
  if (typeof value !== "object" || value === null || depth > DEPTH_MAX) return;
  const { sha256, bytes } = value as { sha256?: unknown; bytes?: unknown };
  if (typeof sha256 === "string" && typeof bytes === "number" && SHA256.test(sha256)) hashes.push(sha256);
  for (const one of Object.values(value)) collect(one, hashes, depth + 1);
}
