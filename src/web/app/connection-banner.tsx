/** Says above the conversation what is between the page and the session: no connection, a store that fails, or the end. */
import { useEffect, useState } from "react";
import type { ConnectionState } from "../../client/index.ts";
import { useApp, useStore } from "../store/use-store.ts";

/** A cut that is mended sooner than this is nobody's business. */
const QUIET_MS = 400;
const TICK_MS = 250;

export function ConnectionBanner() {
  const store = useStore();
  const ended = useApp((state) => state.ended);
  const trouble = useApp((state) => state.storeTrouble);
  const connection = useConnectionWords();
  const words = ended ?? (connection === "" ? sentence(trouble) : connection);
  if (words === "") return null;
  return (
    <p className="banner" role="alert">
      <span>{words}</span>
      {ended === undefined && connection !== "" ? (
        <button type="button" onClick={() => store.client.hint("online")}>
          Try now
        </button>
      ) : null}
      {ended === undefined ? null : (
        <button type="button" onClick={() => location.reload()}>
          Reload
        </button>
      )}
    </p>
  );
}

function useConnectionWords(): string {
  const state = useApp((app) => app.connection);
  const isOnline = state.state === "online";
  const [words, setWords] = useState("");
  useEffect(() => {
    if (isOnline) {
      setWords("");
      return undefined;
    }
    const since = performance.now();
    const draw = (): void => setWords(offlineWords(state, since));
    // One that is said already is said on.
    setWords((before) => (before === "" ? "" : offlineWords(state, since)));
    let timer = setTimeout(function tick() {
      draw();
      timer = setTimeout(tick, TICK_MS);
    }, QUIET_MS);
    return () => clearTimeout(timer);
  }, [isOnline, state]);
  return words;
}

function offlineWords(state: ConnectionState, since: number): string {
  const leftMs = since + state.nextInMs - performance.now();
  const next = state.state === "offline" && leftMs > 0 ? ` in ${Math.ceil(leftMs / 1000)} s` : " now";
  return `Offline, trying again${next}. ${sentence(state.reason)}`;
}

function sentence(text: string): string {
  if (text === "") return "";
  const upper = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(upper) ? upper : `${upper}.`;
}
