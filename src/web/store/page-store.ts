/** What views ask of a store, whichever it is: that of the live session, or one that replays a past one. */
import type { AppStore } from "./app-store.ts";

export type PageStore = Pick<AppStore, keyof AppStore>;
