/** Moving from message to message: the user's own, the selected one, matches. Moves that need a page wait for it. */
import { PAGE_SIZE } from "../../transcript/index.ts";
import { isSilent } from "../panels/event-rows.ts";
import type { LogContent } from "./log-content.ts";
import { TAIL, type Slot } from "./log-rows.ts";
import type { LogWindow } from "./log-window.ts";

export type Direction = "previous" | "next";

/** The nearest user message that begins above (or below) the first row in view, at that row. */
export class UserJump {
  readonly #content: LogContent;
  readonly #window: LogWindow;
  #waiting: { readonly direction: Direction; readonly from: number } | undefined;

  constructor(content: LogContent, window: LogWindow) {
    this.#content = content;
    this.#window = window;
  }

  /** The page that the jump waits for. */
  get neededPage(): number | undefined {
    return this.#waiting === undefined ? undefined : Math.floor(this.#waiting.from / PAGE_SIZE);
  }

  cancel(): void {
    this.#waiting = undefined;
  }

  jump(direction: Direction): void {
    const first = messagesIn(this.#window.slots)[0];
    if (first === undefined) return;
    const isInside = first.top < 0;
    const from = direction === "next" ? first.key + 1 : isInside ? first.key : first.key - 1;
    if (direction === "next" && this.#window.isAtEnd) {
      this.#window.toEnd();
      return;
    }
    this.#waiting = { direction, from };
    this.resume();
  }

  /** Goes on with a jump that waited, as far as messages are in memory. */
  resume(): void {
    if (this.#waiting === undefined) return;
    const { direction } = this.#waiting;
    const step = direction === "next" ? 1 : -1;
    for (let position = this.#waiting.from; ; position += step) {
      if (position >= this.#content.count || position < this.#content.firstShown) {
        this.#waiting = undefined;
        if (direction === "next") this.#window.toEnd();
        else this.#window.toStart();
        return;
      }
      const message = this.#content.messageAt(position);
      if (message === undefined) {
        this.#waiting = { direction, from: position };
        return;
      }
      if (message.kind === "user") {
        this.#waiting = undefined;
        this.#window.goTo({ key: position, offset: 0, row: 0 });
        return;
      }
    }
  }
}

/** The message to select next: beside the selected one, else the last (or first) in view. */
export function nextSelected(content: LogContent, window: LogWindow, direction: Direction): number | undefined {
  const shown = messagesIn(window.slots);
  const { selected } = content;
  if (selected === undefined) return (direction === "previous" ? shown.at(-1) : shown[0])?.key;
  const step = direction === "previous" ? -1 : 1;
  for (let next = selected + step; next >= content.firstShown && next < content.count; next += step) {
    const message = content.messageAt(next);
    if (content.shownPosition(next) !== next) continue;
    if (message?.kind !== "notice" || !isSilent(message.event)) return next;
  }
  return selected;
}

export function messagesIn(slots: readonly Slot[]): Slot[] {
  return slots.filter(({ key }) => key >= 0 && key !== TAIL);
}
