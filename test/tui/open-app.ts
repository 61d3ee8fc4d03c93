/** The whole terminal app in this process, on an emulator and at a given log; milliseconds instead of a program. */
import type { Terminal } from "@earendil-works/pi-tui";
import { systemClock, type Clock } from "../../src/kit/clock.ts";
import type { SessionEvent } from "../../src/protocol/index.ts";
import { App } from "../../src/tui/app/app.ts";
import type { ScreenOptions } from "../../src/tui/app/options.ts";
import { SETTINGS } from "../generate/drafts.ts";
import { patient } from "../patience.ts";
import { createEmulator, type Emulator } from "./emulator.ts";
import { createLogPeer, type LogPeer } from "./log-peer.ts";

export interface OpenApp extends Pick<
  Emulator,
  "screen" | "cells" | "runs" | "cursor" | "strings" | "modes" | "title" | "wrapped"
> {
  readonly app: App;
  readonly peer: LogPeer;
  /** Everything written so far. */
  readonly written: () => string;
  /** What the terminal answered to what was written: a person's keys are not among it. */
  readonly answers: readonly string[];
  type(data: string): void;
  resize(columns: number, rows: number): void;
  /** Resolves when what is known now is drawn, and the emulator has read all of it. */
  draw(): Promise<void>;
  /** Resolves when everything that was said is drawn. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

export interface AppOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly events?: readonly SessionEvent[];
  readonly now?: number;
  /** The clock of frames and of the grace of requests; that of the machine unless told. */
  readonly monotonic?: () => number;
  readonly sessionId?: string;
  /** Where the session is, in words. */
  readonly place?: string;
  /** The screen waits for another connection once this one is lost. */
  readonly isLasting?: boolean;
  /** Of the machine: nothing unless told. */
  readonly more?: Partial<
    Pick<
      ScreenOptions,
      | "choose"
      | "describeDirectory"
      | "theme"
      | "introduce"
      | "welcome"
      | "env"
      | "keysFile"
      | "settingsFile"
      | "files"
      | "runShell"
      | "hasDirectory"
      | "saveSetting"
      | "readText"
      | "stores"
      | "copyText"
      | "editText"
      | "editFile"
      | "isInForeground"
    >
  >;
}

export async function openApp(options: AppOptions = {}): Promise<OpenApp> {
  const { columns = 80, rows = 24, events = [], now = 0, more = {} } = options;
  const { sessionId = "session", place = "here", monotonic = () => systemClock.monotonic() } = options;
  const answers: string[] = [];
  let written = "";
  const emulator = createEmulator({
    columns,
    rows,
    hasKitty: true,
    background: undefined,
    answer: (data) => answers.push(data),
  });
  const terminal = terminalOn(emulator, { columns, rows }, (data) => (written += data));
  const peer = await createLogPeer(sessionId, events, options);
  const stop = new AbortController();
  // Ages and spinners stand still; timers run.
  const clock: Clock = { ...systemClock, now: () => now, monotonic };
  const app = new App({ ...optionsFor(peer, { sessionId, place }, stop.signal), ...more }, terminal.port, clock);
  const over = app.run();
  const draw = async () => {
    app.tui.renderNow();
    await new Promise<void>((resolve) => emulator.write("", resolve));
  };
  const settle = async () => {
    for (;;) {
      const seq = app.transcript?.head.seq;
      await new Promise((resolve) => setTimeout(resolve, patient(40)));
      await draw();
      // A session that does not exist yet has nothing to say.
      if (app.sessionId === undefined || seq === peer.transcript.head.seq) return;
    }
  };
  await settle();
  return {
    app,
    peer,
    written: () => written,
    answers,
    screen: emulator.screen,
    cells: emulator.cells,
    runs: emulator.runs,
    cursor: emulator.cursor,
    strings: emulator.strings,
    get modes() {
      return emulator.modes;
    },
    get title() {
      return terminal.title();
    },
    wrapped: emulator.wrapped,
    type: (data) => terminal.type(data),
    resize: terminal.resize,
    draw,
    settle,
    async close() {
      stop.abort();
      await over;
      await new Promise<void>((resolve) => emulator.write("", resolve));
    },
  };
}

/** A machine without files. */
export const noFiles: ScreenOptions["files"] = {
  read: async () => {
    throw new Error("there is no such file");
  },
  complete: async () => [],
};

/** Nothing of the machine: no files, no programs, no draft. */
function optionsFor(
  { client }: LogPeer,
  { sessionId, place }: { sessionId: string; place: string },
  signal: AbortSignal,
): ScreenOptions {
  return {
    version: "0.9.0",
    connect: async () => ({ client, label: place, outlivesScreen: false }),
    choose: async () => ({ sessionId }),
    createSession: async () => sessionId,
    files: noFiles,
    candidateMembers: async () => [],
    introduce: async () => ({ defaults: { cwd: "/project", settings: SETTINGS, members: [] }, lines: [] }),
    env: { TERM: "xterm-256color", COLORTERM: "truecolor" },
    theme: "dark",
    keysFile: { path: "keys.jsonc", text: "" },
    settingsFile: { path: "screen.jsonc", text: "" },
    saveSetting: async () => {},
    stores: () => ({
      history: { load: async () => [], add: () => {} },
      drafts: { load: async () => ({ text: "", pastes: [] }), save: () => {}, flush: async () => {} },
    }),
    editText: async () => undefined,
    copyText: async () => true,
    saveFile: async (name) => name,
    doctor: async () => [],
    signal,
  };
}

export function terminalOn(
  emulator: Emulator,
  size: { columns: number; rows: number },
  record: (data: string) => void,
) {
  let onInput: (data: string) => void = () => {};
  let onResize = () => {};
  let { columns, rows } = size;
  let title = "";
  const write = (data: string) => {
    record(data);
    emulator.write(data, () => {});
  };
  const port: Terminal = {
    start(input, resized) {
      onInput = input;
      onResize = resized;
    },
    stop: () => (onInput = () => {}),
    drainInput: () => Promise.resolve(),
    write,
    get columns() {
      return columns;
    },
    get rows() {
      return rows;
    },
    kittyProtocolActive: true,
    moveBy: (lines) => write(`\u001b[${Math.abs(lines)}${lines < 0 ? "A" : "B"}`),
    hideCursor: () => write("\u001b[?25l"),
    showCursor: () => write("\u001b[?25h"),
    clearLine: () => write("\u001b[K"),
    clearFromCursor: () => write("\u001b[J"),
    clearScreen: () => write("\u001b[2J\u001b[H"),
    setTitle: (text) => {
      title = text;
      write(`\u001b]0;${text}\u0007`);
    },
    setProgress: () => {},
  };
  const resize = (width: number, height: number) => {
    emulator.resize(width, height);
    [columns, rows] = [width, height];
    onResize();
  };
  return { port, type: (data: string) => onInput(data), title: () => title, resize };
}
