/** Media queries as React state. */
import { useSyncExternalStore } from "react";

/** Phones have the inbox, a bar at the bottom and no sidebar. */
export const PHONE = "(width <= 640px)";

export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const media = matchMedia(query);
      media.addEventListener("change", listener);
      return () => media.removeEventListener("change", listener);
    },
    () => matchMedia(query).matches,
  );
}
