/**
 * A recorded session at any of its events, rendered by the live views. Live events are counted meanwhile; Escape
 * returns to them.
 */
import { useEffect, useRef } from "react";
import { PAUSE_MAX_MS, type Player, type PlayerState, REPLAY_EVENTS_MAX } from "../../transcript/index.ts";
import { IconButton } from "../ui/button.tsx";
import type { IconName } from "../ui/icon.tsx";
import { LogOrAgent } from "../conversation/conversation-log.tsx";
import { formatDuration, plural } from "../format/units.ts";
import { focusDraft, isTextField } from "../input/focus.ts";
import { StoreContext, useApp, useHead, useStore } from "../store/use-store.ts";
import type { ReplayStore } from "./replay-store.ts";
import { SPEEDS, usePlayer } from "./use-player.ts";
import { formatCount } from "../../kit/text/format.ts";

/** More marks would merge into a line. */
const MARKS_MAX = 200;

/** Debounce while the slider is dragged: browsers reject frequent address changes. */
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
            {problem === "" ? `Reading ${formatCount(loaded)} of ${plural(total, "event")}…` : problem}
          </p>
        ) : (
          <LogOrAgent />
        )}
        <ReplayProblem />
      </StoreContext>
      <ReplayBar player={player} state={state} onLeave={onLeave} />
    </section>
  );
}

/** The focused element was part of the replay. */
function returnFocus(): void {
  if (document.activeElement === document.body) focusDraft();
}

/** Error or notice of an action in the replay. */
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

/** Keeps the current event in the address, so that it can be copied and opened again. */
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

/** Replay controls: play, speed, step, jump between user messages, slider, and back to live. */
interface ReplayBarProps {
  readonly player: Player | undefined;
  readonly state: PlayerState | undefined;
  readonly onLeave: () => void;
}

function ReplayBar({ player, state, onLeave }: ReplayBarProps) {
  useKeys(player, onLeave);
  const slider = useRef<HTMLInputElement>(null);
  const isReady = player !== undefined;
  useEffect(() => slider.current?.focus(), [isReady]);
  return (
    <div className="replay-bar" role="group" aria-label="Replay controls">
      {player === undefined || state === undefined ? null : (
        <>
          <div className="replay-line">
            <input
              ref={slider}
              type="range"
              aria-label="Event"
              min={0}
              max={player.length}
              value={state.step}
              aria-valuetext={formatPosition(player, state)}
              onChange={({ target }) => player.goTo(target.valueAsNumber)}
            />
            <UserMarks player={player} />
          </div>
          <div className="replay-controls">
            <Buttons player={player} state={state} />
            <span className="fact replay-place">{formatPosition(player, state)}</span>
            <span className="fact replay-time">
              {shownMs(state.ms)} / {shownMs(player.timeline.totalMs)}
            </span>
            <LeaveButton onLeave={onLeave} />
          </div>
          <p className="fact replay-facts">
            <Facts player={player} state={state} />
          </p>
        </>
      )}
      {player === undefined ? (
        <div className="replay-controls">
          <LeaveButton onLeave={onLeave} />
        </div>
      ) : null}
    </div>
  );
}

function LeaveButton({ onLeave }: { onLeave: () => void }) {
  return (
    <button type="button" className="btn primary replay-leave" onClick={onLeave}>
      Back to live
    </button>
  );
}

function Buttons({ player, state }: { player: Player; state: PlayerState }) {
  return (
    <>
      <StepButton icon="skip-back" label="Your previous message" keys="Shift+←" onClick={() => player.goToUser(-1)} />
      <StepButton icon="step-back" label="One event back" keys="←" onClick={() => player.goBy(-1)} />
      <StepButton
        icon={state.isPlaying ? "pause" : "play"}
        label={state.isPlaying ? "Pause" : "Play"}
        keys="Space"
        onClick={() => player.toggle()}
      />
      <StepButton icon="step-forward" label="One event forward" keys="→" onClick={() => player.goBy(1)} />
      <StepButton icon="skip-forward" label="Your next message" keys="Shift+→" onClick={() => player.goToUser(1)} />
      <span className="seg replay-speeds" role="group" aria-label="Speed">
        {SPEEDS.map((speed) => (
          <button key={speed} type="button" aria-pressed={speed === state.speed} onClick={() => player.setSpeed(speed)}>
            {speed}×
          </button>
        ))}
      </span>
    </>
  );
}

interface StepButtonProps {
  readonly icon: IconName;
  readonly label: string;
  readonly keys: string;
  readonly onClick: () => void;
}

