/** The store as views see it: of the live session, or of a replay. */
import type { AppStore } from "./app-store.ts";

export type PageStore = Pick<AppStore, keyof AppStore>;
