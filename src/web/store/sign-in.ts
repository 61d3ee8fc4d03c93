/**
 * How the page gets its token: a one-time code in the URL's fragment, which no server and no log ever sees, is
 * exchanged for it. It is kept for this tab only and goes to nobody but the address the page came from.
 */
const TOKEN_KEY = "roundtable.token";

/** Rejects with a sentence for the person when there is neither a code that works nor a token from before. */
export async function signIn(): Promise<string> {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  if (code !== null) {
    // Gone from the address before anything else happens: it must not be copied or bookmarked.
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
  const kept = sessionStorage.getItem(TOKEN_KEY);
  if (kept !== null && (await isTaken(kept))) return kept;
  sessionStorage.removeItem(TOKEN_KEY);
  throw new Error(
    code === null
      ? "This page opens with a link. Get one with: roundtable web"
      : "This link was used already or is too old. Get a new one with: roundtable web",
  );
}

export async function fetchJson<Result>(path: string, token: string): Promise<Result> {
  const answer = await fetch(path, { headers: { authorization: `Bearer ${token}` } });
  if (!answer.ok) throw new Error(`${path} was refused (${answer.status})`);
  return (await answer.json()) as Result;
}

/** Whether the server that answers now is the one that gave the token. Rejects when none answers. */
export async function isTaken(token: string): Promise<boolean> {
  const answer = await fetch("/v1/defaults", { headers: { authorization: `Bearer ${token}` } });
  return answer.ok;
}
