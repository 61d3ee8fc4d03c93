/**
 * The store in components. Selector results are compared by identity, so they must be part of the state or primitive.
 */
import { createContext, use, useSyncExternalStore } from "react";
import type { Head } from "../../transcript/index.ts";
import type { AppState } from "./app-state.ts";
import type { PageStore } from "./page-store.ts";

export const StoreContext = createContext<PageStore | undefined>(undefined);

export function useStore(): PageStore {
  const store = use(StoreContext);
  if (store === undefined) throw new Error("a component of the page is drawn outside of it");
  return store;
}

export function useApp<Selected>(select: (state: AppState) => Selected): Selected {
  const store = useStore();
  return useSyncExternalStore(store.subscribe, () => select(store.getState()));
}

export function useHead<Selected>(select: (head: Head) => Selected): Selected | undefined {
  return useApp(({ transcript }) => (transcript === undefined ? undefined : select(transcript.head)));
}
