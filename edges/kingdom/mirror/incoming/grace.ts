/** Grace period for a message of another program, to see which members that program asks itself. */

/** A program asks right after it has written the message. */
export const GRACE_MS = 2_000;
/** Once one member is asked there, the others follow immediately or never. */
const GRACE_FOLLOWING_MS = 500;
/** A chat screen reuses its streams, so its question is invisible until the first text. */
const GRACE_BESIDE_CHAT_MS = 10_000;

export interface Waited {
  readonly sinceMs: number;
  /** Time at which the first member was seen being asked there. */
  readonly firstBusyMs: number | undefined;
  readonly nowMs: number;
  readonly graceMs: number;
  /** A chat screen is open and may ask a recipient of the message. */
  readonly isBesideChat: boolean;
}

export function isWaitOver({ sinceMs, firstBusyMs, nowMs, graceMs, isBesideChat }: Waited): boolean {
  if (firstBusyMs !== undefined && nowMs - firstBusyMs >= Math.min(GRACE_FOLLOWING_MS, graceMs)) return true;
  return nowMs - sinceMs >= (isBesideChat ? Math.max(GRACE_BESIDE_CHAT_MS, graceMs) : graceMs);
}
