/** The id of a child agent, which names its file: a turn's own where that is one, else always the same one for the turn. */
import { createHash } from "node:crypto";
import { isUlid } from "../../../src/kit/ids.ts";

const BASE32 = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const TIME_CHARS = 10;

export function childId(sessionId: string, turnId: string, ts: number): string {
  if (isUlid(turnId)) return turnId;
  let left = Math.max(0, Math.floor(ts));
  let time = "";
  for (let digit = 0; digit < TIME_CHARS; digit += 1) {
    time = `${BASE32[left % 32] ?? "0"}${time}`;
    left = Math.floor(left / 32);
  }
  const digest = createHash("sha256").update(`${sessionId}\n${turnId}`).digest();
  return time + [...digest.subarray(0, 16)].map((byte) => BASE32[byte % 32] ?? "0").join("");
}
