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

export function createLayout({ facts, log, prompt, notes, hints, working }: LayoutOptions): VStack {
  const rowsComponent = (rows: (now: LayoutFacts, width: number) => readonly string[]) =>
    createRowsComponent((width) => rows(facts(), width));
  const fixed = { grow: 0, shrink: 0 };
  const from = (rowsMin: number) => ({ ...fixed, visible: ({ height }: Viewport) => height >= rowsMin });
  const blank = { ...from(ROWS_WITH_BLANKS), component: rowsComponent(() => [""]) };
  const besideDraft = ({ height, width }: Viewport) => height - prompt.render(width).length;
  return new VStack([
    { ...from(ROWS_WITH_TITLE), component: rowsComponent((now, width) => [titleRow(now, width)]) },
    blank,
    { component: log, basis: 0, grow: 1, shrink: 1, minSize: 1 },
    blank,
    { ...fixed, component: rowsComponent(({ theme }, width) => notes.rows(theme, width)) },
    {
      ...fixed,
      component: rowsComponent(({ search, theme }) => (search === "" ? [] : [theme.paint("quiet", search)])),
    },
    { ...fixed, component: rowsComponent(({ transcript, theme }) => widgetRows(transcript?.head, "above", theme)) },
    { ...fixed, component: rowsComponent(({ transcript, theme }, width) => queueRows(transcript?.head, theme, width)) },
    { ...fixed, component: rowsComponent(({ attached = [], theme }) => attachedRows(attached, theme)) },
    ...(working === undefined ? [] : [{ ...fixed, component: rowsComponent((now, width) => [working(now, width)]) }]),
    { ...fixed, component: prompt },
    { ...fixed, component: rowsComponent(({ transcript, theme }) => widgetRows(transcript?.head, "below", theme)) },
    {
      ...fixed,
      visible: (viewport: Viewport) => besideDraft(viewport) > LOG_ROWS_MIN,
      component: rowsComponent((now, width) => [statusRow(now, width)]),
    },
    ...(hints === undefined
      ? []
      : [{ ...from(ROWS_WITH_TITLE), component: createRowsComponent((width) => [hintRow(hints(), width)]) }]),
  ]);
}
