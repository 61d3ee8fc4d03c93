/** ULIDs: sort by time, monotonic within a process even in the same millisecond and when the clock goes back. */
import { monotonicFactory, ulid } from "ulid";

/** One system call per byte would dominate the cost of an id. */
const POOL_BYTES = 4_096;
const pool = new Uint8Array(POOL_BYTES);
let used = POOL_BYTES;

/** In [0, 1), from one byte; the generator uses five bits of it. */
function random(): number {
  if (used === POOL_BYTES) {
    crypto.getRandomValues(pool);
    used = 0;
  }
  return (pool[used++] ?? 0) / 256;
}

export const newId: () => string = monotonicFactory(random);

/** By the clock of somebody else, such as a database that several machines share. */
export function newIdAt(ms: number): string {
  return ulid(ms, random);
}

/** A higher first digit encodes a time beyond the ULID range, which cannot be decoded. */
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

export function isUlid(value: string): boolean {
  return ULID.test(value);
}
