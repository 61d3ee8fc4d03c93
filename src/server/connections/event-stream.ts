/**
 * Events of a session as server-sent events on the raw response: a HostConnection whose only client frame is a
 * subscription. A reader that falls behind gets `resync` and is disconnected, so it never holds more memory than its
 * socket buffer.
 */
import type { ServerResponse } from "node:http";
import type { Host } from "../../host/index.ts";
import type { Clock } from "../../kit/clock.ts";
import {
  PROTOCOL_VERSION,
  type AnswerError,
  type ClientFrame,
  type Cursor,
  type HostConnection,
  type HostFrame,
} from "../../protocol/index.ts";
import { JSON_TYPE, statusOf } from "../http/answer.ts";
import { CALL_ID } from "./call-host.ts";
import { encodeNotice, encodeStream } from "./encoded-events.ts";

/** Time to flush a response before it is destroyed. */
const CLOSE_GRACE_MS = 1_000;

export interface EventStreamOptions {
  readonly host: Pick<Host, "serve">;
  readonly clock: Clock;
  readonly response: ServerResponse;
  readonly sessionId: string;
  readonly clientId: string;
  readonly cursor: Cursor;
}

export function streamEvents(options: EventStreamOptions): void {
  const { host, clock, response, sessionId, clientId, cursor } = options;
  let frameListener: ((frame: ClientFrame) => void) | undefined;
  let closeListener: ((reason: string) => void) | undefined;
  let isClosed = false;

  function settle(reason: string): void {
    if (isClosed) return;
    isClosed = true;
    closeListener?.(reason);
  }

  function finish(reason: string, last: string | undefined): void {
    if (isClosed) return;
    if (last !== undefined) response.write(last);
    endResponse(response, clock);
    // Not from inside the host's own send.
    queueMicrotask(() => settle(reason));
  }

  function refuse(error: AnswerError): void {
    if (isClosed) return;
    response.writeHead(statusOf(error.code), { "content-type": JSON_TYPE });
    response.end(JSON.stringify({ error }));
    queueMicrotask(() => settle("refused"));
  }

  function handleFrame(frame: HostFrame): void {
    if (frame.frame === "reply") {
      if (!frame.ok) return refuse(frame.error);
      beginStream(response);
      response.write(encodeNotice("heartbeat", frame.result));
    } else if (frame.frame === "events") response.write(encodeStream(frame.events));
    else if (frame.frame === "resync") finish("resync", encodeNotice("resync", { reason: frame.reason }));
    else if (frame.frame === "heartbeat" || frame.frame === "store" || frame.frame === "shutdown") {
      const { frame: name, ...data } = frame;
      response.write(encodeNotice(name, data));
    }
  }

  const connection: HostConnection = {
    send: (frame) => {
      // A shutdown before the subscription is established is reported by the close that follows.
      if (!isClosed && (response.headersSent || frame.frame === "reply")) handleFrame(frame);
    },
    onFrame: (listener) => (frameListener = listener),
    onClose(listener) {
      closeListener = listener;
      if (isClosed) listener("closed");
    },
    close(reason) {
      if (response.headersSent) return finish(reason, undefined);
      refuse({ code: "closed", message: `The server is not accepting requests: ${reason}.` });
    },
    get backlogBytes() {
      return isClosed ? 0 : response.writableLength;
    },
  };
  response.on("close", () => settle("the client left"));
  response.on("error", () => settle("the client left"));
  host.serve(connection);
  frameListener?.({ frame: "hello", protocol: PROTOCOL_VERSION, clientId });
  frameListener?.({ frame: "subscribe", id: CALL_ID, sessionId, cursor });
}

/** The body ends with the connection: without chunked encoding, the shared buffer is written to each reader as it is. */
export function beginStream(response: ServerResponse): void {
  response.removeHeader("transfer-encoding");
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", connection: "close" });
  response.flushHeaders();
  if (response.req.method === "HEAD") response.end();
}

export function endResponse(response: ServerResponse, clock: Clock): void {
  const cancel = clock.after(CLOSE_GRACE_MS, () => response.destroy());
  response.once("close", cancel);
  response.end();
}
