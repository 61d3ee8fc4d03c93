/** Entry point: sign in, connect, render. Errors before the first render are shown on the page. */
import "./store/no-eval.ts";
import { createRoot, type Root } from "react-dom/client";
import { connectWebSocket, createLastingClient, newClientId } from "../client/index.ts";
import type { ClientConnection } from "../protocol/index.ts";
import { App } from "./app/app.tsx";
import { watchAttention } from "./app/attention.tsx";
import { applyTheme } from "./app/theme.tsx";
import { SpeechReader } from "./speech/speech-reader.ts";
import { AppStore } from "./store/app-store.ts";
import { readTheme } from "./store/local-storage.ts";
import { findToken, isTokenValid, readDefaults, UnauthorizedError } from "./store/sign-in.ts";
import { StoreContext } from "./store/use-store.ts";
import "./style/index.css";

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
