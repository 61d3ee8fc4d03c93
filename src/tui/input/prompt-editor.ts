/**
 * The library's editor adapted: no control characters on the screen, sends only through `submit`, keeps pasted blocks
 * whole, uses the keymap. Keys of history and search are handled in create-prompt.
 */
import {
  Editor,
  isKeyRelease,
  type EditorTheme,
  type TUI,
  type TuiMouseEvent,
  type TuiMouseEventResult,
} from "@earendil-works/pi-tui";
import type { Clock } from "../../kit/clock.ts";
import { printableKey } from "../keys/key-names.ts";
import type { Keymap } from "../keys/keymap.ts";
import type { Theme } from "../theme/theme.ts";
import { clickMenu, type CompletionMenu, menuRows } from "./completion-menu.ts";
import { createCompletion, isBegunBy, isCompletable, isTypedAlready, runsBare } from "./completion.ts";
import { internalsOf, listInternalsOf, type EditorInternals } from "./editor-internals.ts";
import { PASTE_LIMITS, PastedBlocks, readableRow } from "./pasted-blocks.ts";
import { PASTE_CHARS_MAX, PasteCollector } from "./paste-reader.ts";
import type { CompletionSource } from "./prompt.ts";

/** Each undo step holds the whole text, so their number is capped. */
export const UNDO_STEPS_MAX = 200;
/** A paste without an end marker is accepted after this silence. */
export const PASTE_SILENCE_MS = 2_000;
/** A longer chunk is a paste in a terminal without bracketed paste. */
const TYPED_CHARS_MAX = 64;
const LIST_ROWS = { min: 3, max: 10 };

export interface PromptEditorOptions {
  readonly tui: TUI;
  readonly theme: Theme;
  readonly keymap: Keymap;
  readonly clock: Clock;
  readonly completions: CompletionSource;
  submit(how: "send" | "queue"): void;
  isRunning(): boolean;
  /** Up on the first row, Down on the last; false when there is no entry that way. */
  walk(direction: "older" | "newer"): boolean;
  changed(): void;
  notify(text: string): void;
}

export class PromptEditor extends Editor {
  readonly blocks = new PastedBlocks();
  readonly #options: PromptEditorOptions;
  readonly #internals: EditorInternals;
  readonly #pastes = new PasteCollector();
  #cancelSilence: (() => void) | undefined;
  /** The reader can split surrogate pairs; the first half waits for the second. */
  #highSurrogate = "";
  /** The pending completion request. */
  #openRequest: number | undefined;
  /** Text before the cursor when the list was opened; several keys in one chunk are faster than the next list. */
  #listedFor = "";

  constructor(options: PromptEditorOptions) {
    super(options.tui, editorTheme(options.theme), { paddingX: 3 });
    this.#options = options;
    this.#internals = internalsOf(this);
    this.#internals.segment = (text, mode) => this.blocks.segment(text, mode);
    // Tabs stay: what is sent must be what was pasted.
    this.#internals.normalizeText = (text) => text;
    this.#internals.submitValue = () => options.submit("send");
    // Overtaken requests are aborted, so no debounce is needed.
    this.#internals.getAutocompleteDebounceMs = () => 0;
    const request = this.#internals.startAutocompleteRequest.bind(this);
    this.#internals.startAutocompleteRequest = async (token, requestOptions) => {
      this.#openRequest = token;
      await request(token, requestOptions);
      if (this.#openRequest === token) this.#openRequest = undefined;
    };
    const list = this.#internals.applyAutocompleteSuggestions.bind(this);
    this.#internals.applyAutocompleteSuggestions = (suggestions, state) => {
      list(suggestions, state);
      // Drawn above the box instead.
      if (this.#internals.autocompleteList !== undefined) {
        listInternalsOf(this.#internals.autocompleteList).render = () => [];
      }
      this.#listedFor = this.#before;
    };
    this.onChange = () => options.changed();
    this.setAutocompleteProvider(
      createCompletion({
        source: options.completions,
        clock: options.clock,
        show: (text) => this.blocks.show(text.replaceAll("\n", " ")),
        onLateFiles: () => this.isShowingAutocomplete() && this.#internals.tryTriggerAutocomplete(),
      }),
    );
  }

  /** With pasted blocks expanded. */
  get fullText(): string {
    return this.blocks.expand(this.getText());
  }

  get isEmpty(): boolean {
    return this.#internals.state.lines.length === 1 && this.#internals.state.lines[0] === "";
  }

  setTheme(theme: Theme): void {
    this.#internals.theme = editorTheme(theme);
    this.borderColor = this.#internals.theme.borderColor;
    this.closeList();
  }

  /** One undo step. The cursor goes to the end of the text or of the first line. */
  replace(text: string, cursor: "end" | "first-line" = "end"): void {
    this.replaceShown(this.blocks.show(text), cursor);
  }

