/** One of many, found by typing. Only the rows that are seen are laid out, so thousands cost no more than ten. */
import {
  parseKey,
  truncateToWidth,
  visibleWidth,
  type TuiMouseEvent,
  type TuiMouseEventResult,
} from "@earendil-works/pi-tui";
import { terminalSafeLine } from "../../../kit/text/terminal-safe.ts";
import type { Choice } from "../../app/screen/port.ts";
import { layOutChoices, listStep, moveChoice } from "./choice-rows.ts";
import { drawFrame, FRAME_ROWS, innerWidth } from "../draw-frame.ts";
import { rowsFor, type Overlay, type OverlaySurface } from "../overlay-surface.ts";
import { createLineField } from "../safe-field.ts";

/** From here on a description stands beside its label. */
const BESIDE_COLUMNS = 56;
const LABEL_SHARE = 0.4;
const CHARS_MAX = 400;

export interface PickOverlayOptions<Value> {
  readonly title: string;
  readonly choices: readonly Choice<Value>[];
  /** Which is marked at first. */
  readonly at?: number;
  readonly onPick: (value: Value) => void;
  readonly onClose: () => void;
}

export function createPickOverlay<Value>(surface: OverlaySurface, options: PickOverlayOptions<Value>): Overlay {
  return new PickList(surface, options);
}

class PickList<Value> implements Overlay {
  readonly #surface: OverlaySurface;
  readonly #options: PickOverlayOptions<Value>;
  readonly #field;
  readonly #haystacks: readonly string[];
  #matches: readonly Choice<Value>[];
  #at: number;
  #page = 1;
  #indexAt: (row: number) => number | undefined = () => undefined;

  constructor(surface: OverlaySurface, options: PickOverlayOptions<Value>) {
    this.#surface = surface;
    this.#options = options;
    this.#field = createLineField(surface, { placeholder: "type to filter" });
    this.#haystacks = options.choices.map(({ label, description = "" }) => `${label} ${description}`.toLowerCase());
    this.#matches = options.choices;
    this.#at = moveChoice(options.at ?? 0, 0, Math.max(1, options.choices.length));
  }

  get focused(): boolean {
    return this.#field.focused;
  }

  set focused(isFocused: boolean) {
    this.#field.focused = isFocused;
  }

  invalidate(): void {}

  handleInput(data: string): void {
    const key = parseKey(data);
    if (key === "escape" || key === "ctrl+c") return this.#options.onClose();
    if (key === "enter") {
      const choice = this.#matches[this.#at];
      return choice === undefined ? undefined : this.#options.onPick(choice.value);
    }
    const page = key === "pageUp" ? -this.#page : key === "pageDown" ? this.#page : undefined;
    const step = page ?? listStep(key, { hasLetters: false });
    if (step !== undefined) {
      this.#at = Math.max(0, moveChoice(this.#at, step, this.#matches.length));
      return;
    }
    const before = this.#field.text;
    this.#field.handleInput(data);
    if (this.#field.text !== before) this.#filter();
  }

  /** A click takes the row it is on; the wheel moves the choice. */
  handleMouse(event: TuiMouseEvent): TuiMouseEventResult | undefined {
    if (event.type === "wheel") {
      this.#at = Math.max(0, moveChoice(this.#at, Math.sign(event.wheelDelta ?? 0), this.#matches.length));
    } else if (event.type === "click") {
      const choice = this.#matches[this.#indexAt(event.y - 2) ?? -1];
      if (choice !== undefined) this.#options.onPick(choice.value);
    } else return undefined;
    return { handled: true, render: true };
  }

  /** Every word must be found somewhere in the label or the description. The order stays. */
  #filter(): void {
    const terms = this.#field.text
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== "");
    const { choices } = this.#options;
    this.#matches = choices.filter((_, index) => terms.every((word) => this.#haystacks[index]?.includes(word)));
    this.#at = 0;
  }

  render(width: number): string[] {
    const { theme } = this.#surface;
    const inner = innerWidth(width);
    const { choices, title } = this.#options;
    const height = rowsFor(this.#surface) - FRAME_ROWS - 1;
    this.#page = Math.max(1, height - 2);
    const { rows: list, indexAt } = layOutChoices({
      theme,
      width: inner,
      height,
      count: this.#matches.length,
      at: this.#at,
      choice: (index) => this.#shown(index, inner),
    });
    this.#indexAt = indexAt;
    const count =
      this.#matches.length === choices.length ? `${choices.length}` : `${this.#matches.length}/${choices.length}`;
    return drawFrame({
      theme,
      width,
      title,
      corner: count,
      rows: [this.#field.row(inner), ...(list.length === 0 ? [theme.paint("dim", "  nothing fits")] : list)],
      hints: ["Enter choose", "Esc close", "↑↓ move"],
    });
  }

  #shown(index: number, width: number): { label: string; description?: string; mark: string } {
    const choice = this.#matches[index];
    const label = shortLine(choice?.label ?? "");
    const description = choice?.description === undefined ? "" : shortLine(choice.description);
    const room = width - 2;
    if (description === "") return { label: truncateToWidth(label, room, "…"), mark: "" };
    if (room < BESIDE_COLUMNS) {
      return {
        label: truncateToWidth(label, room, "…"),
        description: truncateToWidth(description, room, "…"),
        mark: "",
      };
    }
    const left = Math.floor(room * LABEL_SHARE);
    const cut = truncateToWidth(label, left, "…");
    const beside = truncateToWidth(description, room - left - 2, "…");
    return { label: `${cut}${" ".repeat(left - visibleWidth(cut) + 2)}${beside}`, mark: "" };
  }
}

function shortLine(text: string): string {
  return terminalSafeLine(text.length > CHARS_MAX ? `${text.slice(0, CHARS_MAX)}…` : text);
}
