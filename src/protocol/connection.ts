/**
 * The Connection port: a pair of typed frame streams between a client and a host.
 * Carriers (an in-process pair, the local socket, later WebSocket) implement it; nobody else knows how bytes travel.
 *
 * Contract: frames arrive in order, once. `send` never throws and is ignored after close. Frames that arrive before
 * the first `onFrame` are kept. `onClose` is called once, also when it is set after the close. Each setter may be
 * called once.
 */
import type { ClientFrame, HostFrame } from "./frames.ts";

export interface Connection<Out, In> {
  send(frame: Out): void;
  onFrame(listener: (frame: In) => void): void;
  onClose(listener: (reason: string) => void): void;
  close(reason: string): void;
  /** Bytes accepted by `send` that the other end has not taken yet; a host stops feeding a client that is far behind. */
  readonly backlogBytes: number;
}

export type ClientConnection = Connection<ClientFrame, HostFrame>;
export type HostConnection = Connection<HostFrame, ClientFrame>;
