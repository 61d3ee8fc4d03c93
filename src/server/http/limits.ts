/**
 * How much time and room a connection may take. Whoever has shown the token is served; whoever has not is borne for a
 * moment, and can never take the place of those who have.
 */
export interface ServerLimits {
  /** Until the head is there, from the first moment of the connection. */
  readonly headMs: number;
  /** Until head and body are there. */
  readonly requestMs: number;
  /** Between an answer and the next request. */
  readonly keepAliveMs: number;
  /** A socket on which nothing moves in either direction. Longer than three heartbeats of a stream. */
  readonly silentMs: number;
  /** How often head and request times are looked at. */
  readonly checkMs: number;
  /** Connections that have not shown the token. One more costs the oldest of them its place, with 503. */
  readonly unauthenticatedMax: number;
  /** All connections. Those with the token get what the strangers' places leave; one more is told 503. */
  readonly connectionsMax: number;
}

export const serverLimits: ServerLimits = {
  headMs: 5_000,
  requestMs: 30_000,
  keepAliveMs: 5_000,
  silentMs: 50_000,
  checkMs: 1_000,
  // A crowd that comes back at once after a restart has not shown its token yet either.
  unauthenticatedMax: 1_024,
  connectionsMax: 4_096,
};
