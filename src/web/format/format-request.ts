/** Texts of a request and its outcome. */
import { senderOf, type SeenAs } from "../../protocol/index.ts";
import { answererOf, describeRequest, type Block, type OpenRequest } from "../../transcript/index.ts";
import { inPlainSight } from "./plain-sight.ts";
import { withEllipsis } from "../../kit/text/format.ts";

export type RequestBlock = Extract<Block, { kind: "request" }>;

const OUTCOME_CHARS_MAX = 200;

/** "$ cargo test · allowed once". */
export function formatRequest(block: RequestBlock): string {
  return inPlainSight(
    `${withEllipsis(describeRequest(block).what, OUTCOME_CHARS_MAX)} · ${formatRequestOutcome(block)}`,
  );
}

/** "allowed once". */
export function formatRequestOutcome(block: RequestBlock): string {
  return inPlainSight(withEllipsis(describeRequest(block).outcome.text, OUTCOME_CHARS_MAX));
}

/** The person, or the device by the name it gave itself or the end of its id; empty when nobody answered. */
export function formatAnswerer({ answer }: RequestBlock, seenAs: SeenAs): string {
  if (answer === undefined) return "";
  return (
    answererOf(answer, seenAs) ??
    senderOf(answer.clientId)?.name ??
    answer.by ??
    (answer.clientId === undefined ? "another client" : nameClient("client", answer.clientId))
  );
}

/** Name of the answering client for others: the end of an id distinguishes two of the same kind. */
export function nameClient(kind: string, clientId: string): string {
  return `${kind} ${clientId.slice(-4)}`;
}

/** Outcome and time left of a request that nobody answers: "Auto-denied in 4:32". */
export function formatTimeLeft(
  open: Pick<OpenRequest, "ts" | "timeoutMs" | "request" | "member">,
  now: number,
): string {
  const { ts, timeoutMs } = open;
  const seconds = Math.ceil(Math.min(timeoutMs, Math.max(0, ts + timeoutMs - now)) / 1000);
  const then = TIMEOUT_LABELS[describeRequest(open).atLimit];
  if (seconds === 0) return `${then} now`;
  return `${then} in ${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

const TIMEOUT_LABELS = { denied: "Auto-denied", "answered no": "Answered no", skipped: "Skipped" } as const;
