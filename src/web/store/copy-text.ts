/** Copies to the clipboard and shows the result. */
import type { PageStore } from "./page-store.ts";

/** Who gets the link may not be signed in. */
export function copyLink(store: PageStore, link: string): Promise<boolean> {
  return copyText(store, link, "Link copied. It opens only in a browser that is signed in.");
}

export function copyText(store: PageStore, text: string, done = "Copied."): Promise<boolean> {
  return store.guarded(async () => {
    await navigator.clipboard.writeText(text).catch(() => {
      throw new Error("The browser doesn't allow this page to copy.");
    });
    store.notify(done);
  });
}
