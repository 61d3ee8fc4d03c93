/** Interface between the log and its content: one panel renders one message. */
import type { SeenAs } from "../../protocol/index.ts";
import type { ShownMessage, Transcript } from "../../transcript/index.ts";
import type { ActionName } from "../keys/actions.ts";
import type { Theme } from "../theme/theme.ts";

/** The user's view settings. Replaced as a whole, so that panels compare by identity. */
export interface ViewSettings {
  readonly thinking: "dim" | "folded" | "hidden";
  /** Tool output, diffs and exchanges in full. */
  readonly isExpanded: boolean;
  readonly hasTimes: boolean;
  /** Text as written, without Markdown and borders. */
  readonly isRaw: boolean;
  /** How turns of the same time stand: side by side, below each other, or one in full. By width when absent. */
  readonly arrangement?: Arrangement | "auto";
}

export type Arrangement = "columns" | "stack" | "focus";

/** The column that has the focus. */
export interface ColumnFocus {
  readonly turnId: string;
  /** It has the whole width. */
  readonly isWide: boolean;
}

/** The turn whose blocks are drawn. */
export interface TurnFacts {
  readonly member: string;
  readonly isOver: boolean;
  /** Number of its first code block. */
  readonly firstCode: number;
  readonly startTs: number;
  /** Files that its calls have changed, a line each. */
  readonly editedFiles: string;
}

export interface PanelContext {
  readonly theme: Theme;
  readonly settings: ViewSettings;
  /** Context of the message: members, deliveries, subagents. */
  readonly transcript: Transcript;
  /** Rows of a panel while its turn is open; it expands when the turn ends. */
  readonly liveRowsMax: number;
  readonly isSelected: boolean;
  /** The key of an action as the user has set it; absent where the panel's keys do nothing, as in a replay. */
  readonly keyOf?: ((action: ActionName) => string | undefined) | undefined;
  /** As whom the session is read, on a team's server. */
  readonly seenAs?: SeenAs | undefined;
  /** Position of the selected message, for panels of several. */
  readonly selected?: number | undefined;
  /** The message matches a search, or has its own page: nothing of it may be collapsed. */
  readonly isForcedOpen?: boolean;
  readonly now: number;
  /** Rows of the whole screen: low ones have no blank rows to spare. */
  readonly screenRows?: number | undefined;
  /** How turns of the same time stand, for the width; below each other when absent. */
  readonly arrangement?: Arrangement;
  readonly focus?: ColumnFocus | undefined;
  /** The turn that is shown in full where the others have a row each, if one was chosen. */
  readonly inFull?: string | undefined;
  /** The most rows of a group of open turns, and those that nothing above it needs. */
  readonly groupRows?: number;
  readonly freeRows?: number;
  /** Rows that a column is scrolled up from its end, by turn. */
  readonly scrolled?: ReadonlyMap<string, number>;
  /** The panel is a column of a group: it has no margin, and its height is given. */
  readonly column?: { readonly rows: number | undefined };
  /** The turn whose blocks are drawn. */
  readonly turn?: TurnFacts;
}

export interface Panel {
  /** Sets the newest state; cheap when nothing visible changed. */
  update(message: ShownMessage, context: PanelContext): void;
  /** Rows of at most `width` columns, terminal-safe. The same array until something changes. */
  render(width: number): readonly string[];
  /** Expands or collapses what is at this row and column; false when there is nothing to toggle. */
  toggle(row: number, column?: number): boolean;
  /** Expands everything, or collapses it when everything is; false when there is nothing to toggle. */
  toggleAll?(): boolean;
  /** Discards rendered rows after a change of theme or width. */
  invalidate(): void;
}

/** Lower screens have no blank rows around your message, and lower ones than that only its first row above answers. */
const ROWS_WITH_BLANKS = 30;
const ROWS_WITH_TITLE = 16;

export function hasBlankRows({ screenRows = ROWS_WITH_BLANKS }: PanelContext): boolean {
  return screenRows >= ROWS_WITH_BLANKS;
}

export function isTiny({ screenRows = ROWS_WITH_TITLE }: PanelContext): boolean {
  return screenRows < ROWS_WITH_TITLE;
}

/** Spinners and running times change with it. */
export function tickOf({ theme, now }: PanelContext): number {
  return Math.floor(now / (theme.spinner(now) === "" ? 1000 : 100));
}
