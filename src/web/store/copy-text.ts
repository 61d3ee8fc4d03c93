/** Copies to the clipboard and shows the result. */
import type { PageStore } from "./page-store.ts";

export function copyText(store: PageStore, text: string, done = "Copied."): Promise<boolean> {
  return store.guarded(async () => {
    await navigator.clipboard.writeText(text).catch(() => {
      throw new Error("The browser does not let this page copy.");
    });
    store.notify(done);
  });
}
