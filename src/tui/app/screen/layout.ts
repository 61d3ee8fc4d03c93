/** The screen from top to bottom. When rows are scarce the chrome goes first, then the log; never the draft. */
import { VStack, type Component } from "@earendil-works/pi-tui";
import type { ConnectionState } from "../../../client/index.ts";
import type { Transcript } from "../../../transcript/index.ts";
import type { Theme } from "../../theme/theme.ts";
import type { ChosenFile } from "../session/attached-files.ts";
import { attachedRows, createRowsComponent, queueRows, widgetRows, workingRow } from "../chrome/chrome-rows.ts";
import { headerRows } from "../chrome/header.ts";
import type { Notes } from "../chrome/notes.ts";
import { statusRow } from "../chrome/status-bar.ts";

export interface LayoutFacts {
  readonly theme: Theme;
  readonly transcript: Transcript | undefined;
  readonly connection: ConnectionState;
  readonly hostLabel: string;
  readonly newMembers: readonly string[];
  readonly isNewWritable?: boolean;
  readonly opening?: string | undefined;
  readonly now: number;
  readonly unseen: number;
  readonly requestsWaiting: number;
  readonly isLeaving?: boolean;
  readonly search: string;
  readonly attached?: readonly ChosenFile[];
}

export interface LayoutOptions {
  readonly facts: () => LayoutFacts;
  readonly log: Component;
  readonly prompt: Component;
  readonly notes: Notes;
  /** Replaces the row above the input, as in a replay. */
  readonly working?: (facts: LayoutFacts, width: number) => string;
}

/** Below this height the header is hidden to keep the log visible. */
const ROWS_WITH_HEADER = 12;
/** Log rows to keep before hint and status rows are hidden. */
const LOG_ROWS_MIN = 2;

type Edge = "working" | "status";
type Viewport = { readonly width: number; readonly height: number };

/** Which of the two rows fit. If only one: activity and key hints, unless the connection has a problem. */
function edgesFor({ height, width }: Viewport, prompt: Component, { connection }: LayoutFacts): readonly Edge[] {
  if (height >= ROWS_WITH_HEADER) return ["working", "status"];
  const besideDraft = height - prompt.render(width).length;
  const isOffline = connection.state !== "online";
  if (besideDraft >= LOG_ROWS_MIN + 2) return ["working", "status"];
  if (isOffline) return besideDraft >= LOG_ROWS_MIN ? ["status"] : [];
  return besideDraft > LOG_ROWS_MIN ? ["working"] : [];
}

export function createLayout({ facts, log, prompt, notes, working = workingRow }: LayoutOptions): VStack {
  const rowsComponent = (rows: (now: LayoutFacts, width: number) => readonly string[]) =>
    createRowsComponent((width) => rows(facts(), width));
  const fixed = { grow: 0, shrink: 0 };
  const edge = (name: Edge) => ({
    ...fixed,
    visible: (viewport: Viewport) => edgesFor(viewport, prompt, facts()).includes(name),
  });
  return new VStack([
    {
      ...fixed,
      component: rowsComponent(headerRows),
      visible: ({ height }) => height >= ROWS_WITH_HEADER,
    },
    { component: log, basis: 0, grow: 1, shrink: 1, minSize: 1 },
    { ...fixed, component: rowsComponent(({ theme }, width) => notes.rows(theme, width)) },
    {
      ...fixed,
      component: rowsComponent(({ search, theme }) => (search === "" ? [] : [theme.paint("quiet", search)])),
    },
    { ...fixed, component: rowsComponent(({ transcript, theme }) => widgetRows(transcript?.head, "above", theme)) },
    { ...fixed, component: rowsComponent(({ transcript, theme }) => queueRows(transcript?.head, theme)) },
    { ...fixed, component: rowsComponent(({ attached = [], theme }) => attachedRows(attached, theme)) },
    { ...edge("working"), component: rowsComponent((now, width) => [working(now, width)]) },
    { ...fixed, component: prompt },
    { ...fixed, component: rowsComponent(({ transcript, theme }) => widgetRows(transcript?.head, "below", theme)) },
    { ...edge("status"), component: rowsComponent((now, width) => [statusRow(now, width)]) },
  ]);
}
