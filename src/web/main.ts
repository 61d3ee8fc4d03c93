/** The page begins: sign in, connect, draw. What goes wrong before there is a page is said on the page. */
import * as z from "zod";
import { connectWebSocket, createClient } from "../client/index.ts";
import { newId } from "../kit/ids.ts";
import { App, type Defaults } from "./app.ts";
import { element } from "./element.ts";
import { fetchJson, signIn } from "./sign-in.ts";

// Its compiled checks need eval, which this page forbids itself.
z.config({ jitless: true });

/** Kept for the tab, so that after a reload the turns it started are still its own to interrupt. */
const CLIENT_KEY = "roundtable.client";

async function begin(root: HTMLElement): Promise<void> {
  const token = await signIn();
  const clientId = sessionStorage.getItem(CLIENT_KEY) ?? newId();
  sessionStorage.setItem(CLIENT_KEY, clientId);
  const [defaults, client] = await Promise.all([
    fetchJson<Defaults>("/v1/defaults", token),
    createClient(() => connectWebSocket(location.origin, token), { clientId }),
  ]);
  await new App(client, defaults).start(root);
}

const root = element("div", { id: "root" });
document.body.replaceChildren(root);
begin(root).catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error);
  root.replaceChildren(
    element("main", { class: "gate" }, element("h1", {}, "Roundtable"), element("p", { role: "alert" }, message)),
  );
});
