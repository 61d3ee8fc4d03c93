/** The page begins: sign in, connect, draw. What goes wrong before there is a page is said on the page. */
import "./no-eval.ts";
import { connectWebSocket, createLastingClient } from "../client/index.ts";
import { newId } from "../kit/ids.ts";
import type { ClientConnection } from "../protocol/index.ts";
import { App, type Defaults } from "./app.ts";
import { element } from "./element.ts";
import { fetchJson, isTaken, signIn } from "./sign-in.ts";

/** Kept for the tab, so that after a reload the turns it started are still its own to interrupt. */
const CLIENT_KEY = "roundtable.client";

const ANOTHER_SERVER =
  "The server was started anew and does not know this page any more. Get a link with: roundtable web";

async function begin(root: HTMLElement): Promise<void> {
  const token = await signIn();
  const clientId = sessionStorage.getItem(CLIENT_KEY) ?? newId();
  sessionStorage.setItem(CLIENT_KEY, clientId);
  let app: App | undefined;
  const connect = async (): Promise<ClientConnection> => {
    try {
      return await connectWebSocket(location.origin, token);
    } catch (error) {
      // A server that was started anew has another token: trying on would never end. No server at all is another matter.
      const isKnown = app === undefined || (await isTaken(token).catch(() => true));
      if (!isKnown) app?.end(ANOTHER_SERVER);
      throw error;
    }
  };
  const [defaults, client] = await Promise.all([
    fetchJson<Defaults>("/v1/defaults", token),
    createLastingClient(connect, { clientId }),
  ]);
  addEventListener("online", () => client.hint("online"));
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) client.hint("visible");
  });
  app = new App(client, defaults);
  await app.start(root);
}

const root = element("div", { id: "root" });
document.body.replaceChildren(root);
begin(root).catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error);
  root.replaceChildren(
    element("main", { class: "gate" }, element("h1", {}, "Roundtable"), element("p", { role: "alert" }, message)),
  );
});
