/** Who a message is for while members work, and what waits although nobody works on it. */
import type { QueueItem } from "../../protocol/index.ts";
import type { Head, MemberState } from "../model.ts";
import { isRunning, membersInOrder } from "./head.ts";

const EVERYONE = "all";

/**
 * Held: after an interrupt or a restart nothing goes out by itself. What waits for members that could take it now waits
 * for the user.
 */
export function isHeld(head: Head, item: Pick<QueueItem, "to">): boolean {
  if (head.settings?.mode === "sequential" && isRunning(head)) return false;
  const addressees = addresseesOf(head, item.to);
  return addressees.length > 0 && addressees.every(({ state }) => state !== "running");
}

/** The members for whom a message is held that has left the queue. */
export function heldMembers(head: Head): string[] {
  if (head.settings?.mode === "sequential" && isRunning(head)) return [];
  return membersInOrder(head)
    .filter(({ state, muted, compacting }) => state === "waiting" && !muted && compacting === undefined)
    .map(({ name }) => name);
}

function addresseesOf(head: Head, to: readonly string[]): MemberState[] {
  const isMeant = (name: string) => to.includes(EVERYONE) || to.includes(name);
  return membersInOrder(head).filter(({ name, muted }) => !muted && isMeant(name));
}
