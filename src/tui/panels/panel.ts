/** The door between the log and what it shows: one panel draws one message, as it is now. */
import type { ShownMessage, Transcript } from "../../transcript/index.ts";
import type { Theme } from "../theme/theme.ts";

/** What the user chose to see. Replaced as a whole, so a panel can compare by identity. */
export interface ViewSettings {
  readonly thinking: "dim" | "folded" | "hidden";
  /** Tool output, diffs and exchanges in full. */
  readonly isExpanded: boolean;
  readonly hasTimes: boolean;
  /** Text as it was written, without Markdown and borders. */
  readonly isRaw: boolean;
}

export interface PanelContext {
  readonly theme: Theme;
  readonly settings: ViewSettings;
  /** What the message stands in: members, deliveries, subagents. */
  readonly transcript: Transcript;
  /** Rows a panel may take while its turn is open; it opens up when the turn has ended. */
  readonly liveRowsMax: number;
  readonly isSelected: boolean;
  /** Words of the message are searched for, or it has a page of its own: nothing of it may be folded away. */
  readonly isForcedOpen?: boolean;
  readonly now: number;
}

export interface Panel {
  /** Takes the newest state; cheap when nothing that it draws has changed. */
  update(message: ShownMessage, context: PanelContext): void;
  /** Rows of exactly `width` columns or less, safe for a terminal. The same array until something changes. */
  render(width: number): readonly string[];
  /** Opens or closes what stands at this row; false when there is nothing to toggle. */
  toggle(row: number): boolean;
  /** Forgets what was drawn: the theme or the width has changed. */
  invalidate(): void;
}
