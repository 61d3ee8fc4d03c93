/**
 * What the address names: a session `#/s/ID`, a message of it `#/s/ID/m/SEQ`, its replay `#/s/ID/r` or, standing at an
 * event, `#/s/ID/r/SEQ`, and the page of a subagent whose turn began at a seq, `#/s/ID/a/SEQ`.
 */
export interface Route {
  readonly sessionId?: string;
  /** The message that began at this seq, or the newest before it; for a view of its own, where that view stands. */
  readonly seq?: number;
  /** Something else than the conversation. */
  readonly view?: View;
}

export type View = "replay" | "agent";

const ROUTE_PATTERN = /^#\/s\/([0-9A-Za-z]{1,64})(?:\/([mra])\/(\d{1,15})|\/(r))?$/;
const LETTERS = { replay: "r", agent: "a" } as const;

export function parseRoute(hash: string): Route {
  const [, sessionId, letter, seq, bare] = ROUTE_PATTERN.exec(hash) ?? [];
  if (sessionId === undefined) return {};
  if (bare !== undefined) return { sessionId, view: "replay" };
  if (seq === undefined) return { sessionId };
  const view = letter === "m" ? undefined : letter === "r" ? "replay" : "agent";
  return { sessionId, seq: Number(seq), ...(view === undefined ? {} : { view }) };
}

export function formatRoute({ sessionId, seq, view }: Route): string {
  if (sessionId === undefined) return "#/";
  if (seq === undefined) return `#/s/${sessionId}${view === "replay" ? "/r" : ""}`;
  return `#/s/${sessionId}/${view === undefined ? "m" : LETTERS[view]}/${seq}`;
}

/** A message is gone to; a view of its own is opened. */
export function stateOfRoute({ seq, view }: Route): RouteState {
  const at = seq === undefined ? {} : { seq };
  if (view !== undefined) return { viewing: { view, ...at } };
  return seq === undefined ? {} : { targetSeq: seq };
}

type RouteState =
  | { readonly targetSeq?: number }
  | { readonly viewing: { readonly view: View; readonly seq?: number } };
