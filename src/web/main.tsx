/** Entry point: sign in, connect, render. Errors before the first render are shown on the page. */
import "./store/no-eval.ts";
import { createRoot, type Root } from "react-dom/client";
import { connectWebSocket, createLastingClient, newClientId } from "../client/index.ts";
import type { ClientConnection } from "../protocol/index.ts";
import { App } from "./app/app.tsx";
import { watchAttention } from "./app/attention.tsx";
import { applyTheme } from "./app/theme.tsx";
import { SpeechReader } from "./speech/speech-reader.ts";
import type { Defaults } from "./store/app-state.ts";
import { AppStore } from "./store/app-store.ts";
import { readTheme } from "./store/local-storage.ts";
import { StoreContext } from "./store/use-store.ts";
import "./style/index.css";

const TOKEN_KEY = "roundtable.token";

const SIGNED_OUT = "You're signed out. Run `roundtable web` in a terminal to get a sign-in link.";

/** Stored per tab, so that after a reload it can still interrupt its own turns. */
const CLIENT_KEY = "roundtable.client";

const ANOTHER_SERVER = "The server has restarted. Run `roundtable web` for a new link.";

/** Retry interval while the server is busy or restarting. */
const RETRY_MS = 1_000;

async function begin(root: Root, token: string): Promise<void> {
  const clientId = sessionStorage.getItem(CLIENT_KEY) ?? newClientId("browser");
  sessionStorage.setItem(CLIENT_KEY, clientId);
  let store: AppStore | undefined;
  const connect = async (): Promise<ClientConnection> => {
    try {
      return await connectWebSocket(location.origin, token);
    } catch (error) {
      // A restarted server has another token: retrying would never end. An absent server is retried.
      const isKnown = store === undefined || (await isTokenValid(token).catch(() => true));
      if (!isKnown) store?.end(ANOTHER_SERVER);
      throw error;
    }
  };
  const opening = createLastingClient(connect, { clientId });
  // An invalid token fails here too; only the token check has a readable error.
  opening.catch(() => {});
  const defaults = await readDefaults(token).catch((error: unknown) => {
    void opening.then((opened) => opened.close()).catch(() => {});
    throw error;
  });
  const client = await opening;
  addEventListener("online", () => client.hint("online"));
  // A local server is reachable without a network.
  addEventListener("offline", () => void isTokenValid(token).catch(() => client.hint("offline")));
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) client.hint("visible");
  });
  store = new AppStore(client, { defaults, token });
  if ("speechSynthesis" in globalThis) store.speech = new SpeechReader(speechSynthesis);
  watchAttention(store);
  store.start();
  root.render(
    <StoreContext value={store}>
      <App />
    </StoreContext>,
  );
}

applyTheme(readTheme());

const container = document.createElement("div");

container.id = "root";

document.body.replaceChildren(container);

const root = createRoot(container);

function explain(message: string): void {
  root.render(
    <main className="gate">
      <h1>Roundtable</h1>
      <p role="alert">{message}</p>
    </main>,
  );
}

async function startWithRetry(token: string): Promise<void> {
  try {
    await begin(root, token);
  } catch (error) {
    if (error instanceof UnauthorizedError) return explain(error.message);
    explain(`${error instanceof Error ? error.message : String(error)} Trying again.`);
    setTimeout(() => void startWithRetry(token), RETRY_MS);
  }
}

findToken().then(startWithRetry, (error: unknown) => explain(error instanceof Error ? error.message : String(error)));

/** Sign-in failed; the message is for the user. */
class UnauthorizedError extends Error {}

/**
 * The token: exchanged for the one-time code in the URL fragment, which no server log sees, or the one stored for this
 * tab. It is sent only to the origin of the page.
 */
async function findToken(): Promise<string> {
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
async function readDefaults(token: string): Promise<Defaults> {
  const answer = await askDefaults(token);
  if (answer.ok) return (await answer.json()) as Defaults;
  if (answer.status !== 401)
    throw new Error(`The server refuses to say what a session begins with (${answer.status}).`);
  sessionStorage.removeItem(TOKEN_KEY);
  throw new UnauthorizedError(SIGNED_OUT);
}

/** Whether the server accepts the token. Rejects when none answers. */
async function isTokenValid(token: string): Promise<boolean> {
  return (await askDefaults(token)).ok;
}

function askDefaults(token: string): Promise<Response> {
  return fetch("/v1/defaults", { headers: { authorization: `Bearer ${token}` } });
}
