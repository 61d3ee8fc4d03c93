import { expect, test } from "vitest";
import type { SessionSummary } from "../../protocol/index.ts";
import { waitingIn, waitingOf } from "./inbox.ts";

const summary = (sessionId: string, waiting?: number) =>
  ({ sessionId, ...(waiting === undefined ? {} : { waiting }) }) as SessionSummary;
const request = (sessionId: string, requestId: string) => ({
  sessionId,
  requestId,
  member: "a",
  request: { method: "confirm", title: "", message: "" } as const,
});

test("the inbox is asked for again exactly when the list counts other requests than it holds", () => {
  const inbox = [request("b", "1"), request("a", "2"), request("b", "3")];
  expect(waitingIn([summary("a", 1), summary("b", 2), summary("c")])).toBe(waitingOf(inbox));
  expect(waitingIn([summary("a", 1), summary("b", 1)])).not.toBe(waitingOf(inbox));
  expect(waitingIn([summary("c")])).toBe(waitingOf([]));
});
