import type { Head } from "../model.ts";
import { isRunning, membersInOrder } from "./head.ts";

/** Nothing is said and nobody is about to speak by itself. What was paused waits for the user. */
export function isQuiet(head: Head): boolean {
  if (isRunning(head)) return false;
  if (head.council.state === "paused") return true;
  return head.council.state !== "running" && !membersInOrder(head).some((member) => member.state !== "idle");
}
