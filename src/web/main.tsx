/** The page begins: sign in, connect, draw. What goes wrong before there is a page is said on the page. */
import "./store/no-eval.ts";
import { createRoot, type Root } from "react-dom/client";
import { connectWebSocket, createLastingClient, newClientId } from "../client/index.ts";
import type { ClientConnection } from "../protocol/index.ts";
import { App } from "./app/app.tsx";
import { watchAttention } from "./app/attention.ts";
import { applyTheme } from "./app/theme.ts";
import { SpeechReader } from "./speech/speech-reader.ts";
import { AppStore } from "./store/app-store.ts";
import { readTheme } from "./store/local-storage.ts";
import { findToken, isTokenValid, UnauthorizedError, readDefaults } from "./store/sign-in.ts";
import { StoreContext } from "./store/use-store.ts";
import "./style/index.css";

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
