/** A log on a test screen, above one row that stands for the input. */
import { VStack, type Component } from "@earendil-works/pi-tui";
import { onTestFinished } from "vitest";
import type { Transcript } from "../../src/transcript/index.ts";
import { createLogViewOf } from "../../src/tui/log/create-log-view.ts";
import type { LogView } from "../../src/tui/log/log-view.ts";
import type { ViewSettings } from "../../src/tui/panels/panel.ts";
import { createTheme } from "../../src/tui/theme/create-theme.ts";
import { openTestScreen, type TestScreen } from "./in-process-terminal.ts";
import { plainLogDeps, type PlainLogDeps } from "./plain-panel.ts";

export const VIEW: ViewSettings = { thinking: "folded", isExpanded: false, hasTimes: false, isRaw: false };
export const THEME = createTheme({ name: "dark", depth: "truecolor" });

export interface OpenLog {
  readonly log: LogView;
  readonly screen: TestScreen;
  readonly deps: PlainLogDeps;
  /** Pages that were asked for, in order. */
  readonly asked: number[];
  /** The rows of the log on the screen. */
  rows(): Promise<string[]>;
  /** The positions of the messages that are in view. */
  positions(): Promise<number[]>;
  /** How many rows the input takes. */
  setInputRows(rows: number): void;
  show(transcript: Transcript): void;
  close(): void;
}

export interface OpenLogOptions {
  columns?: number;
  rows?: number;
  deps?: PlainLogDeps;
  inputRows?: number;
}

/** Closed when the test is over. */
export function testLog(transcript: Transcript | undefined, options: OpenLogOptions = {}): OpenLog {
  const opened = openLog(transcript, options);
  onTestFinished(() => opened.close());
  return opened;
}

export function openLog(transcript: Transcript | undefined, options: OpenLogOptions = {}): OpenLog {
  const { columns = 40, rows = 21, deps = plainLogDeps() } = options;
  const asked: number[] = [];
  let { inputRows = 1 } = options;
  let screen: TestScreen | undefined;
  const log = createLogViewOf(deps, {
    theme: THEME,
    settings: VIEW,
    now: () => 1_700_000_000_000,
    requestRender: () => screen?.tui.requestRender(),
    loadPage: (page) => asked.push(page),
    rowsMax: () => screen?.terminal.rows ?? rows,
  });
  log.show(transcript);
  const input: Component = {
    render: () => Array.from({ length: inputRows }, () => "input"),
    invalidate: () => {},
  };
  const root = new VStack([{ component: log.component, basis: 0, grow: 1 }, input]);
  const open = openTestScreen(root, columns, rows);
  screen = open;
  const logRows = async () => (await open.rows()).slice(0, open.terminal.rows - inputRows);
  return {
    log,
    screen: open,
    deps,
    asked,
    rows: logRows,
    positions: async () =>
      [...new Set((await logRows()).flatMap((row) => /^(\d+)\|/.exec(row)?.[1] ?? []))].map(Number),
    setInputRows(count) {
      inputRows = count;
      open.tui.requestRender();
    },
    show: (next) => log.show(next),
    close: () => open.close(),
  };
}
