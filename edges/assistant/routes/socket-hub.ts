/** All WebSockets of assistant's clients on one port, and their broadcasts. */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer, type WebSocket } from "ws";
import type { UiRequestBody } from "../../../src/protocol/index.ts";
import type * as assistant from "../format/assistant.ts";
import { keepAlive, refuseSocket, type AnswerCheck } from "../../../src/server/index.ts";
import { followList, type ListNews } from "./list-news.ts";
import { WireSocket, type WireSocketDeps } from "./wire-socket.ts";

/** The longest user message that a session accepts, escaped, plus its frame. */
const FRAME_BYTES_MAX = 8 * 1024 * 1024;
const FRAGMENTS_MAX = 1_024;
const SOCKETS_MAX = 256;
const CREATED_REMEMBERED_MAX = 1_000;

type HubDeps = Omit<WireSocketDeps, "refusalFor"> & { readonly refusalFor: AnswerCheck };

export class SocketHub {
  readonly #deps: HubDeps;
  readonly #sockets = new Set<WireSocket>();
  readonly #server: WebSocketServer;
  /** Announced new sessions: creating one announces it at once, and the list would repeat it. */
  readonly #created = new Set<string>();
  #news: ListNews | undefined;

  constructor(deps: HubDeps) {
    this.#deps = deps;
    this.#server = new WebSocketServer({
      noServer: true,
      maxPayload: FRAME_BYTES_MAX,
      maxFragments: FRAGMENTS_MAX,
      perMessageDeflate: false,
      // A page that cannot set a header sends its token as a subprotocol; a browser then requires another one in reply.
      handleProtocols: (offered) => [...offered].find((name) => !name.startsWith("token.")) ?? false,
    });
    this.#server.on("wsClientError", (error, socket) =>
      refuseSocket(socket, { status: 400, message: `${error.message}.` }),
    );
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (this.#sockets.size >= SOCKETS_MAX) {
      return refuseSocket(socket, { status: 503, message: "Too many connections. Try again in a moment." });
    }
    this.#server.handleUpgrade(request, socket, head, (one) => this.#welcome(one, request.socket));
  }

  /** To every connection, or to those that do not follow the session themselves. */
  broadcast(frame: assistant.ServerFrame, session: string, isForSubscribers: boolean): void {
    if (frame.type === "session_created") {
      if (this.#created.has(session)) return;
      this.#created.add(session);
      const [oldest] = this.#created;
      if (this.#created.size > CREATED_REMEMBERED_MAX && oldest !== undefined) this.#created.delete(oldest);
    } else if (frame.type === "session_deleted") this.#created.delete(session);
    for (const socket of this.#sockets) if (isForSubscribers || !socket.isSubscribed(session)) socket.send(frame);
  }

  close(): void {
    this.#news?.stop();
    this.#news = undefined;
    for (const socket of this.#sockets) socket.close(1001, "the server is shutting down");
    for (const socket of this.#server.clients) socket.terminate();
  }

  #welcome(socket: WebSocket, peer: IncomingMessage["socket"]): void {
    const { host, marks, clock, refusalFor } = this.#deps;
    const deps = { ...this.#deps, refusalFor: (request: UiRequestBody) => refusalFor(request, peer) };
    const stopPings = keepAlive(socket, clock);
    const one = new WireSocket(socket, deps, () => {
      stopPings();
      this.#sockets.delete(one);
      if (this.#sockets.size > 0) return;
      this.#news?.stop();
      this.#news = undefined;
    });
    this.#sockets.add(one);
    this.#news ??= followList(host, marks, (...news) => this.broadcast(...news));
  }
}
