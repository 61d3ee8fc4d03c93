/** Error responses that close the connection, so that an unwanted body is never read. */
import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Refusal } from "./guard.ts";

/**
 * Not an import: every command line that can find a server loads this file, and importing `node:http` by name evaluates
 * all of its lazy exports, among them undici. That is a quarter of the start of a short command.
 */
const statusTexts = () => process.getBuiltinModule("node:http").STATUS_CODES;

export function refuseRequest(response: ServerResponse, refusal: Refusal): void {
  const body = bodyOf(refusal);
  response.shouldKeepAlive = false;
  response.writeHead(refusal.status, headersOf(refusal, body));
  response.end(body);
}

/** For upgrades and malformed requests, which have only a socket. */
export function refuseSocket(socket: Duplex, refusal: Refusal): void {
  const body = bodyOf(refusal);
  const lines = Object.entries(headersOf(refusal, body)).map(([name, value]) => `${name}: ${value}`);
  const status = `HTTP/1.1 ${refusal.status} ${statusTexts()[refusal.status] ?? "Refused"}`;
  // The client may already be gone.
  socket.on("error", () => socket.destroy());
  socket.end([status, ...lines, "", body].join("\r\n"), () => socket.destroy());
}

function bodyOf({ code, message, hint }: Refusal): string {
  return `${JSON.stringify({ error: { code, message, hint } })}\n`;
}

function headersOf({ status, allow }: Refusal, body: string): Record<string, string> {
  return {
    ...answerHeaders,
    "content-type": "application/json; charset=utf-8",
    "content-length": String(Buffer.byteLength(body)),
    connection: status === 426 ? "close, upgrade" : "close",
    ...(status === 426 ? { upgrade: "websocket" } : {}),
    ...(allow === undefined ? {} : { allow }),
    ...(status === 429 ? { "retry-after": "10" } : {}),
    ...(status === 503 ? { "retry-after": "1" } : {}),
    ...(status === 401 ? { "www-authenticate": "Bearer" } : {}),
  };
}

/** What every answer carries, refusals too. No CORS header is ever sent: only our own page may read an answer. */
export const answerHeaders: Readonly<Record<string, string>> = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; manifest-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types dompurify roundtable",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};
