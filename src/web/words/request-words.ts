/** How a request and its fate are said. */
import { safeDefault } from "../../protocol/index.ts";
import { describeRequest, type Block, type OpenRequest } from "../../transcript/index.ts";
import { durationOf } from "./amounts.ts";
import { inPlainSight } from "./plain-sight.ts";
import { withEllipsis } from "../../kit/ellipsis.ts";

export type RequestBlock = Extract<Block, { kind: "request" }>;

const OUTCOME_CHARS_MAX = 200;

/** "$ cargo test · allowed once". */
export function requestWords(block: RequestBlock): string {
  return inPlainSight(`${withEllipsis(describeRequest(block).what, OUTCOME_CHARS_MAX)} · ${outcomeWords(block)}`);
}

/** "allowed once". */
export function outcomeWords(block: RequestBlock): string {
  return inPlainSight(withEllipsis(describeRequest(block).outcome.text, OUTCOME_CHARS_MAX));
}

/** By the name it gave itself, or the end of its id; empty when nobody answered. */
export function answererWords({ answer }: RequestBlock): string {
  if (answer === undefined) return "";
  return answer.by ?? (answer.clientId === undefined ? "another client" : nameClient("client", answer.clientId));
}

/** What others are told about who answered: the end of an id tells two of a kind apart. */
export function nameClient(kind: string, clientId: string): string {
  return `${kind} ${clientId.slice(-4)}`;
}

/** What becomes of a request that nobody answers, and when. */
export function leftWords(
  { ts, timeoutMs, request }: Pick<OpenRequest, "ts" | "timeoutMs" | "request">,
  now: number,
): string {
  const leftMs = Math.min(timeoutMs, Math.max(0, ts + timeoutMs - now));
  const taken = safeDefault(request.method) === false ? "auto-denied" : "closes";
  if (leftMs === 0) return `${taken} now`;
  const left = leftMs < 60_000 ? durationOf(Math.ceil(leftMs / 1000) * 1000) : `${Math.ceil(leftMs / 60_000)} min`;
  return `${taken} in ${left}`;
}
