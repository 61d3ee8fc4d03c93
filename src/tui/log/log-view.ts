/** The door of the log: a window on the messages of a transcript, which may be many more than are in memory. */
import type { Component, ScrollView } from "@earendil-works/pi-tui";
import type { SeenAs } from "../../protocol/index.ts";
import type { ShownMessage, Transcript, TurnMessage } from "../../transcript/index.ts";
import type { ActionName } from "../keys/actions.ts";
import type { Arrangement, ViewSettings } from "../panels/panel.ts";
import type { Theme } from "../theme/theme.ts";

export interface LogViewOptions {
  theme: Theme;
  settings: ViewSettings;
  now: () => number;
  requestRender: () => void;
  /** Fetches a page that is not in memory; the transcript that `show` gets next holds it. */
  loadPage: (page: number) => void;
  /** Upper bound of the log's rows, the terminal's height: with it a growing view is right in its first drawing. */
  rowsMax?: () => number;
  /** The key of an action as the user has set it; absent where keys of failed turns do nothing. */
  keyOf?: (action: ActionName) => string | undefined;
  /** Perspective of the reader, on a team's server. */
  seenAs?: () => SeenAs | undefined;
  /** Messages are on their way: those of a session that is being opened, or the first one of a new session. */
  isAwaited?: () => boolean;
}

/** Position of the view: the row of a message at its top. It means the same in every view of the transcript. */
export interface LogPosition {
  readonly key: number;
  readonly offset: number;
}

export interface SearchState {
  readonly query: string;
  /** Which match is shown, from 1; 0 when there is none. */
  readonly at: number;
  readonly count: number;
  /** Pages that have not been searched yet. */
  readonly pagesLeft: number;
}

export interface LogView {
  /** What the layout holds. */
  readonly component: Component;
  readonly scroll: ScrollView;
  /** The newest picture. Follows only at the bottom; scrolled up, no visible row moves. */
  show(transcript: Transcript | undefined): void;
  setTheme(theme: Theme): void;
  setSettings(settings: ViewSettings): void;
  /** Layout of turns of the same time; "auto" depends on the width. */
  setView(view: Arrangement | "auto"): void;
  /** The requested layout, and the one shown at this width. */
  readonly view: { readonly chosen: Arrangement | "auto"; readonly shown: Arrangement };
  readonly isFollowing: boolean;
  /** Messages that arrived or grew below while scrolled up. */
  readonly unseenCount: number;
  /** Answers below the view: "↓ 2 new answers". */
  readonly unseenAnswers: number;
  pageUp(): void;
  pageDown(): void;
  scrollBy(rows: number): void;
  toStart(): void;
  toEnd(): void;
  /** Undefined while following. */
  readonly position: LogPosition | undefined;
  goTo(position: LogPosition | undefined): void;
  jumpToUser(direction: "previous" | "next"): void;
  jumpToAnswer(direction: "previous" | "next"): void;
  /** The turn that has the focus, a column or a panel. */
  readonly focused: TurnMessage | undefined;
  /** Each is false when there is nothing to do. */
  moveFocus(direction: "previous" | "next", options?: { readonly isStep: boolean }): boolean;
  clearFocus(): boolean;
  /** Widens the focused turn over those beside it, or undoes that. */
  widenFocused(): boolean;
  /** Undefined where there is nothing to widen. */
  readonly isFocusedWide: boolean | undefined;
  /** Only the focused column; the log when it is not live. */
  scrollFocused(rows: number): boolean;
  /** Unfolds or folds the work of the focused turn. */
  toggleFocused(): boolean;
  /** `toggleFocused` has unfolded it. */
  readonly isFocusedOpen: boolean;
  /** Some column does not follow its end. */
  readonly hasScrolledColumns: boolean;
  /** Columns of the screen in which a text selection that begins there stays. */
  columnAt(row: number, column: number): { readonly from: number; readonly to: number } | undefined;
  /** Marks one message, for copying, expanding or retrying. */
  select(direction: "previous" | "next"): void;
  clearSelection(): void;
  readonly selected: ShownMessage | undefined;
  toggleSelected(): void;
  search(query: string): void;
  searchNext(direction: "previous" | "next"): void;
  endSearch(): void;
  readonly searchState: SearchState | undefined;
}
