/** The replay of a given log in this process, on an emulator, at a clock that stands still unless a test moves it. */
import type { Clock } from "../../src/kit/clock.ts";
import type { SessionEvent } from "../../src/protocol/index.ts";
import { ReplayScreen } from "../../src/tui/replay/replay-screen.ts";
import { createEmulator, type Emulator } from "./emulator.ts";
import { terminalOn } from "./open-app.ts";

export interface OpenReplay extends Pick<Emulator, "screen" | "cells" | "modes"> {
  readonly screenOf: ReplayScreen;
  type(data: string): void;
  /** Lets this much time pass, timer by timer. */
  pass(ms: number): Promise<void>;
  settle(): Promise<void>;
  /** Resolves when the user has left. */
  readonly over: Promise<void>;
  close(): Promise<void>;
}

export interface OpenReplayOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly events: readonly SessionEvent[];
  readonly speed?: number;
}

const BATCH = 7;

export async function openReplay({
  columns = 80,
  rows = 24,
  events,
  speed = 0,
}: OpenReplayOptions): Promise<OpenReplay> {
  const emulator = createEmulator({ columns, rows, hasKitty: true, background: undefined, answer: () => {} });
  const terminal = terminalOn(emulator, { columns, rows }, () => {});
  const stop = new AbortController();
  const clock = createStillClock();
  const screen = new ReplayScreen(
    {
      sessionId: "session",
      events: batches(events),
      speed,
      env: { TERM: "xterm-256color", COLORTERM: "truecolor" },
      theme: "dark",
      keysFile: { path: "keys.jsonc", text: "" },
      settingsFile: { path: "screen.jsonc", text: "" },
      copyText: async () => true,
      signal: stop.signal,
    },
    terminal.port,
    clock,
  );
  const over = screen.run();
  const settle = async () => {
    for (let turn = 0; turn < 3; turn += 1) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      screen.tui.renderNow();
      await new Promise<void>((resolve) => emulator.write("", resolve));
    }
  };
  const isRead = () => !emulator.screen().join("\n").includes("Reading the session");
  do await settle();
  while (!isRead());
  return {
    screenOf: screen,
    screen: emulator.screen,
    cells: emulator.cells,
    get modes() {
      return emulator.modes;
    },
    type: (data) => terminal.type(data),
    async pass(ms) {
      clock.pass(ms);
      await settle();
    },
    settle,
    over,
    async close() {
      stop.abort();
      await over;
    },
  };
}

async function* batches(events: readonly SessionEvent[]) {
  for (let at = 0; at < events.length; at += BATCH) yield events.slice(at, at + BATCH);
}

interface StillClock extends Clock {
  pass(ms: number): void;
}

function createStillClock(): StillClock {
  let now = 0;
  let timers: { readonly at: number; readonly call: () => void }[] = [];
  return {
    now: () => now,
    monotonic: () => now,
    after(ms, call) {
      const timer = { at: now + ms, call };
      timers.push(timer);
      return () => (timers = timers.filter((one) => one !== timer));
    },
    pass(ms) {
      const end = now + ms;
      for (;;) {
        const next = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
        if (next === undefined) break;
        timers = timers.filter((one) => one !== next);
        now = next.at;
        next.call();
      }
      now = end;
    },
  };
}
