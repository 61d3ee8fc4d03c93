/**
 * Sign-in: a one-time code in the URL fragment, which no server log sees, is exchanged for the token. The token is stored
 * for this tab only and sent only to the origin of the page.
 */
import type { Defaults } from "./app-state.ts";

const TOKEN_KEY = "roundtable.token";
const SIGNED_OUT = "You're signed out. Run `roundtable web` in a terminal to get a sign-in link.";

/** Sign-in failed; the message is for the user. */
export class UnauthorizedError extends Error {}

/** From the code in the address, else the one stored for this tab. */
export async function findToken(): Promise<string> {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  if (code !== null) {
    // Removed from the address first: it must not be copied or bookmarked.
    history.replaceState(null, "", location.pathname);
    const answer = await fetch("/v1/exchange", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ code }),
    });
    if (answer.ok) {
      const { token } = (await answer.json()) as { token: string };
      sessionStorage.setItem(TOKEN_KEY, token);
      return token;
    }
  }
  const stored = sessionStorage.getItem(TOKEN_KEY);
  if (stored !== null && (code === null || (await isTokenValid(stored)))) return stored;
  sessionStorage.removeItem(TOKEN_KEY);
  throw new UnauthorizedError(
    code === null ? SIGNED_OUT : "This link has expired or was already used. Run `roundtable web` to get a new one.",
  );
}

/** Rejects with `UnauthorizedError` when the server does not accept the token. */
export async function readDefaults(token: string): Promise<Defaults> {
  const answer = await askDefaults(token);
  if (answer.ok) return (await answer.json()) as Defaults;
  if (answer.status !== 401)
    throw new Error(`The server refuses to say what a session begins with (${answer.status}).`);
  sessionStorage.removeItem(TOKEN_KEY);
  throw new UnauthorizedError(SIGNED_OUT);
}

/** Whether the server accepts the token. Rejects when none answers. */
export async function isTokenValid(token: string): Promise<boolean> {
  return (await askDefaults(token)).ok;
}

function askDefaults(token: string): Promise<Response> {
  return fetch("/v1/defaults", { headers: { authorization: `Bearer ${token}` } });
}
