/** Ids that sort by time. Monotonic inside one process, also within a millisecond and when the clock goes back. */
import { monotonicFactory } from "ulid";

/** Asking the system for every single byte costs more than the rest of an id. */
const POOL_BYTES = 4_096;
const pool = new Uint8Array(POOL_BYTES);
let used = POOL_BYTES;

/** In [0, 1), from one byte; an id takes five bits of it. */
function random(): number {
  if (used === POOL_BYTES) {
    crypto.getRandomValues(pool);
    used = 0;
  }
  return (pool[used++] ?? 0) / 256;
}

export const newId: () => string = monotonicFactory(random);

/** What begins with a higher number names a time that no clock comes to, and cannot be decoded. */
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

export function isUlid(value: string): boolean {
  return ULID.test(value);
}
