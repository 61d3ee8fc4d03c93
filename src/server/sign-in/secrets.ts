/** The server's token, one-time codes by which a browser signs in, and the limit of failed attempts. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../kit/clock.ts";
import { NO_LIMITS, type DeviceLimits } from "./principal.ts";

const SECRET_BYTES = 32;
/** Lifetime of a code. */
const CODE_LIFE_MS = 60_000;
/** Open codes at a time; the oldest is dropped. */
const CODES_MAX = 16;

export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString("base64url");
}

/** Whether the text has the form of a secret. */
export function isSecret(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}

/** Constant-time comparison, also for different lengths. */
export function isSameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(hash(given), hash(expected));
}

/** Crockford's letters: none looks like another when read from one screen and typed at the next. */
const TYPED_LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/** 40 random bits: enough for a code that lasts a minute where twenty wrong ones close the door. */
const TYPED_BYTES = 8;

export interface OneTimeCodes {
  /** 256 random bits, for a link. */
  issue(limits?: DeviceLimits): string;
  /** Short enough to type, such as `7KQ2-MX4D`. */
  issueTyped(limits?: DeviceLimits): string;
  /** What it was issued for, once per code, within its lifetime. */
  redeem(code: string): DeviceLimits | undefined;
}

export function createOneTimeCodes(clock: Clock): OneTimeCodes {
  let open: { code: string; limits: DeviceLimits; endsMs: number }[] = [];
  const add = (code: string, limits: DeviceLimits) => {
    open = [...open, { code, limits, endsMs: clock.monotonic() + CODE_LIFE_MS }].slice(-CODES_MAX);
    return code;
  };
  return {
    issue: (limits = NO_LIMITS) => add(newSecret(), limits),
    issueTyped(limits = NO_LIMITS) {
      const code = newTypedCode();
      add(plainCode(code), limits);
      return code;
    },
    redeem(given) {
      open = open.filter((one) => one.endsMs >= clock.monotonic());
      const wanted = plainCode(given);
      const matches = open.filter((one) => isSameSecret(wanted, one.code));
      open = open.filter((one) => !matches.includes(one));
      return matches[0]?.limits;
    },
  };
}

/** Short enough to type, such as `7KQ2-MX4D`. */
export function newTypedCode(): string {
  const code = Array.from(randomBytes(TYPED_BYTES), (byte) => TYPED_LETTERS[byte % 32]).join("");
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}

/** Without the lower case, spaces, dashes and look-alikes that people type. */
export function plainCode(given: string): string {
  if (isSecret(given)) return given;
  return given.toUpperCase().replaceAll(/[\s-]/g, "").replaceAll("O", "0").replaceAll(/[IL]/g, "1");
}

function hash(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

const FAILURES_MAX = 20;
const WINDOW_MS = 10_000;
const SHUT_MS = 10_000;

export const TOO_MANY_FAILURES = "Too many wrong tokens. Try again in ten seconds.";

export interface FailedAttempts {
  /** Counts a failure. False when there are too many: answer 429. */
  note(): boolean;
}

/**
 * Counts wrong tokens and codes of the whole process, because all clients have the same address. Requests with the right
 * token are never affected. `warn` is called once per lockout.
 */
export function createFailedAttempts(clock: Clock, warn: (sentence: string) => void): FailedAttempts {
  let times: number[] = [];
  let shutUntilMs = -Infinity;
  return {
    note() {
      const nowMs = clock.monotonic();
      if (nowMs < shutUntilMs) return false;
      times = [...times.filter((time) => nowMs - time < WINDOW_MS), nowMs];
      if (times.length <= FAILURES_MAX) return true;
      times = [];
      shutUntilMs = nowMs + SHUT_MS;
      warn(
        `More than ${FAILURES_MAX} wrong tokens within ${WINDOW_MS / 1000} seconds; wrong tokens are refused for ${SHUT_MS / 1000} seconds.`,
      );
      return false;
    },
  };
}