  /** Like `replace`, for a text that was in the box before and contains its markers. */
  replaceShown(text: string, cursor: "end" | "first-line" = "end"): void {
    super.setText(text);
    if (cursor === "first-line") {
      this.#internals.setTextInternal(text, "start");
      this.#internals.setCursorCol(this.#internals.state.lines[0]?.length ?? 0);
    }
    this.#bound();
  }

  /** Clears undo too: a sent text must not come back. */
  empty(): void {
    super.setText("");
    this.#internals.undoStack.clear();
    this.#highSurrogate = "";
  }

  insertText(text: string): void {
    this.insertTextAtCursor(this.blocks.show(text));
  }

  /** The open list of completions. */
  get menu(): CompletionMenu | undefined {
    if (!this.isShowingAutocomplete()) return undefined;
    const total = this.#options.completions.commands().length;
    const typed = this.#listedFor;
    if (/^\/\S*$/.test(typed)) return { kind: "commands", title: "Commands", total, isWhole: typed === "/" };
    const command = /^\/\S+(?=\s)/.exec(typed)?.[0];
    return { kind: "other", title: command ?? "Members and files", total, isWhole: false };
  }

  /** Its rows, drawn above the box. */
  menuRows(theme: Theme, width: number): string[] {
    const { menu } = this;
    const list = this.#internals.autocompleteList;
    return menu === undefined || list === undefined ? [] : menuRows(list, menu, { theme, width });
  }

  clickMenu(event: TuiMouseEvent): TuiMouseEventResult | undefined {
    const list = this.#internals.autocompleteList;
    return list === undefined ? undefined : clickMenu(list, event);
  }

  closeList(): boolean {
    const wasOpen = this.isShowingAutocomplete();
    this.#internals.cancelAutocomplete();
    return wasOpen;
  }

  override handleInput(data: string): void {
    for (const chunk of this.#pastes.push(data)) {
      if ("paste" in chunk) this.#handlePaste(chunk.paste, chunk.isCut);
      else this.#handleKey(chunk.keys);
    }
    this.#watchPaste();
    this.#bound();
    // No other list is pending for the cleared text.
    if (this.#isListOld && this.#openRequest === undefined) this.closeList();
  }

  override render(width: number): string[] {
    return super.render(width).map((row) => readableRow(row));
  }

  #handleKey(data: string): void {
    if (data.startsWith("\u001b") && isKeyRelease(data)) return;
    const { keymap } = this.#options;
    const internals = this.#internals;
    internals.autocompleteMaxVisible = this.#listRows();
    const typed = printableKey(data) ?? (isText(data) ? data : undefined);
    if (internals.jumpMode !== null) {
      if (typed !== undefined || keymap.matches(data, "jump-forward") || keymap.matches(data, "jump-backward")) {
        return super.handleInput(typed ?? data);
      }
      internals.jumpMode = null;
    }
    if (typed !== undefined) return this.#type(typed);
    this.#highSurrogate = "";
    if (keymap.matches(data, "newline")) return internals.addNewLine();
    if (this.isShowingAutocomplete() && this.#handleListKey(data)) return;
    if (keymap.matches(data, "send")) return this.#send();
    if (keymap.matches(data, "queue") && this.#mayQueue()) return this.#options.submit("queue");
    if (keymap.matches(data, "complete")) return internals.handleTabCompletion();
    if (keymap.matches(data, "cursor-up") && internals.isOnFirstVisualLine()) return this.#walk("older");
    if (keymap.matches(data, "cursor-down") && internals.isOnLastVisualLine()) return this.#walk("newer");
    // The library inserts a newline for these whatever the keymap says.
    if (data === "\n" || data.includes("\r")) return;
    super.handleInput(data);
  }

  #handleListKey(data: string): boolean {
    const { keymap } = this.#options;
    if (keymap.matches(data, "list-cancel")) return this.closeList();
    if (keymap.matches(data, "list-up") || keymap.matches(data, "list-down")) {
      super.handleInput(data);
      return true;
    }
    const isTab = keymap.matches(data, "complete");
    if (!isTab && !keymap.matches(data, "list-confirm") && !keymap.matches(data, "send")) return false;
    const item = this.#internals.autocompleteList?.getSelectedItem();
    const isFirstLine = this.#internals.state.cursorLine === 0;
    const isLeft = this.#isListOld && !isBegunBy(this.#before, isFirstLine, item?.value ?? "");
    const isWhole = !isTab && (!item || isTypedAlready(this.#before, isFirstLine, item.value));
    if (isLeft || isWhole) {
      this.closeList();
      return false;
    }
    const isRun = !isTab && item !== null && item !== undefined && this.#isWholeCommand(item.value);
    this.#accept();
    if (!isRun) return true;
    this.closeList();
    this.#options.submit("send");
    return true;
  }

  /** The box holds only a command name, and `value` needs no arguments. */
  #isWholeCommand(value: string): boolean {
    return (
      this.getText() === this.#before && /^\/\S*$/.test(this.#before) && runsBare(value, this.#options.completions)
    );
  }

  /** Accepts the selected completion and offers what follows, such as arguments. */
  #accept(): void {
    const list = this.#internals.autocompleteList;
    const item = list?.getSelectedItem();
    if (item === null || item === undefined) {
      this.closeList();
      return;
    }
    list?.onSelect?.(item);
    const isAtArguments = this.#internals.state.cursorLine === 0 && /^\/\S+ $/.test(this.#before);
    const goesOn = item.value.endsWith("/") || isAtArguments;
    if (goesOn) this.#internals.tryTriggerAutocomplete();
  }

  #send(): void {
    if (this.#before.endsWith("\\")) {
      this.#internals.handleBackspace();
      this.#internals.addNewLine();
      return;
    }
    this.#options.submit("send");
  }

