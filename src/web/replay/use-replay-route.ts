/** The address names the event a replay rests at, so that it can be copied, kept and opened again. */
import { useEffect } from "react";
import type { Player, PlayerState } from "../../transcript/index.ts";
import { useStore } from "../store/use-store.ts";

/** Whoever drags the slider rests nowhere; browsers refuse an address that changes all the time. */
const REST_MS = 300;

export function useReplayRoute(player: Player | undefined, state: PlayerState | undefined): void {
  const store = useStore();
  const step = state?.step;
  const isPlaying = state?.isPlaying ?? false;
  useEffect(() => {
    if (player === undefined || step === undefined || isPlaying) return undefined;
    const seq = player.eventAt(step)?.seq ?? 0;
    const isAtEnd = step === player.length;
    const timer = setTimeout(() => store.replaceRoute({ view: "replay", ...(isAtEnd ? {} : { seq }) }), REST_MS);
    return () => clearTimeout(timer);
  }, [store, player, step, isPlaying]);
}
