/**
 * What a wire of another system is to the server: routes over a host. Its routes name the policies `compatReading` and
 * `compatWriting`; which port they are opened on decides whether the token is asked for.
 */
import type { Clock } from "../../kit/clock.ts";
import type { Policy, Route } from "../http/policy.ts";
import type { AnswerCheck } from "./answer-guard.ts";
import { readPolicy, writePolicy, type ServedHost } from "../routes/policies.ts";
import type { SessionDefaults } from "../routes/session-defaults.ts";

export const compatReading: Policy = { ...readPolicy, access: "compat" };
export const compatWriting: Policy = { ...writePolicy, access: "compat" };
export const compatSocket: Policy = { ...compatReading, carrier: "websocket" };

export interface CompatDeps {
  /** On the separate port it knows only the sessions that are marked for it. */
  readonly host: ServedHost;
  readonly clock: Clock;
  readonly defaults: SessionDefaults;
  readonly version: string;
  /** Where a wire keeps what only its clients know; without it that lasts as long as the server. */
  readonly dataDir?: string;
  /** True on the port that asks for no token: what is stored there is apart from what is stored with the token. */
  readonly isOpenPort?: boolean;
  readonly refusalFor: AnswerCheck;
}

/** Opens a wire on one port. */
export type OpenCompatWire = (deps: CompatDeps) => CompatWire;

export interface CompatWire {
  readonly routes: readonly Route[];
  /** Ends every stream and connection of the wire. */
  close(): void;
}

/** Several wires of one port as one. */
export function openCompatWires(wires: readonly OpenCompatWire[], deps: CompatDeps): CompatWire {
  const opened = wires.map((open) => open(deps));
  return {
    routes: opened.flatMap((wire) => wire.routes),
    close: () => opened.forEach((wire) => wire.close()),
  };
}
