/** Routes every entry of an HTTP server through the guard: requests, expectations, upgrades, CONNECT and malformed input. */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { followCarriers } from "./carriers.ts";
import { readChunked } from "./chunked-body.ts";
import { answerHeaders, refuseRequest, refuseSocket } from "./refuse.ts";
import { TOO_MANY_CONNECTIONS, type ConnectionLimiter } from "./limits.ts";
import { readHead, type Admitted, type Refusal, type RequestHead, type Verdict } from "./guard.ts";

export interface Admission {
  readonly judge: (head: RequestHead) => Verdict;
  readonly limiter: ConnectionLimiter;
  readonly answer: (request: IncomingMessage, response: ServerResponse, admitted: Admitted) => Promise<void>;
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer, admitted: Admitted) => void;
}

export interface AdmissionCounts {
  readonly handled: number;
  readonly refused: number;
}

export function admit(server: Server, { judge, limiter, answer, upgrade }: Admission): AdmissionCounts {
  const counts = { handled: 0, refused: 0 };
  /** The response in progress on a socket. */
  const answering = new WeakMap<Duplex, ServerResponse>();
  const carrierOf = followCarriers(server);

  function mayStay(request: IncomingMessage): boolean {
    const carrier = carrierOf(request.socket);
    return carrier !== undefined && limiter.markAuthenticated(carrier);
  }

  /** The verdict of the guard, then the limit of authenticated connections. */
  function judged(request: IncomingMessage, isUpgrade: boolean): Verdict {
    const verdict = judge(readHead(request, { isUpgrade }));
    const isKnown = "route" in verdict && verdict.route.policy.access !== "public";
    const seen: Verdict = isKnown && !mayStay(request) ? TOO_MANY_CONNECTIONS : verdict;
    if ("route" in seen) counts.handled += 1;
    else counts.refused += 1;
    return seen;
  }

  function onRequest(request: IncomingMessage, response: ServerResponse, verdict = judged(request, false)): void {
    answering.set(request.socket, response);
    if (!("route" in verdict)) return refuseRequest(response, verdict);
    for (const [name, value] of Object.entries(answerHeaders)) response.setHeader(name, value);
    if (request.headers["transfer-encoding"] === undefined) return void answer(request, response, verdict);
    const { bodyBytesMax } = verdict.route.policy;
    const tooLong = { status: 413, message: `The body is longer than ${bodyBytesMax} bytes.` };
    readChunked(request, bodyBytesMax).then(
      (isWhole) => (isWhole ? void answer(request, response, verdict) : refuseRequest(response, tooLong)),
      // The client is gone.
      () => response.destroy(),
    );
  }

  function refuseRaw(socket: Duplex, refusal: Refusal): void {
    counts.refused += 1;
    refuseSocket(socket, refusal);
  }

  server.on("connection", (socket) => limiter.add(socket));
  server.on("request", (request, response) => onRequest(request, response));
  // Without this listener Node would send 100 Continue before the guard has seen the head.
  server.on("checkContinue", (request, response) => {
    const verdict = judged(request, false);
    if ("route" in verdict) response.writeContinue();
    onRequest(request, response, verdict);
  });
  server.on("checkExpectation", (request, response) => onRequest(request, response));
  server.on("upgrade", (request, socket, head) => {
    const verdict = judged(request, true);
    if ("route" in verdict) upgrade(request, socket, head, verdict);
    else refuseSocket(socket, verdict);
  });
  server.on("connect", (_request, socket) =>
    refuseRaw(socket, { status: 405, message: "This server is not a proxy.", allow: "GET, POST" }),
  );
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    // Without a handshake nothing can be said.
    const isWritable = socket.writable && error.code !== "ERR_TLS_HANDSHAKE_TIMEOUT";
    const isFree = isWritable && answering.get(socket)?.headersSent !== true;
    if (isFree) refuseRaw(socket, refusalOf(error.code));
    else socket.destroy();
  });
  return counts;
}

function refusalOf(code: string | undefined): Refusal {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return { status: 408, message: "The request timed out." };
  if (code === "HPE_HEADER_OVERFLOW") return { status: 431, message: "The request headers are too large." };
  return { status: 400, message: "Malformed HTTP request." };
}
