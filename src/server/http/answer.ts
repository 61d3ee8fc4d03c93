/** JSON answers of routes, and the HTTP status of each error code. */
import type * as z from "zod";
import { excessOf } from "../../kit/nesting.ts";
import { RoundtableError, toAnswerError, type AnswerError, type ErrorCode } from "../../protocol/index.ts";

const STATUS: Readonly<Record<ErrorCode, number>> = {
  bad_command: 400,
  unknown_session: 404,
  unknown_member: 404,
  unknown_message: 404,
  unknown_request: 404,
  unknown_turn: 404,
  conflict: 409,
  busy: 409,
  nobody_to_ask: 409,
  unsupported: 422,
  too_large: 413,
  store_unavailable: 503,
  locked: 503,
  version_mismatch: 409,
  closed: 503,
  internal: 500,
};

export function statusOf(code: ErrorCode): number {
  return STATUS[code];
}

export const JSON_TYPE = "application/json; charset=utf-8";

export function answer(status: number, body: unknown): Response {
  return new Response(JSON.stringify(body), { status, headers: { "content-type": JSON_TYPE } });
}

/** The message of an internal error may contain private data: it goes to stderr, not to the client. */
export function answerErrorOf(thrown: unknown, doing: string): AnswerError {
  const error = toAnswerError(thrown);
  if (error.code !== "internal") return error;
  process.stderr.write(`roundtable: ${doing} failed: ${error.message}\n`, () => {});
  return { code: "internal", message: "Internal server error. See the output of the server." };
}

export interface JsonBody {
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** Rejects with "bad_command" when the client left before all of it had arrived: that is no failure of the server. */
export async function readWhole(request: JsonBody): Promise<ArrayBuffer> {
  return request.arrayBuffer().catch((cause: unknown) => {
    throw new RoundtableError("bad_command", "The body was incomplete.", { cause });
  });
}

/** Rejects with "bad_command" for a body that is incomplete, not JSON, nested too deep or of too many values. */
export async function readJson(request: JsonBody): Promise<unknown> {
  const bytes = await readWhole(request);
  let body: unknown;
  try {
    body = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new RoundtableError("bad_command", "The body is not JSON.");
  }
  const excess = excessOf(body);
  if (excess !== undefined) throw new RoundtableError("bad_command", `Invalid body: ${excess}.`);
  return body;
}

/** Rejects with "bad_command" and the first problem for a body that is not JSON or does not match the schema. */
export async function readBody<Schema extends z.ZodType>(request: JsonBody, schema: Schema): Promise<z.infer<Schema>> {
  const parsed = schema.safeParse(await readJson(request));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? "" : ` at ${issue.path.join(".")}`;
  throw new RoundtableError("bad_command", `Invalid body${where}: ${issue?.message ?? "unknown reason"}.`);
}

/**
 * For a handler that wrote to the response itself. Loaded when it is used: every command line that can find a server loads
 * this file, and a `Response` loads undici.
 */
export async function alreadySent(): Promise<Response> {
  const { RESPONSE_ALREADY_SENT } = await import("@hono/node-server/utils/response");
  return RESPONSE_ALREADY_SENT;
}
