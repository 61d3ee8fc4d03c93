/** The page begins: sign in, connect, draw. What goes wrong before there is a page is said on the page. */
import { createRoot, type Root } from "react-dom/client";
import * as z from "zod";
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

/** Kept for the tab, so that after a reload the turns it started are still its own to interrupt. */
const CLIENT_KEY = "roundtable.client";

const ANOTHER_SERVER = "The server has restarted. Run `roundtable web` for a new link.";

/** A server that is busy or starts anew is tried again; it may take as long as it takes. */
const RETRY_MS = 1_000;

async function begin(root: Root, token: string): Promise<void> {
  const clientId = sessionStorage.getItem(CLIENT_KEY) ?? newClientId("browser");
  sessionStorage.setItem(CLIENT_KEY, clientId);
  let store: AppStore | undefined;
  const connect = async (): Promise<ClientConnection> => {
    try {
      return await connectWebSocket(location.origin, token);
    } catch (error) {
      // A server that was started anew has another token: trying on would never end. No server at all is another matter.
      const isKnown = store === undefined || (await isTokenValid(token).catch(() => true));
      if (!isKnown) store?.end(ANOTHER_SERVER);
      throw error;
    }
  };
  const opening = createLastingClient(connect, { clientId });
  // A token that nobody takes fails here too, and only the answer about it can say so in words.
  opening.catch(() => {});
  const defaults = await readDefaults(token).catch((error: unknown) => {
    void opening.then((opened) => opened.close()).catch(() => {});
    throw error;
  });
  const client = await opening;
  addEventListener("online", () => client.hint("online"));
  // A server on this machine can be reached without a network.
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

// How the page gets its token: a one-time code in the URL's fragment, which no server and no log ever sees, is
// exchanged for it. It is kept for this tab only and goes to nobody but the address the page came from.

/** Nobody gets in with what there is; the message is for the person. */
class UnauthorizedError extends Error {}

/** What to try to get in with: that of the code in the address, or what this tab has kept. */
async function findToken(): Promise<string> {
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
  const stored = sessionStorage.getItem(TOKEN_KEY);
  if (stored !== null && (code === null || (await isTokenValid(stored)))) return stored;
  sessionStorage.removeItem(TOKEN_KEY);
  throw new UnauthorizedError(
    code === null ? SIGNED_OUT : "This link has expired or was already used. Run `roundtable web` to get a new one.",
  );
}

/** Rejects with `UnauthorizedError` when the token is not that of the server that answers. */
async function readDefaults(token: string): Promise<Defaults> {
  const answer = await askDefaults(token);
  if (answer.ok) return (await answer.json()) as Defaults;
  if (answer.status !== 401)
    throw new Error(`The server refuses to say what a session begins with (${answer.status}).`);
  sessionStorage.removeItem(TOKEN_KEY);
  throw new UnauthorizedError(SIGNED_OUT);
}

/** Whether the server that answers now is the one that gave the token. Rejects when none answers. */
async function isTokenValid(token: string): Promise<boolean> {
  return (await askDefaults(token)).ok;
}

function askDefaults(token: string): Promise<Response> {
  return fetch("/v1/defaults", { headers: { authorization: `Bearer ${token}` } });
}

/** Comes before every schema: compiled checks need eval, which this page forbids itself, and even asking for it is told on. */
z.config({ jitless: true });
