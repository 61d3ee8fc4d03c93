/** Entry point: sign in, connect, render. Errors before the first render are shown on the page. */
import "./store/no-eval.ts";
import { createRoot, type Root } from "react-dom/client";
import { connectWebSocket, createLastingClient, newClientId, type SessionDefaults } from "../client/index.ts";
import type { ClientConnection } from "../protocol/index.ts";
import { App } from "./app/app.tsx";
import { watchAttention } from "./app/attention.tsx";
import { applyTheme } from "./app/theme.tsx";
import { returnCarets } from "./input/focus.ts";
import { loadMarkdown } from "./markdown/markdown.tsx";
import { readDevice } from "./sign-in/device-key.ts";
import { Gate, SignInPage } from "./sign-in/sign-in-page.tsx";
import { readOffer } from "./sign-in/offer.ts";
import { endVisit, extractReturn } from "./sign-in/provider.ts";
import { currentToken, dropToken, register, SignedOutError, extractCode } from "./sign-in/sign-in.ts";
import { SpeechReader } from "./speech/speech-reader.ts";
import { AppStore } from "./store/app-store.ts";
import { readTheme } from "./store/local-storage.ts";
import { PHONE } from "./store/use-media.ts";
import { StoreContext } from "./store/use-store.ts";
import { FaultBoundary } from "./ui/error-boundary.tsx";
import "./style/index.css";

/** Stored per tab, so that after a reload it can still interrupt its own turns. */
const CLIENT_KEY = "roundtable.client";

/** Retry interval while the server is busy or restarting. */
const RETRY_MS = 1_000;

/** Rejects with `SignedOutError` when the user has to sign in first. */
async function readDefaults(): Promise<SessionDefaults> {
  const ask = async () => await fetch("/v1/defaults", { headers: { authorization: `Bearer ${await currentToken()}` } });
  let answer = await ask();
  if (answer.status === 401) {
    dropToken();
    answer = await ask();
  }
  if (answer.ok) return (await answer.json()) as SessionDefaults;
  throw new Error(`The defaults for new sessions could not be loaded (${answer.status}).`);
}

async function begin(root: Root): Promise<void> {
  let store: AppStore | undefined;
  const connect = async (): Promise<ClientConnection> => {
    try {
      return await connectWebSocket(location.origin, await currentToken());
    } catch (error) {
      // A restarted server does not know the token: the next attempt signs in again.
      dropToken();
      // Retrying would never end.
      if (error instanceof SignedOutError) store?.end(error.message);
      throw error;
    }
  };
  const clientId = sessionStorage.getItem(CLIENT_KEY) ?? newClientId("browser");
  const connecting = createLastingClient(connect, { clientId });
  const defaults = await readDefaults().catch((error: unknown) => {
    connecting.then(
      (client) => client.close(),
      () => {},
    );
    throw error;
  });
  const client = await connecting;
  sessionStorage.setItem(CLIENT_KEY, clientId);
  addEventListener("online", () => client.hint("online"));
  // A local server is reachable without a network.
  addEventListener("offline", () => void fetch("/v1/health").catch(() => client.hint("offline")));
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) client.hint("visible");
  });
  store = new AppStore(client, { defaults, token: currentToken });
  if ("speechSynthesis" in globalThis) store.speech = new SpeechReader(speechSynthesis);
  watchAttention(store);
  // On a phone what needs the user comes first.
  if (location.hash === "" && matchMedia(PHONE).matches) history.replaceState(null, "", "#/inbox");
  store.start();
  root.render(
    <StoreContext value={store}>
      <FaultBoundary>
        <App />
      </FaultBoundary>
    </StoreContext>,
  );
}

applyTheme(readTheme());

returnCarets();

// A session will need it.
if (location.hash !== "") void loadMarkdown();

const container = document.createElement("div");

container.id = "root";

document.body.replaceChildren(container);

const root = createRoot(container);

function explain(message: string): void {
  root.render(
    <Gate title="Roundtable">
      <p role="alert">{message}</p>
    </Gate>,
  );
}

async function startWithRetry(): Promise<void> {
  try {
    await begin(root);
  } catch (error) {
    if (error instanceof SignedOutError) return await askToSignIn(error.message);
    explain(`${error instanceof Error ? error.message : String(error)} Trying again.`);
    setTimeout(() => void startWithRetry(), RETRY_MS);
  }
}

async function askToSignIn(why: string): Promise<void> {
  const offer = await readOffer();
  root.render(<SignInPage why={why} offer={offer} onSignedIn={() => void startWithRetry()} />);
}

/** A browser that is signed in needs no code; one that is not uses the code of the link it was opened with. */
async function start(): Promise<void> {
  const returned = extractReturn();
  const code = extractCode();
  try {
    if (returned !== undefined) await endVisit(returned);
  } catch (error) {
    return await askToSignIn(error instanceof Error ? error.message : String(error));
  }
  if (code !== undefined) {
    const isSignedIn = await currentToken().then(
      () => true,
      // A temporary failure must not sign this browser in as whoever sent the link.
      async (error: unknown) => !(error instanceof SignedOutError) && (await readDevice()) !== undefined,
    );
    try {
      if (!isSignedIn) await register(code);
    } catch (error) {
      if (error instanceof SignedOutError) return await askToSignIn(error.message);
      // The server did not answer; the attempt below says so and tries again.
    }
  }
  await startWithRetry();
}

void start();
