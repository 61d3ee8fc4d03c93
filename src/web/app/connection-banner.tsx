/** Banner about a lost connection, a failing store, or the end of the session. */
import { useEffect, useState } from "react";
import type { ConnectionState } from "../../client/index.ts";
import { useApp, useStore } from "../store/use-store.ts";

/** Shorter interruptions are not shown. */
const QUIET_MS = 400;

const TICK_MS = 250;

/** A restarted server has another address, and this page would retry for ever. */
const RESTARTED = "If the server has restarted, run `roundtable web` for a new link.";

export function ConnectionBanner() {
  const store = useStore();
  const ended = useApp((state) => state.ended);
  const storeProblem = useApp((state) => state.storeProblem);
  const reason = useApp((state) => state.connection.reason);
  const next = useNextTry();
  const isOffline = ended === undefined && next !== "";
  const message = ended ?? (isOffline ? `${sentence(reason)} ${RESTARTED}`.trim() : sentence(storeProblem));
  if (message === "" && !isOffline) return null;
  return (
    <p className="banner" role="alert">
      <span>
        {isOffline ? <Trying next={next} /> : null}
        {message}
      </span>
      {isOffline ? (
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

/** The countdown is hidden from screen readers, which would read every second. */
function Trying({ next }: { next: string }) {
  return (
    <>
      Disconnected. Retrying<span aria-hidden="true"> {next}</span>.{" "}
    </>
  );
}

/** Time of the next attempt; empty when there is nothing to show. */
function useNextTry(): string {
  const state = useApp((app) => app.connection);
  const isOnline = state.state === "online";
  const [next, setNext] = useState("");
  useEffect(() => {
    if (isOnline) {
      setNext("");
      return undefined;
    }
    const since = performance.now();
    const draw = (): void => setNext(formatNextTry(state, since));
    // Keeps a visible message.
    setNext((before) => (before === "" ? "" : formatNextTry(state, since)));
    let timer = setTimeout(function tick() {
      draw();
      timer = setTimeout(tick, TICK_MS);
    }, QUIET_MS);
    return () => clearTimeout(timer);
  }, [isOnline, state]);
  return next;
}

function formatNextTry(state: ConnectionState, since: number): string {
  const leftMs = since + state.nextInMs - performance.now();
  return state.state === "offline" && leftMs > 0 ? `in ${Math.ceil(leftMs / 1000)} s` : "now";
}

function sentence(text: string): string {
  if (text === "") return "";
  const upper = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(upper) ? upper : `${upper}.`;
}
