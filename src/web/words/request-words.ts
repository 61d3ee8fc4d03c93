/** How a request and its fate are said. */
import { safeDefault, type Json, type UiRequestBody } from "../../protocol/index.ts";
import type { Block, OpenRequest } from "../../transcript/index.ts";
import { durationOf } from "./amounts.ts";
import { inPlainSight } from "./plain-sight.ts";
import { withEllipsis } from "../../kit/ellipsis.ts";

type RequestBlock = Extract<Block, { kind: "request" }>;
type RequestAnswer = NonNullable<RequestBlock["answer"]>;

const ANSWER_CHARS_MAX = 200;

export function requestWords(block: RequestBlock): string {
  const call = block.request.method === "approval" ? `\n${block.request.tool}: ${block.request.call}` : "";
  return inPlainSight(`Asked: ${block.request.title} · ${settledWords(block)}${call}`);
}

/** Without the title: "answered by browser 7Q2M: Allow once". */
export function settledWords({ request, state, answer }: RequestBlock): string {
  switch (state) {
    case "open":
      return "waits for an answer";
    case "answered":
      return answer === undefined ? "answered" : answeredWords(request, answer);
    case "answered_elsewhere":
      return "answered elsewhere";
    case "expired":
      return "nobody answered in time";
    case "restart":
      return "gone with a restart";
    default:
      return "cancelled";
  }
}

function answeredWords(request: UiRequestBody, { result, error, clientId, by }: RequestAnswer): string {
  const who = by ?? (clientId === undefined ? "another client" : nameClient("client", clientId));
  return error === null ? `answered by ${who}: ${cut(answerWords(request, result))}` : `${error} by ${who}`;
}

/** What others are told about who answered: the end of an id tells two of a kind apart. */
export function nameClient(kind: string, clientId: string): string {
  return `${kind} ${clientId.slice(-4)}`;
}

function answerWords(request: UiRequestBody, result: Json): string {
  switch (request.method) {
    case "confirm":
      return result === true ? "Yes" : "No";
    case "select":
    case "approval":
      if (result === false) return "refused";
      return request.options.find((option) => option.value === result)?.label ?? plainWords(result);
    case "question":
      return questionWords(request.questions, result);
    default:
      return plainWords(result);
  }
}

function questionWords(questions: readonly { id: string; options: readonly Option[] }[], result: Json): string {
  if (typeof result !== "object" || result === null || Array.isArray(result)) return plainWords(result);
  const given: Record<string, Json> = result;
  const parts = questions.flatMap(({ id, options }) => {
    const answer = given[id];
    if (answer === undefined) return [];
    const values = Array.isArray(answer) ? answer : [answer];
    return [values.map((one) => options.find(({ value }) => value === one)?.label ?? plainWords(one)).join(", ")];
  });
  return parts.length === 0 ? "nothing" : parts.join(" · ");
}

type Option = { readonly label: string; readonly value: string };

function plainWords(result: Json): string {
  if (result === null) return "nothing";
  return typeof result === "string" ? result : JSON.stringify(result);
}

function cut(text: string): string {
  return withEllipsis(text, ANSWER_CHARS_MAX);
}

/** What becomes of a request that nobody answers, and when. */
export function leftWords(
  { ts, timeoutMs, request }: Pick<OpenRequest, "ts" | "timeoutMs" | "request">,
  now: number,
): string {
  const leftMs = Math.min(timeoutMs, Math.max(0, ts + timeoutMs - now));
  const taken = safeDefault(request.method) === false ? "refused" : "declined";
  if (leftMs === 0) return `${taken} by itself now`;
  const left = leftMs < 60_000 ? durationOf(Math.ceil(leftMs / 1000) * 1000) : `${Math.ceil(leftMs / 60_000)} min`;
  return `${taken} by itself in ${left}`;
}
