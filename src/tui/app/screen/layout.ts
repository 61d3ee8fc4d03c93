/**
 * The screen from top to bottom: title, log, box, status, hints. When rows are scarce the blank rows go first, then the
 * lower rule, then title and hints; never the draft.
 */
import { VStack, type Component } from "@earendil-works/pi-tui";
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
  /** Absent in a replay, whose bar has its own. */
  readonly hints?: () => HintFacts;
  /** The row above the bar of a replay. */
  readonly working?: (facts: LayoutFacts, width: number) => string;
}

/** Smaller screens lose these. */
const ROWS_WITH_BLANKS = 30;
export const ROWS_WITH_LOWER_RULE = 20;
const ROWS_WITH_TITLE = 16;
/** Rows of the log that the status line leaves. */
const LOG_ROWS_MIN = 2;

type Viewport = { readonly width: number; readonly height: number };

export function createLayout({ facts, log, prompt, panels, notes, hints, working }: LayoutOptions): VStack {
  const rowsComponent = (rows: (now: LayoutFacts, width: number) => readonly string[]) =>
    createRowsComponent((width) => rows(facts(), width));
  const fixed = { grow: 0, shrink: 0 };
  const isFull = () => panels.top?.placement === "screen";
  const isBoxShown = () => panels.top === undefined || panels.top.placement === "above-box";
  const from = (rowsMin: number) => ({ ...fixed, visible: ({ height }: Viewport) => height >= rowsMin && !isFull() });
  const atBox = { ...fixed, visible: () => isBoxShown() };
  const panel = createPanelView(panels);
  const blank = { ...from(ROWS_WITH_BLANKS), component: rowsComponent(() => [""]) };
  const besideDraft = ({ height, width }: Viewport) => height - prompt.render(width).length;
  return new VStack([
    {
      ...fixed,
      visible: ({ height }: Viewport) =>
        !isFull() && height >= (panels.isOpen ? ROWS_WITH_LOWER_RULE : ROWS_WITH_TITLE),
      component: rowsComponent((now, width) => [titleRow(now, width)]),
    },
    blank,
    { component: log, basis: 0, grow: 1, shrink: 1, minSize: 1, visible: () => !isFull() },
    blank,
    { ...atBox, component: rowsComponent(({ theme }, width) => notes.rows(theme, width)) },
    {
      ...atBox,
      component: rowsComponent(({ search, theme }) => (search === "" ? [] : [theme.paint("quiet", search)])),
    },
    { ...atBox, component: rowsComponent(({ transcript, theme }) => widgetRows(transcript?.head, "above", theme)) },
    { ...atBox, component: rowsComponent(({ transcript, theme }, width) => queueRows(transcript?.head, theme, width)) },
    { ...atBox, component: rowsComponent(({ attached = [], theme }) => attachedRows(attached, theme)) },
    ...(working === undefined ? [] : [{ ...atBox, component: rowsComponent((now, width) => [working(now, width)]) }]),
    { ...fixed, visible: () => panels.isOpen, component: panel.body },
    { ...atBox, component: prompt },
    {
      ...fixed,
      visible: ({ height }: Viewport) => !isBoxShown() && !isFull() && height >= ROWS_WITH_LOWER_RULE,
      component: createRowsComponent(() => [panel.foot()[0]]),
    },
    { ...atBox, component: rowsComponent(({ transcript, theme }) => widgetRows(transcript?.head, "below", theme)) },
    {
      ...fixed,
      visible: (viewport: Viewport) =>
        isBoxShown() ? besideDraft(viewport) > LOG_ROWS_MIN : !isFull() && viewport.height >= ROWS_WITH_TITLE,
      component: rowsComponent((now, width) => [statusRow(now, width)]),
    },
    {
      ...fixed,
      visible: ({ height }: Viewport) => (panels.isOpen ? !isFull() : hints !== undefined && height >= ROWS_WITH_TITLE),
      component: createRowsComponent((width) =>
        panels.isOpen ? [panel.foot()[1]] : hints === undefined ? [] : [hintRow(hints(), width)],
      ),
    },
  ]);
}
