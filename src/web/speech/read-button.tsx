/** Reads an answer aloud, or stops it; not there where the browser cannot speak. */
import { useSyncExternalStore } from "react";
import { useStore } from "../store/use-store.ts";

export function ReadButton({ turnId }: { turnId: string }) {
  const store = useStore();
  const { voice } = store;
  const isReading = useSyncExternalStore(
    (listener) => voice.subscribe(listener),
    () => voice.turnId === turnId,
  );
  if (!voice.canSpeak) return null;
  return (
    <button
      type="button"
      aria-pressed={isReading}
      onClick={() => (isReading ? voice.stop() : voice.read(store, turnId))}
    >
      {isReading ? "Stop reading" : "Read aloud"}
    </button>
  );
}
