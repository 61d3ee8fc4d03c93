/** Maps error responses and exceptions of the HTTP client to a ModelError. */
import { terminalSafe } from "../../../kit/text/terminal-safe.ts";
import type { Endpoint } from "./endpoint.ts";
import { classify, type ReportedError } from "./classify-error.ts";
import { ModelError, readRetryAfter } from "./model-error.ts";
import { isFields, listOf, type Fields } from "../../../kit/fields.ts";

const DETAIL_CHARS_MAX = 2_000;
const MESSAGE_CHARS_MAX = 300;

export interface Refusal {
  readonly status: number;
  readonly headers: Pick<Headers, "get">;
  readonly body: string;
  readonly model: string;
  readonly nowMs: number;
}

export function statusError(endpoint: Endpoint, refusal: Refusal): ModelError {
  const { status, headers, body } = refusal;
  const reported = readError(body);
  const retryAfterMs = readRetryAfter(headers, refusal.nowMs);
  const facts = {
    ...classify(endpoint, status, reported, refusal.model),
    detail: endpoint.redact(terminalSafe(body.slice(0, DETAIL_CHARS_MAX))),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
  return new ModelError({ ...facts, message: endpoint.redact(facts.message) });
}

/** An error in mid-stream. */
export function chunkError(endpoint: Endpoint, error: unknown, model: string): ModelError {
  const reported = readError(JSON.stringify({ error }));
  const status = Number(reported.code);
  const facts = classify(endpoint, status >= 400 && status < 600 ? status : 0, reported, model);
  return new ModelError({ ...facts, message: endpoint.redact(facts.message) });
}

/** Thrown by `fetch`. Only code and plain text are used; the rest may contain a header value. */
export function connectionError(endpoint: Endpoint, thrown: unknown): ModelError {
  const code = codeOf(thrown);
  const refused = code === "ECONNREFUSED";
  const why = CONNECTION[code] ?? (code === "" ? "the connection failed" : `the connection failed (${code})`);
  return new ModelError({
    kind: "transient",
    code: "connection",
    message: `${endpoint.shown} did not answer: ${why}.`,
    hint: refused
      ? "Start the model server there, or change the member's baseUrl."
      : "Check the network and the member's baseUrl.",
  });
}

function readError(body: string): ReportedError {
  try {
    const parsed: unknown = JSON.parse(body);
    // Gemini wraps its error in a list.
    const [answer] = Array.isArray(parsed) ? listOf(parsed) : [parsed];
    const error = isFields(answer) ? (answer["error"] ?? answer) : {};
    if (typeof error === "string") return { code: "", message: shorten(error) };
    if (!isFields(error)) return { code: "", message: "" };
    const code = error["code"] ?? error["type"] ?? "";
    const message = error["message"] ?? error["detail"] ?? "";
    const text = typeof message === "string" ? message : JSON.stringify(message);
    return {
      code: typeof code === "number" ? String(code) : typeof code === "string" ? code : "",
      message: shorten(`${text} ${upstreamMessage(error)}`),
    };
  } catch {
    // A proxy's page or nothing: only the status is known.
    return { code: "", message: "" };
  }
}

/** Error of the server behind a gateway: OpenRouter itself always says "Provider returned error". */
function upstreamMessage({ metadata }: Fields): string {
  const raw = isFields(metadata) ? metadata["raw"] : undefined;
  return typeof raw === "string" ? readError(raw).message || raw : "";
}

const CONNECTION: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing is listening there",
  ENOTFOUND: "unknown host",
  EAI_AGAIN: "its name could not be looked up",
  ECONNRESET: "the connection was lost",
  EPIPE: "the connection was lost",
  UND_ERR_SOCKET: "the connection was lost",
  ETIMEDOUT: "the connection timed out",
  UND_ERR_CONNECT_TIMEOUT: "the connection timed out",
  UND_ERR_HEADERS_TIMEOUT: "no answer arrived in time",
  UND_ERR_BODY_TIMEOUT: "the answer stalled",
  CERT_HAS_EXPIRED: "its certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate comes from an unknown authority",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate comes from an unknown authority",
};

function codeOf(thrown: unknown): string {
  for (let at = thrown, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth++) {
    if ("code" in at && typeof at.code === "string") return at.code;
  }
  return "";
}

function shorten(text: string): string {
  const line = terminalSafe(text).replace(/\s+/g, " ").trim();
  return line.length > MESSAGE_CHARS_MAX ? `${line.slice(0, MESSAGE_CHARS_MAX)}…` : line;
}