  /** Commands are never queued, and a pending completion comes first. */
  #mayQueue(): boolean {
    if (!this.#options.isRunning() || this.isShowingAutocomplete() || this.getText().trim() === "") return false;
    if ((this.#internals.state.lines[0] ?? "").startsWith("/")) return false;
    const { cursorLine } = this.#internals.state;
    return (
      this.#openRequest !== this.#internals.autocompleteStartToken || !isCompletable(this.#before, cursorLine === 0)
    );
  }

  get #isListOld(): boolean {
    return this.isShowingAutocomplete() && this.#listedFor !== this.#before;
  }

  get #before(): string {
    const { lines, cursorLine, cursorCol } = this.#internals.state;
    return (lines[cursorLine] ?? "").slice(0, cursorCol);
  }

  #listRows(): number {
    return Math.max(LIST_ROWS.min, Math.min(LIST_ROWS.max, Math.floor(this.tui.terminal.rows / 3)));
  }

  #walk(direction: "older" | "newer"): void {
    if (this.#options.walk(direction)) return;
    if (direction === "older") this.#internals.moveToLineStart();
    else this.#internals.moveToLineEnd();
  }

  #type(typed: string): void {
    const whole = this.#highSurrogate + typed;
    const last = whole.charCodeAt(whole.length - 1);
    const isHalf = last >= 0xd800 && last <= 0xdbff;
    this.#highSurrogate = isHalf ? whole.slice(-1) : "";
    const text = isHalf ? whole.slice(0, -1) : whole;
    if (text.length > TYPED_CHARS_MAX || text.includes("\n")) return this.#handlePaste(text, false);
    for (const char of text) {
      const shown = this.blocks.show(char);
      if (shown !== "") this.#internals.insertCharacter(shown);
    }
  }

  #handlePaste(pasted: string, isCut: boolean): void {
    const shown = this.blocks.show(decodePasted(pasted), PASTE_LIMITS);
    if (shown !== "") this.insertTextAtCursor(shown);
    // The terminal reader truncates at the same length without saying so.
    if (isCut || pasted.length >= PASTE_CHARS_MAX)
      this.#options.notify("The paste was too long and has been cut. Send the rest as a file.");
  }

  #watchPaste(): void {
    this.#cancelSilence?.();
    this.#cancelSilence = undefined;
    if (!this.#pastes.isOpen) return;
    this.#cancelSilence = this.#options.clock.after(PASTE_SILENCE_MS, () => {
      this.#handlePaste(this.#pastes.flush(), false);
      this.tui.requestRender();
    });
  }

  #bound(): void {
    const { stack } = this.#internals.undoStack;
    if (stack.length > UNDO_STEPS_MAX) stack.splice(0, stack.length - UNDO_STEPS_MAX);
    this.blocks.forgetBeyondLimit(this.getText());
  }
}

export function editorTheme(theme: Theme): EditorTheme {
  const dim = (text: string) => theme.paint("quiet", text);
  const selected = (text: string) => theme.paint("selected", text);
  return {
    borderColor: (text) => theme.paint("faint", text),
    selectList: { selectedPrefix: selected, selectedText: selected, description: dim, scrollInfo: dim, noMatch: dim },
  };
}

/** Text rather than a key: no leading control character. */
function isText(data: string): boolean {
  const code = data.charCodeAt(0);
  return code >= 0x20 && code !== 0x7f;
}

/** Some terminals (tmux with extended keys) send a pasted line feed as Ctrl+J. */
function decodePasted(text: string): string {
  if (!text.includes("\u001b[")) return text;
  // oxlint-disable-next-line no-control-regex -- an escape sequence is what it reads.
  return text.replaceAll(/\u001b\[(\d{2,3});5u/g, (sequence, code: string) => {
    const letter = Number(code) & ~0x20;
    return letter >= 0x41 && letter <= 0x5a ? String.fromCharCode(letter - 0x40) : sequence;
  });
}
