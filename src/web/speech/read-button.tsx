/** Reads an answer aloud, or stops it; not there where the browser cannot speak. */
import { useSyncExternalStore } from "react";
import { useStore } from "../store/use-store.ts";

export function ReadButton({ turnId }: { turnId: string }) {
  const store = useStore();
  const { speech } = store;
  const isReading = useSyncExternalStore(
    (listener) => speech.subscribe(listener),
    () => speech.turnId === turnId,
  );
  if (!speech.canSpeak) return null;
  return (
    <button
      type="button"
      aria-pressed={isReading}
      onClick={() => (isReading ? speech.stop() : speech.read(store, turnId))}
    >
      {isReading ? "Stop reading" : "Read aloud"}
    </button>
  );
}
