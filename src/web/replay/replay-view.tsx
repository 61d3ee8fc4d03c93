/**
 * A past session drawn by the very views of the live one, at any of its events. What happens live meanwhile is said and
 * waits; Escape leads back to it.
 */
import { useEffect } from "react";
import type { Player, PlayerState } from "../../transcript/index.ts";
import { CompareDialog } from "../compare/compare-dialog.tsx";
import { LogOrAgent } from "../conversation/agent-page.tsx";
import { plural } from "../format/units.ts";
import { focusDraft } from "../input/focus.ts";
import { StoreContext, useApp, useStore } from "../store/use-store.ts";
import { ReplayBar } from "./replay-bar.tsx";
import type { ReplayStore } from "./replay-store.ts";
import { usePlayer } from "./use-player.ts";

/** Whoever drags the slider rests nowhere; browsers refuse an address that changes all the time. */
const REST_MS = 300;

export interface ReplayViewProps {
  readonly replay: ReplayStore;
  readonly fromSeq: number | undefined;
  readonly onLeave: () => void;
}

export function ReplayView({ replay, fromSeq, onLeave }: ReplayViewProps) {
  const live = useStore();
  const { player, state, loaded, problem } = usePlayer(live, replay, fromSeq);
  useReplayRoute(player, state);
  useEffect(() => returnFocus, []);
  const total = useApp(({ transcript }) => transcript?.head.seq) ?? 0;
  return (
    <section className="replay" aria-label="Replay">
      <StoreContext value={replay.store}>
        {player === undefined ? (
          <p className="hint" role="status">
            {problem === "" ? `Reading ${loaded.toLocaleString("en")} of ${plural(total, "event")}…` : problem}
          </p>
        ) : (
          <LogOrAgent />
        )}
        <CompareDialog />
        <ReplayProblem />
      </StoreContext>
      <ReplayBar player={player} state={state} onLeave={onLeave} />
    </section>
  );
}

/** What had the focus was part of the replay. */
function returnFocus(): void {
  if (document.activeElement === document.body) focusDraft();
}

/** What a row of the replay could not do, or did. */
function ReplayProblem() {
  const problem = useApp((state) => state.problem);
  const note = useApp((state) => state.note);
  if (problem !== "")
    return (
      <p className="problem" role="alert">
        {problem}
      </p>
    );
  return note === "" ? null : (
    <p className="fact replay-note" role="status">
      {note}
    </p>
  );
}

/** The address names the event a replay rests at, so that it can be copied, kept and opened again. */
function useReplayRoute(player: Player | undefined, state: PlayerState | undefined): void {
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