function StepButton({ icon, label, keys, onClick }: StepButtonProps) {
  return <IconButton icon={icon} label={label} title={`${label} (${keys})`} onClick={onClick} />;
}

/** User messages on the slider. Slider and keys lead there too. */
function UserMarks({ player }: { player: Player }) {
  if (player.userSteps.length > MARKS_MAX) return null;
  return (
    <div className="replay-marks" aria-hidden="true">
      {player.userSteps.map((step) => (
        <span key={step} style={{ insetInlineStart: `${(100 * step) / Math.max(1, player.length)}%` }} />
      ))}
    </div>
  );
}

/** Differences from the recording: shortened pauses, a session that continued, events beyond the limit. */
function Facts({ player, state }: { player: Player; state: PlayerState }) {
  const seq = useHead((head) => head.seq) ?? 0;
  const waiting = useApp(({ transcript }) => transcript?.head.requests.length ?? 0);
  const newer = seq - player.lastSeq;
  const cutMs = state.isPlaying ? player.timeline.cutBefore(state.step + 1) : 0;
  const facts = [
    cutMs > 0
      ? `A pause of ${formatDuration(cutMs + PAUSE_MAX_MS)} is shortened to ${PAUSE_MAX_MS / 1000} s.`
      : `Pauses longer than ${PAUSE_MAX_MS / 1000} s are shortened.`,
    ...(player.length >= REPLAY_EVENTS_MAX
      ? [`Only the first ${formatCount(REPLAY_EVENTS_MAX)} events are shown.`]
      : []),
    ...(newer > 0 && player.length < REPLAY_EVENTS_MAX
      ? [`The session has continued: ${plural(newer, "newer event")}.`]
      : []),
    ...(waiting > 0 ? [`${plural(waiting, "request is", "requests are")} waiting for an answer.`] : []),
  ];
  return facts.join(" ");
}

function useKeys(player: Player | undefined, onLeave: () => void): void {
  const latest = useRef({ player, onLeave });
  latest.current = { player, onLeave };
  useEffect(() => {
    const listener = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing || document.querySelector("dialog[open]") !== null) return;
      if (actOnKey(event, latest.current)) event.preventDefault();
    };
    // Before the page's shortcuts: Escape leaves the replay without interrupting turns.
    document.addEventListener("keydown", listener, { capture: true });
    return () => document.removeEventListener("keydown", listener, { capture: true });
  }, []);
}

/** "event 34 of 240 · 10:32:04 · text delta · scout". */
function formatPosition(player: Player, { step }: PlayerState): string {
  const position = `event ${formatCount(step)} of ${formatCount(player.length)}`;
  const event = player.eventAt(step);
  if (event === undefined) return `${position} · before the first`;
  const member = "member" in event && typeof event.member === "string" ? [event.member] : [];
  const time = event.ts > 0 ? [new Date(event.ts).toLocaleTimeString()] : [];
  return [position, ...time, event.type.replaceAll("_", " "), ...member].join(" · ");
}

/** "1:05". */
function shownMs(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  const rest = String(seconds % 60).padStart(2, "0");
  if (minutes < 60) return `${minutes}:${rest}`;
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${rest}`;
}

/** Keys of a replay, wherever the focus is in it. */
interface KeyTargets {
  readonly player: Player | undefined;
  readonly onLeave: () => void;
}

/** True when the key was handled. */
function actOnKey(event: KeyboardEvent, { player, onLeave }: KeyTargets): boolean {
  const { key, shiftKey, target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  if (key === "Escape") onLeave();
  else if (isTextField(target) && !isSlider(target)) return false;
  // A live request is not visible here and must not be answered by a key.
  else if (/^\d$/.test(key)) return true;
  else if (player === undefined) return false;
  else if (key === "ArrowRight" || key === "ArrowLeft") move(player, key === "ArrowRight" ? 1 : -1, shiftKey);
  else if (key === "Home") player.goTo(0);
  else if (key === "End") player.goTo(player.length);
  else if (key === " " && !isPressed(target)) player.toggle();
  else if (key === "+" || key === "-") changeSpeed(player, key === "+" ? 1 : -1);
  else return false;
  return true;
}

function move(player: Player, direction: 1 | -1, isToUser: boolean): void {
  if (isToUser) player.goToUser(direction);
  else player.goBy(direction);
}

function changeSpeed(player: Player, by: number): void {
  const at = SPEEDS.findIndex((speed) => speed === player.state.speed);
  player.setSpeed(SPEEDS[Math.min(Math.max(at + by, 0), SPEEDS.length - 1)] ?? 1);
}

function isSlider(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement && target.type === "range";
}

/** Space activates these by itself. */
function isPressed(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest("button, summary, a") !== null;
}
