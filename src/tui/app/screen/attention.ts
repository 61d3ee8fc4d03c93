/** What happened between two pictures that a user who looks elsewhere wants to be told. */
import { describeRequest, isRunning, type Transcript } from "../../../transcript/index.ts";

export function attentionFor(before: Transcript | undefined, now: Transcript): string | undefined {
  if (before === undefined || before.head.sessionId !== now.head.sessionId) return undefined;
  const known = new Set(before.head.requests.map((request) => request.requestId));
  const newRequest = now.head.requests.find((request) => !known.has(request.requestId));
  if (newRequest !== undefined) return `${newRequest.member} asks: ${describeRequest(newRequest).what}`;
  if (isRunning(before.head) && !isRunning(now.head)) return `${now.head.title}: everyone is done`;
  return undefined;
}
