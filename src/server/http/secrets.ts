/** The token of a launch and the one-time codes a browser exchanges for it. 256 random bits each. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../kit/clock.ts";

const SECRET_BYTES = 32;
/** How long a code may be exchanged. */
const CODE_LIFE_MS = 60_000;
/** More codes than this at a time is nobody's browser; the oldest goes. */
const CODES_MAX = 16;

export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString("base64url");
}

/** Whether it could be one of ours. */
export function isSecret(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}

/** Takes the same time wherever the two differ, also when their lengths do. */
export function isSameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(hash(given), hash(expected));
}

export interface OneTimeCodes {
  issue(): string;
  /** True once for each code, within its life. */
  redeem(code: string): boolean;
}

export function createOneTimeCodes(clock: Clock): OneTimeCodes {
  let open: { code: string; endsMs: number }[] = [];
  return {
    issue() {
      const code = newSecret();
      open = [...open, { code, endsMs: clock.monotonic() + CODE_LIFE_MS }].slice(-CODES_MAX);
      return code;
    },
    redeem(given) {
      open = open.filter((one) => one.endsMs >= clock.monotonic());
      const matches = open.filter((one) => isSameSecret(given, one.code));
      open = open.filter((one) => !matches.includes(one));
      return matches.length > 0;
    },
  };
}

function hash(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
