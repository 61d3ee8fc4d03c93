/**
 * The screen from top to bottom: title, log, box, status, hints. When rows are scarce the blank rows go first, then the
 * lower rule, then title and hints; never the draft.
 */
import { type Component, type StackEntry, VStack } from "@earendil-works/pi-tui";
import type { ConnectionState } from "../../../client/index.ts";
import type { Transcript } from "../../../transcript/index.ts";
import type { Theme } from "../../theme/theme.ts";
import type { ChosenFile } from "../session/attached-files.ts";
import { attachedRows, createRowsComponent, queueRows, widgetRows } from "../chrome/chrome-rows.ts";
import { type HintFacts, hintRow } from "../chrome/hints.ts";
import type { Notes } from "../chrome/notes.ts";
import { createPanelView, type PanelStack } from "./panel-stack.ts";
import { type StatusFacts, statusRow } from "../chrome/status-bar.ts";
import { titleRow } from "../chrome/title-row.ts";
import { type WelcomeFacts, welcomeRows } from "../chrome/welcome-rows.ts";

export interface LayoutFacts extends StatusFacts {
  readonly theme: Theme;
  readonly transcript: Transcript | undefined;
  readonly connection: ConnectionState;
  readonly opening?: string | undefined;
  readonly now: number;
  readonly unseen: number;
  readonly search: string;
  readonly attached?: readonly ChosenFile[];
}

export interface LayoutOptions {
  readonly facts: () => LayoutFacts;
  readonly log: Component;
  readonly prompt: Component;
  /** What is open at the box. */
  readonly panels: PanelStack;
  readonly notes: Notes;
  /** Stands in place of the log; undefined once there is one. */
  readonly welcome?: () => WelcomeFacts | undefined;
  /** Absent in a replay, whose bar has its own. */
  readonly hints?: () => HintFacts;
  /** The row above the bar of a replay. */
  readonly working?: (facts: LayoutFacts, width: number) => string;
}

/** Smaller screens lose these. */
const ROWS_WITH_BLANKS = 30;
export const ROWS_WITH_LOWER_RULE = 20;
const ROWS_WITH_TITLE = 16;
/** Rows of all notes on a screen without a title. */
const NOTE_ROWS_LOW = 2;
/** Rows of the log that the status line leaves. */
const LOG_ROWS_MIN = 2;

type LayoutEntry = StackEntry & { readonly isLog?: boolean };
type Viewport = { readonly width: number; readonly height: number };

const FIXED = { grow: 0, shrink: 0 };

type Rows = (rows: (now: LayoutFacts, width: number) => readonly string[]) => Component;

export function createLayout(options: LayoutOptions): VStack {
  const { facts, log, panels, welcome } = options;
  const rows: Rows = (make) => createRowsComponent((width) => make(facts(), width));
  const isFull = () => panels.top?.placement === "screen";
  const blank: LayoutEntry = {
    ...FIXED,
    visible: ({ height }) => height >= ROWS_WITH_BLANKS && !isFull(),
    component: rows(() => [""]),
  };
  let viewport: Viewport = { width: 1, height: 1 };
  /** Rows reserved for the log, or the view that replaces it. */
  const roomForLog = (width: number) => {
    const others = entries.filter((entry) => entry.isLog !== true && entry.visible?.(viewport) !== false);
    return Math.max(
      1,
      viewport.height - others.reduce((sum, { component }) => sum + component.render(width).length, 0),
    );
  };
  const greeting = createRowsComponent((width) => {
    const now = welcome?.();
    return now === undefined ? [] : welcomeRows(now, width, roomForLog(width));
  });
  const logSize = { basis: 0, grow: 1, shrink: 1, minSize: 1, isLog: true };
  const isWelcome = (now: Viewport) => {
    viewport = now;
    return welcome?.() !== undefined;
  };
  const entries: readonly LayoutEntry[] = [
    {
      ...FIXED,
      visible: ({ height }) => !isFull() && height >= (panels.isOpen ? ROWS_WITH_LOWER_RULE : ROWS_WITH_TITLE),
      component: rows((now, width) => [titleRow(now, width)]),
    },
    blank,
    { ...logSize, component: log, visible: (now) => !isFull() && !isWelcome(now) },
    { ...logSize, component: greeting, visible: (now) => !isFull() && isWelcome(now) },
    blank,
    ...boxEntries(options, rows),
  ];
  return new VStack([...entries]);
}

/** Everything below the log: notices and lists at the box, the box or what is open in its place, status and hints. */
function boxEntries({ prompt, panels, notes, hints, working }: LayoutOptions, rows: Rows): LayoutEntry[] {
  const panel = createPanelView(panels);
  const isFull = () => panels.top?.placement === "screen";
  const isBoxShown = () => panels.top === undefined || panels.top.placement === "above-box";
  const atBox = (component: Component): LayoutEntry => ({ ...FIXED, visible: () => isBoxShown(), component });
  /** Gives way to what is open above the box, so that the status line stays on small screens. */
  const spare = (component: Component): LayoutEntry => ({ ...FIXED, visible: () => !panels.isOpen, component });
  let isLow = false;
  const besideDraft = ({ height, width }: Viewport) => height - prompt.render(width).length;
  return [
    {
      ...FIXED,
      visible: (now) => {
        isLow = now.height < ROWS_WITH_TITLE;
        return !panels.isOpen;
      },
      component: rows(({ theme }, width) => notes.rows(theme, width, isLow ? NOTE_ROWS_LOW : undefined)),
    },
    spare(rows(({ search, theme }) => (search === "" ? [] : [theme.paint("quiet", search)]))),
    spare(rows(({ transcript, theme }) => widgetRows(transcript?.head, "above", theme))),
    spare(rows(({ transcript, theme }, width) => queueRows(transcript?.head, theme, width))),
    spare(rows(({ attached = [], theme }) => attachedRows(attached, theme))),
    ...(working === undefined ? [] : [atBox(rows((now, width) => [working(now, width)]))]),
    { ...FIXED, visible: () => panels.isOpen, component: panel.body },
    atBox(prompt),
    {
      ...FIXED,
      visible: ({ height }) => !isBoxShown() && !isFull() && height >= ROWS_WITH_LOWER_RULE,
      component: createRowsComponent(() => [panel.foot()[0]]),
    },
    spare(rows(({ transcript, theme }) => widgetRows(transcript?.head, "below", theme))),
    {
      ...FIXED,
      visible: (now) => (isBoxShown() ? besideDraft(now) > LOG_ROWS_MIN : !isFull() && now.height >= ROWS_WITH_TITLE),
      component: rows((now, width) => [statusRow(now, width)]),
    },
    {
      ...FIXED,
      visible: ({ height }) => (panels.isOpen ? !isFull() : hints !== undefined && height >= ROWS_WITH_TITLE),
      component: createRowsComponent((width) =>
        panels.isOpen ? [panel.foot()[1]] : hints === undefined ? [] : [hintRow(hints(), width)],
      ),
    },
  ];
}
