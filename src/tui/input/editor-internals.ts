/**
 * Private members of the library's editor that the input uses. The library is pinned; check this list when it is
 * updated. editor-internals.test.ts fails when a name is gone.
 */
import type { Editor, EditorTheme, SelectItem, SelectList } from "@earendil-works/pi-tui";

export interface EditorInternals {
  readonly state: { readonly lines: string[]; readonly cursorLine: number; readonly cursorCol: number };
  theme: EditorTheme;
  jumpMode: "forward" | "backward" | null;
  autocompleteList: SelectList | undefined;
  /** Counts completion requests; a request with an older number is void. */
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
  /** Opens the list for the current text. */
  applyAutocompleteSuggestions(suggestions: unknown, state: unknown): void;
  tryTriggerAutocomplete(): void;
  handleTabCompletion(): void;
}

export function internalsOf(editor: Editor): EditorInternals {
  return editor as unknown as EditorInternals;
}

/** Private members of the list of completions, which is drawn above the box. */
export interface ListInternals {
  readonly filteredItems: readonly SelectItem[];
  readonly selectedIndex: number;
  getVisibleRange(): { readonly startIndex: number; readonly endIndex: number };
  /** The rows that the editor puts below itself. */
  render(width: number): string[];
}

export function listInternalsOf(list: SelectList): ListInternals {
  return list as unknown as ListInternals;
}
