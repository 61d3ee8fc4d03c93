/** Interface between the log and its content: one panel renders one message. */
import type { ShownMessage, Transcript } from "../../transcript/index.ts";
import type { Theme } from "../theme/theme.ts";

/** The user's view settings. Replaced as a whole, so that panels compare by identity. */
export interface ViewSettings {
  readonly thinking: "dim" | "folded" | "hidden";
  /** Tool output, diffs and exchanges in full. */
  readonly isExpanded: boolean;
  readonly hasTimes: boolean;
  /** Text as written, without Markdown and borders. */
  readonly isRaw: boolean;
}

export interface PanelContext {
  readonly theme: Theme;
  readonly settings: ViewSettings;
  /** Context of the message: members, deliveries, subagents. */
  readonly transcript: Transcript;
  /** Rows of a panel while its turn is open; it expands when the turn ends. */
  readonly liveRowsMax: number;
  readonly isSelected: boolean;
  /** The message matches a search, or has its own page: nothing of it may be collapsed. */
  readonly isForcedOpen?: boolean;
  readonly now: number;
}

export interface Panel {
  /** Sets the newest state; cheap when nothing visible changed. */
  update(message: ShownMessage, context: PanelContext): void;
  /** Rows of at most `width` columns, terminal-safe. The same array until something changes. */
  render(width: number): readonly string[];
  /** Expands or collapses what is at this row; false when there is nothing to toggle. */
  toggle(row: number): boolean;
  /** Discards rendered rows after a change of theme or width. */
  invalidate(): void;
}
