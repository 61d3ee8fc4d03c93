/**
 * Routes: a session `#/s/ID`, a message `#/s/ID/m/SEQ`, a replay `#/s/ID/r` or at an event `#/s/ID/r/SEQ`, a
 * subagent's page by the seq of its turn, `#/s/ID/a/SEQ`; the settings `#/settings/SECTION`; on phones also the inbox
 * `#/inbox` and the list of sessions `#/sessions`.
 */
export interface Route {
  /** A page of its own instead of a session. */
  readonly page?: OwnPage;
  /** Of the settings. */
  readonly section?: string;
  readonly sessionId?: string;
  /** The message that started at this seq, or the newest before it; for a view, its position. */
  readonly seq?: number;
  /** A view other than the conversation. */
  readonly view?: View;
  /** Search terms to show in the message of `seq`; not part of the address. */
  readonly terms?: readonly string[];
}

/** The message of the address. */
export interface Target {
  readonly seq: number;
  readonly terms: readonly string[];
}

export type View = "replay" | "agent";
export type OwnPage = "settings" | "inbox" | "sessions";

const ROUTE_PATTERN = /^#\/s\/([0-9A-Za-z]{1,64})(?:\/([mra])\/(\d{1,15})|\/(r))?$/;
const PAGE_PATTERN = /^#\/(settings|inbox|sessions)(?:\/([a-z]{1,20}))?$/;
const LETTERS = { replay: "r", agent: "a" } as const;

export function parseRoute(hash: string): Route {
  const [, page, section] = PAGE_PATTERN.exec(hash) ?? [];
  if (page !== undefined) return { page: page as OwnPage, ...(section === undefined ? {} : { section }) };
  const [, sessionId, letter, seq, bare] = ROUTE_PATTERN.exec(hash) ?? [];
  if (sessionId === undefined) return {};
  if (bare !== undefined) return { sessionId, view: "replay" };
  if (seq === undefined) return { sessionId };
  const view = letter === "m" ? undefined : letter === "r" ? "replay" : "agent";
  return { sessionId, seq: Number(seq), ...(view === undefined ? {} : { view }) };
}

export function formatRoute({ page, section, sessionId, seq, view }: Route): string {
  if (page !== undefined) return section === undefined ? `#/${page}` : `#/${page}/${section}`;
  if (sessionId === undefined) return "#/";
  if (seq === undefined) return `#/s/${sessionId}${view === "replay" ? "/r" : ""}`;
  return `#/s/${sessionId}/${view === undefined ? "m" : LETTERS[view]}/${seq}`;
}

/** A message is scrolled to; a view is opened. */
export function stateOfRoute({ seq, view, terms = [] }: Route): RouteState {
  const at = seq === undefined ? {} : { seq };
  if (view !== undefined) return { viewing: { view, ...at } };
  return seq === undefined ? {} : { target: { seq, terms } };
}

type RouteState = { readonly target?: Target } | { readonly viewing: { readonly view: View; readonly seq?: number } };
