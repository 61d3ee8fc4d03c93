/** Tells a client that it was refused and hangs up, so that a body nobody wants is never read. */
import { STATUS_CODES, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { answerHeaders } from "./answer-headers.ts";
import type { Refusal } from "./guard.ts";

export function refuseRequest(response: ServerResponse, refusal: Refusal): void {
  const body = bodyOf(refusal);
  response.shouldKeepAlive = false;
  response.writeHead(refusal.status, headersOf(refusal, body));
  response.end(body);
}

/** For an upgrade, or a head that could not be read at all: there is only the socket. */
export function refuseSocket(socket: Duplex, refusal: Refusal): void {
  const body = bodyOf(refusal);
  const lines = Object.entries(headersOf(refusal, body)).map(([name, value]) => `${name}: ${value}`);
  const status = `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? "Refused"}`;
  // A client that is gone already has nothing to be told.
  socket.on("error", () => socket.destroy());
  socket.end([status, ...lines, "", body].join("\r\n"), () => socket.destroy());
}

function bodyOf({ message }: Refusal): string {
  return `${JSON.stringify({ error: { message } })}\n`;
}

function headersOf({ status, allow }: Refusal, body: string): Record<string, string> {
  return {
    ...answerHeaders,
    "content-type": "application/json; charset=utf-8",
    "content-length": String(Buffer.byteLength(body)),
    connection: "close",
    ...(allow === undefined ? {} : { allow }),
    ...(status === 429 ? { "retry-after": "10" } : {}),
    ...(status === 503 ? { "retry-after": "1" } : {}),
    ...(status === 401 ? { "www-authenticate": "Bearer" } : {}),
  };
}
