/** The message queue: edit, remove, reorder, send now, or return to the prompt. */
import { parseKey, type TuiMouseEvent, type TuiMouseEventResult } from "@earendil-works/pi-tui";
import { terminalSafeLine } from "../../../kit/text/terminal-safe.ts";
import type { QueueItem } from "../../../protocol/index.ts";
import { drawFrame, FRAME_ROWS, innerWidth } from "../draw-frame.ts";
import { createEditorPart } from "../requests/editor-part.ts";
import { createListOverlay, type ListControl } from "./list-overlay.ts";
import { rowsFor, type Overlay, type OverlaySurface } from "../overlay-surface.ts";
import type { RequestPart } from "../requests/part.ts";

export interface QueueOverlayOptions {
  readonly queue: () => readonly QueueItem[];
  readonly onEdit: (messageId: string, text: string) => void;
  readonly onRemove: (messageId: string) => void;
  /** All ids, in the new order. */
  readonly onReorder: (messageIds: string[]) => void;
  /** Sends it now, before the others. */
  readonly onPromote: (messageId: string) => void;
  /** Moves it to the prompt, if that can hold it. */
  readonly onPullBack: (item: QueueItem) => void;
  readonly editText?: ((text: string) => Promise<string | undefined>) | undefined;
  readonly onClose: () => void;
}

export function createQueueOverlay(surface: OverlaySurface, options: QueueOverlayOptions): Overlay {
  return new QueueOverlay(surface, options);
}

class QueueOverlay implements Overlay {
  readonly #surface: OverlaySurface;
  readonly #options: QueueOverlayOptions;
  readonly #list: Overlay;
  #editor: RequestPart | undefined;
  #problem: string | undefined;
  #isFocused = false;

  constructor(surface: OverlaySurface, options: QueueOverlayOptions) {
    this.#surface = surface;
    this.#options = options;
    this.#list = createListOverlay(surface, {
      title: "Queue",
      items: options.queue,
      idOf: (item) => item.messageId,
      empty: () => "The queue is empty. Tab queues a message while members work.",
      hints: () => [
        "Enter edit",
        "d remove",
        "s send now",
        "e edit\u00a0in\u00a0the\u00a0box",
        "Shift+↑\u00a0↓ move",
        "Esc close",
      ],
      rows: {
        show: (item, index) => ({
          label: item.text,
          description: `→ ${item.to.join(", ")}${isCut(item) ? " · long text, shown in part" : ""}`,
          mark: `${index + 1}. `,
        }),
      },
      onKey: (key, item, list) => this.#listKey(key, item, list),
      onClose: options.onClose,
    });
  }

  get focused(): boolean {
    return this.#isFocused;
  }

  set focused(isFocused: boolean) {
    this.#isFocused = isFocused;
    if (this.#editor !== undefined) this.#editor.focused = isFocused;
  }

  invalidate(): void {}

  handleInput(data: string): void {
    const editor = this.#editor;
    if (editor === undefined) return this.#list.handleInput(data);
    this.#problem = undefined;
    const key = parseKey(data);
    if (key === "escape" || key === "ctrl+c") this.#editor = undefined;
    else editor.handleInput(data);
  }

  handleMouse(event: TuiMouseEvent): TuiMouseEventResult | undefined {
    return this.#editor === undefined ? this.#list.handleMouse?.(event) : undefined;
  }

  #listKey(key: string, item: QueueItem | undefined, list: ListControl): boolean {
    const by = ORDER_KEYS[key];
    if (by !== undefined) return this.#move(item, by);
    switch (key) {
      case "enter":
        if (item !== undefined && isCut(item))
          list.note("This message is too long to edit here. Remove it and send it again.");
        else if (item !== undefined) this.#edit(item);
        return true;
      case "d":
      case "delete":
      case "backspace":
        if (item !== undefined) this.#options.onRemove(item.messageId);
        return true;
      case "s":
      case "p":
        if (item !== undefined) this.#options.onPromote(item.messageId);
        return true;
      case "e":
      case "alt+up":
        if (item !== undefined) this.#options.onPullBack(item);
        return true;
      default:
        return false;
    }
  }

  #move(item: QueueItem | undefined, by: number): boolean {
    const ids = this.#options.queue().map(({ messageId }) => messageId);
    const from = item === undefined ? -1 : ids.indexOf(item.messageId);
    const to = from + by;
    if (item === undefined || from === -1 || to < 0 || to >= ids.length) return true;
    this.#options.onReorder(ids.toSpliced(from, 1).toSpliced(to, 0, item.messageId));
    return true;
  }

  #edit(item: QueueItem): void {
    this.#editor = createEditorPart(this.#surface, {
      prefill: item.text,
      editText: this.#options.editText,
      onProblem: (message) => (this.#problem = message),
      give: (text) => {
        this.#editor = undefined;
        if (typeof text === "string" && text !== item.text) this.#options.onEdit(item.messageId, text);
      },
    });
    this.#editor.focused = this.#isFocused;
  }

  render(width: number): string[] {
    const editor = this.#editor;
    if (editor === undefined) return this.#list.render(width);
    const { theme } = this.#surface;
    const note = this.#problem === undefined ? [] : [theme.paint("ask", `! ${terminalSafeLine(this.#problem)}`)];
    const height = rowsFor(this.#surface) - FRAME_ROWS - note.length;
    return drawFrame({
      theme,
      width,
      title: "Edit a queued message",
      rows: [...editor.rows({ width: innerWidth(width), height }), ...note],
      hints: ["Enter keep", ...editor.hints.slice(1, -1), "Esc discard"],
    });
  }
}

const ORDER_KEYS: Readonly<Record<string, number>> = {
  "shift+up": -1,
  K: -1,
  "shift+k": -1,
  "shift+down": 1,
  J: 1,
  "shift+j": 1,
};

/** Long texts are blobs; the queue holds only their beginning. */
function isCut(item: QueueItem): boolean {
  return item.textBlob !== undefined;
}
