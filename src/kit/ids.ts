/** Ids that sort by time. Monotonic inside one process, also within a millisecond and when the clock goes back. */
import { monotonicFactory } from "ulid";

export const newId: () => string = monotonicFactory();

const ULID = /^[0-9A-HJKMNP-TV-Z]{26}$/;

export function isUlid(value: string): boolean {
  return ULID.test(value);
}
