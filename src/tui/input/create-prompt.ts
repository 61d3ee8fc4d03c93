/**
 * The input at the bottom of the screen: editor, history, history search and stored draft. No key, paste or message
 * throws, and no text leaves the box without being sent, stored or added to the history.
 */
import { stripVTControlCharacters } from "node:util";
import {
  isKeyRelease,
  parseKey,
  type Component,
  type Focusable,
  type TuiMouseEvent,
  type TuiMouseEventResult,
} from "@earendil-works/pi-tui";
import { systemClock } from "../../kit/clock.ts";
import { terminalSafe, terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import { printableKey } from "../keys/key-names.ts";
import { useKeymapInLibrary } from "../keys/keymap.ts";
import type { Theme } from "../theme/theme.ts";
import type { CompletionMenu } from "./completion-menu.ts";
import { cutToWidth } from "./cut-to-width.ts";
import { DraftAutosave, joinDrafts } from "./draft-autosave.ts";
import {
  beginSearch,
  type HistorySearch,
  InputHistory,
  searchNewer,
  searchOlder,
  searchRows,
  withQuery,
  withShorterQuery,
} from "./input-history.ts";
import { usePasteReaderInLibrary } from "./paste-reader.ts";
import { PromptEditor } from "./prompt-editor.ts";
import type { Draft, Prompt, PromptOptions } from "./prompt.ts";

const PLACEHOLDER = "Write to everyone · @name for one · / for commands · ? for keys";
/** The library's cursor in an empty row. */
const CURSOR_CELL = "\u001b[7m \u001b[0m";
const PASTE_START = "\u001b[200~";

export function createPrompt(options: PromptOptions): Prompt {
  useKeymapInLibrary(options.keymap);
  usePasteReaderInLibrary();
  return new PromptBox(options);
}

class PromptBox implements Prompt, Component, Focusable {
  readonly #options: PromptOptions;
  readonly #editor: PromptEditor;
  readonly #history: InputHistory;
  readonly #drafts: DraftAutosave;
  #theme: Theme;
  #search: HistorySearch | undefined;
  #stash = "";
  /** The text is being set by us, not typed. */
  #isReplacing = false;
  /** The draft in progress as shown when the user started to walk the history. */
  #shownDraft = "";
  /** The held draft that the history store already has. */
  #safeDraft = "";
  /** Rows above the box, as last drawn. */
  #menuHeight = 0;

  constructor(options: PromptOptions) {
    const clock = options.clock ?? systemClock;
    this.#options = options;
    this.#theme = options.theme;
    this.#history = new InputHistory(options.history);
    this.#drafts = new DraftAutosave(options.drafts, clock, () => this.#draft);
    this.#editor = new PromptEditor({
      ...options,
      clock,
      submit: (how) => this.#submit(how),
      isRunning: () => options.isRunning(),
      walk: (direction) => this.#walk(direction),
      changed: () => this.#changed(),
      notify: (text) => options.notify?.(text),
    });
    void this.#history.load().then(() => options.tui.requestRender());
  }

  get component(): Component & Focusable {
    return this;
  }

  get focused(): boolean {
    return this.#editor.focused;
  }

  set focused(isFocused: boolean) {
    this.#editor.focused = isFocused;
  }

  get text(): string {
    return this.#editor.fullText;
  }

  get isCompleting(): boolean {
    return this.#editor.isShowingAutocomplete();
  }

  get menu(): CompletionMenu | undefined {
    return this.#editor.menu;
  }

  get isSearching(): boolean {
    return this.#search !== undefined;
  }

  setText(text: string): void {
    if (this.text !== text) this.#addToHistory();
    this.#setDraft(text);
  }

  replaceText(text: string): void {
    if (this.text !== text) this.#setDraft(text);
  }

  insert(text: string): void {
    this.#editor.insertText(text);
    this.#options.tui.requestRender();
  }

  setTheme(theme: Theme): void {
    this.#theme = theme;
    this.#editor.setTheme(theme);
  }

  async openSession(sessionId: string | undefined): Promise<void> {
    // Text typed before there was a session is meant for the first one.
    const isFirst = !this.#drafts.hasSession;
    const opening = this.#drafts.open(sessionId);
    if (!isFirst) {
      this.#history.stopWalking();
      this.#search = undefined;
      this.#put(() => this.#editor.empty());
      this.#options.tui.requestRender();
    }
    const stored = await opening;
    if (stored === undefined) return;
    if (stored.text !== "") this.#setShownDraft(this.#editor.blocks.showDraft(joinDrafts(stored, this.#draft)));
    else if (this.text !== "") this.#drafts.changed();
  }

  adoptSession(sessionId: string): void {
    this.#drafts.adopt(sessionId);
  }

  putAway(): void {
    this.#addToHistory();
    this.#setDraft("");
  }

  searchHistory(): void {
    this.#editor.closeList();
    this.#search = this.#search === undefined ? beginSearch() : searchOlder(this.#search, this.#history.entries);
    this.#options.tui.requestRender();
  }

  closePopup(): boolean {
    const wasOpen = this.isSearching || this.isCompleting;
    this.#search = undefined;
    this.#editor.closeList();
    if (wasOpen) {
      this.#options.tui.requestRender();
      this.#options.onChange?.();
    }
    return wasOpen;
  }

  async flush(): Promise<void> {
    // Closed before any session was open: the draft goes into the history.
    if (!this.#drafts.hasSession) this.#addToHistory();
    this.#drafts.flush();
    await this.#options.drafts.flush();
  }

  handleInput(data: string): void {
    if (this.#search !== undefined && !(data.startsWith("\u001b") && isKeyRelease(data))) return this.#searchKey(data);
    const { keymap } = this.#options;
    if (keymap.matches(data, "history-search")) return this.searchHistory();
    if (keymap.matches(data, "stash")) return this.#toggleStash();
    this.#editor.handleInput(data);
  }

  handleMouse(event: TuiMouseEvent): TuiMouseEventResult | undefined {
    if (this.#search !== undefined) return undefined;
    const y = event.y - this.#menuHeight;
    return y < 0 ? this.#editor.clickMenu(event) : this.#editor.handleMouse({ ...event, y });
  }

  invalidate(): void {
    this.#editor.invalidate();
  }

  render(width: number): string[] {
    if (this.#search !== undefined) {
      const entry = this.#search.at === undefined ? undefined : this.#history.entries[this.#search.at];
      return searchRows({ search: this.#search, entry, theme: this.#theme, width, isFocused: this.focused });
    }
    const rows = this.#editor.render(width);
    const first = rows[1];
    if (first === undefined || width < 8) return rows;
    // Three columns are free on the left; the first row marks the input.
    const text = this.#editor.isEmpty ? this.#placeholder(first, width) : first.slice(3);
    rows[1] = ` ${this.#theme.paint("you", this.#theme.glyph("you"))} ${text}`;
    rows[0] = this.#ruled(rows[0] ?? "", width);
    if (this.#options.hasLowerRule?.() === false) {
      const lower = rows.findLastIndex((row, at) => at > 0 && /^─+$/u.test(stripVTControlCharacters(row)));
      if (lower > 0) rows.splice(lower, 1);
    }
    const menu = this.#editor.menuRows(this.#theme, width);
    this.#menuHeight = menu.length;
    return [...menu, ...rows];
  }

  /** A rule that counts hidden rows stays as it is. */
  #ruled(row: string, width: number): string {
    const isCounting = /[^─]/u.test(stripVTControlCharacters(row));
    return isCounting ? row : (this.#options.rule?.(this.#editor.getText(), width) ?? row);
  }

  /** The empty row: the placeholder, with the cursor on its first letter while the box has the focus. */
  #placeholder(row: string, width: number): string {
    const hint = terminalSafeLine(this.#options.placeholder?.() ?? this.#defaultHint());
    const [first = "", ...rest] = cutToWidth(hint, width - 4);
    if (this.#options.hasFocus?.() === false) return this.#theme.paint("quiet", cutToWidth(hint, width - 4));
    const [before, after] = row.trim().split(CURSOR_CELL);
    if (first === "" || before === undefined || after === undefined) return row.trim();
    return `${before}\u001b[7m${this.#theme.paint("quiet", first)}\u001b[0m${this.#theme.paint("quiet", rest.join(""))}`;
  }

  #defaultHint(): string {
    const key = this.#stash === "" ? undefined : this.#options.keymap.hint("stash");
    return key === undefined ? PLACEHOLDER : `${key} brings back your stashed draft`;
  }

  /** The draft to store: while walking the history, the draft in progress, unless an entry was edited. */
  get #draft(): Draft {
    const held = this.#history.heldDraft;
    const { blocks } = this.#editor;
    const draft = blocks.draftOf(this.#editor.getText());
    if (held === undefined || draft.text !== this.#history.shownEntry) return draft;
    const { text, pastes } = blocks.draftOf(this.#shownDraft);
    return { text: held, pastes: text === held ? pastes : [] };
  }

  #submit(how: "send" | "queue"): void {
    const text = this.text;
    if (text.trim() === "") {
      if (how === "send" && text === "") this.#options.onBlank?.();
      return;
    }
    const held = this.#history.stopWalking();
    this.#history.add(text);
    this.#put(() => this.#editor.empty());
    if (held.trim() !== "" && held !== text) this.#setDraft(held);
    this.#options.onSubmit(text, how);
  }

  #walk(direction: "older" | "newer"): boolean {
    const wasWalking = this.#history.isWalking;
    const shown = this.#editor.getText();
    const text = direction === "older" ? this.#history.older(this.text) : this.#history.newer(this.text);
    if (text === undefined) return false;
    if (!wasWalking) this.#shownDraft = shown;
    const isBack = !this.#history.isWalking;
    this.#put(() => {
      if (isBack) this.#editor.replaceShown(this.#shownDraft);
      else this.#editor.replace(text, direction === "older" ? "first-line" : "end");
    });
    return true;
  }

  #changed(): void {
    this.#drafts.changed();
    if (!this.#isReplacing) this.#saveHeldDraft();
    this.#options.onChange?.();
  }

  /** An edited entry becomes the stored draft, so the previous draft goes into the history. */
  #saveHeldDraft(): void {
    const held = this.#history.heldDraft;
    if (held === undefined || held.trim() === "" || held === this.#safeDraft) return;
    this.#safeDraft = held;
    this.#options.history.add(held);
  }

  #addToHistory(): void {
    const held = this.#history.stopWalking();
    this.#history.add(held);
    this.#history.add(this.text);
  }

  #toggleStash(): void {
    const text = this.text;
    if (text.trim() !== "") {
      this.#addToHistory();
      this.#stash = text;
      this.#setDraft("");
    } else if (this.#stash !== "") {
      this.#setDraft(this.#stash);
      this.#stash = "";
    }
  }

  #setDraft(text: string): void {
    this.#setShownDraft(this.#editor.blocks.show(text));
  }

  #setShownDraft(shown: string): void {
    this.#history.stopWalking();
    this.#search = undefined;
    this.#put(() => this.#editor.replaceShown(shown));
    this.#options.tui.requestRender();
  }

  #put(change: () => void): void {
    this.#isReplacing = true;
    try {
      change();
    } finally {
      this.#isReplacing = false;
    }
  }

  #searchKey(data: string): void {
    const search = this.#search ?? beginSearch();
    const { keymap } = this.#options;
    const { entries } = this.#history;
    if (keymap.matches(data, "history-search")) this.#search = searchOlder(search, entries);
    else if (keymap.matches(data, "stash")) this.#search = searchNewer(search, entries);
    else if (keymap.matches(data, "delete-backward")) this.#search = withShorterQuery(search, entries);
    else if (keymap.matches(data, "list-cancel")) this.#search = undefined;
    else if (keymap.matches(data, "send") || keymap.matches(data, "newline")) this.#acceptMatch(search);
    else {
      const typed = typedText(data);
      if (typed !== undefined) this.#search = withQuery(search, search.query + typed, entries);
      else if (parseKey(data) !== undefined) {
        // Any other key applies to the match; input that is no key, such as a focus report, does nothing.
        this.#acceptMatch(search);
        this.#editor.handleInput(data);
      }
    }
    this.#options.tui.requestRender();
    if (this.#search === undefined) this.#options.onChange?.();
  }

  #acceptMatch(search: HistorySearch): void {
    const entry = search.at === undefined ? undefined : this.#history.entries[search.at];
    this.#search = undefined;
    if (entry !== undefined) this.setText(entry);
  }
}

function typedText(data: string): string | undefined {
  const printable = printableKey(data);
  if (printable !== undefined) return printable;
  if (data.startsWith(PASTE_START)) return terminalSafe(data.slice(PASTE_START.length)).split("\n")[0];
  const code = data.charCodeAt(0);
  return code >= 0x20 && code !== 0x7f ? data : undefined;
}
