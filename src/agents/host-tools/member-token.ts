/** What a tool server shows to prove whose it is. Never an argument, never in the log. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

export interface MemberToken {
  readonly text: string;
  /** Takes the same time whatever is given. */
  isSame(given: unknown): boolean;
}

export function createMemberToken(): MemberToken {
  const text = randomBytes(32).toString("base64url");
  const expected = digest(text);
  return {
    text,
    isSame: (given) => typeof given === "string" && timingSafeEqual(digest(given), expected),
  };
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
