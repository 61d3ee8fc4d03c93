/**
 * What the box uses of the library's editor beyond its public face. The library is pinned to one version; this file
 * is the whole list to look at when it moves, and editor-internals.test.ts fails when a name is gone.
 */
import type { Editor, EditorTheme, SelectItem, SelectList, SelectListLayoutOptions } from "@earendil-works/pi-tui";

export interface EditorInternals {
  readonly state: { readonly lines: string[]; readonly cursorLine: number; readonly cursorCol: number };
  theme: EditorTheme;
  jumpMode: "forward" | "backward" | null;
  autocompleteList: SelectList | undefined;
  /** Counts requests for completions; a request whose number has passed is void. */
  readonly autocompleteStartToken: number;
  autocompleteMaxVisible: number;
  readonly undoStack: { readonly stack: unknown[]; clear(): void };

  segment(text: string, mode: "word" | "grapheme"): Intl.SegmentData[];
  normalizeText(text: string): string;
  submitValue(): void;
  getAutocompleteDebounceMs(): number;
  startAutocompleteRequest(token: number, options: unknown): Promise<void>;

  isOnFirstVisualLine(): boolean;
  isOnLastVisualLine(): boolean;
  moveToLineStart(): void;
  moveToLineEnd(): void;
  setTextInternal(text: string, cursor?: "start" | "end"): void;
  setCursorCol(column: number): void;
  insertCharacter(text: string): void;
  addNewLine(): void;
  handleBackspace(): void;
  cancelAutocomplete(): void;
  /** Puts up the list for the text as it is now. */
  applyAutocompleteSuggestions(suggestions: unknown, state: unknown): void;
  tryTriggerAutocomplete(): void;
  handleTabCompletion(): void;
}

export function internalsOf(editor: Editor): EditorInternals {
  return editor as unknown as EditorInternals;
}

/** Of the list under the box. */
export interface ListInternals {
  layout: SelectListLayoutOptions;
  renderItem(
    item: SelectItem,
    isSelected: boolean,
    width: number,
    description: string | undefined,
    columnWidth: number,
  ): string;
}

export function listInternalsOf(list: SelectList): ListInternals {
  return list as unknown as ListInternals;
}
