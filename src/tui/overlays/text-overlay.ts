/** A scrollable page of text with search; closed by Escape or q. */
import { parseKey, type TuiMouseEvent, type TuiMouseEventResult } from "@earendil-works/pi-tui";
import { terminalSafe } from "../../kit/text/terminal-safe.ts";
import type { Theme, Tone } from "../theme/theme.ts";
import { drawFrame, FRAME_ROWS, innerWidth } from "./draw-frame.ts";
import { type Overlay, type OverlaySurface, rowsFor } from "./overlay-surface.ts";
import { hangingRows, proseRows } from "./reading-rows.ts";
import { createLineField } from "./safe-field.ts";
import { createScrollWindow } from "./scroll-window.ts";

const WHEEL_ROWS = 3;

export interface TextOverlayOptions {
  readonly title: string;
  /** Untrusted: sanitised and wrapped here. */
  readonly lines: readonly string[];
  /** Tone of a line by its text, which must say the same. */
  readonly toneOf?: ((line: string) => Tone) | undefined;
  /** Scrolls to new rows while at the end. */
  readonly isFollowed?: boolean;
  /** What Escape does instead of closing. */
  readonly closing?: string;
  readonly onClose: () => void;
}

export function createTextOverlay(surface: OverlaySurface, options: TextOverlayOptions): Overlay {
  return new TextPage(surface, options);
}

class TextPage implements Overlay {
  readonly #surface: OverlaySurface;
  readonly #options: TextOverlayOptions;
  readonly #scroll = createScrollWindow();
  readonly #field;
  #laidOut: { width: number; theme: Theme; rows: readonly string[]; plain: readonly string[] } | undefined;
  #isSearching = false;
  #match: number | undefined;
  /** Scroll to the match in the next frame, when the number of rows is known. */
  #isMatchNew = false;
  #isFocused = false;

  constructor(surface: OverlaySurface, options: TextOverlayOptions) {
    this.#surface = surface;
    this.#options = options;
    this.#field = createLineField(surface, { placeholder: "find" });
  }

  get focused(): boolean {
    return this.#isFocused;
  }

  set focused(isFocused: boolean) {
    this.#isFocused = isFocused;
    this.#field.focused = isFocused && this.#isSearching;
  }

  invalidate(): void {
    this.#laidOut = undefined;
  }

  handleInput(data: string): void {
    const key = parseKey(data);
    if (this.#isSearching) return this.#searchKey(data, key);
    switch (key) {
      case "escape":
      case "ctrl+c":
      case "q":
        return this.#options.onClose();
      case "/":
        return this.#setSearching(true);
      case "n":
        return this.#find(1);
      case "N":
      case "shift+n":
        return this.#find(-1);
      default:
        this.#scrollKey(key);
    }
  }

  #scrollKey(key: string | undefined): void {
    const steps: Record<string, () => void> = {
      up: () => this.#scroll.by(-1),
      k: () => this.#scroll.by(-1),
      "ctrl+p": () => this.#scroll.by(-1),
      down: () => this.#scroll.by(1),
      j: () => this.#scroll.by(1),
      "ctrl+n": () => this.#scroll.by(1),
      enter: () => this.#scroll.by(1),
      pageUp: () => this.#scroll.pageBy(-1),
      pageDown: () => this.#scroll.pageBy(1),
      space: () => this.#scroll.pageBy(1),
      home: () => this.#scroll.toStart(),
      g: () => this.#scroll.toStart(),
      end: () => this.#scroll.toEnd(),
      G: () => this.#scroll.toEnd(),
      "shift+g": () => this.#scroll.toEnd(),
    };
    if (key !== undefined) steps[key]?.();
  }

  #searchKey(data: string, key: string | undefined): void {
    if (key === "escape" || key === "ctrl+c") {
      this.#match = undefined;
      return this.#setSearching(false);
    }
    if (key === "enter") {
      this.#setSearching(false);
      return;
    }
    this.#field.handleInput(data);
    this.#match = undefined;
    this.#find(1);
  }

  #setSearching(isSearching: boolean): void {
    this.#isSearching = isSearching;
    this.#field.focused = this.#isFocused && isSearching;
  }

  /** To the next matching row, wrapping around; stays without a match. */
  #find(direction: 1 | -1): void {
    const wanted = this.#field.text.toLowerCase();
    const plain = this.#laidOut?.plain ?? [];
    if (wanted === "" || plain.length === 0) return;
    const from = this.#match ?? this.#scroll.top - direction;
    for (let step = 1; step <= plain.length; step += 1) {
      const row = (from + direction * step + plain.length * 2) % plain.length;
      if (plain[row]?.toLowerCase().includes(wanted) !== true) continue;
      this.#match = row;
      this.#isMatchNew = true;
      return;
    }
    this.#match = undefined;
  }

  handleMouse(event: TuiMouseEvent): TuiMouseEventResult | undefined {
    if (event.type !== "wheel") return undefined;
    this.#scroll.by(Math.sign(event.wheelDelta ?? 0) * WHEEL_ROWS);
    return { handled: true, render: true };
  }

  render(width: number): string[] {
    const { theme } = this.#surface;
    const inner = innerWidth(width);
    const { rows, plain } = this.#layOut(inner, theme);
    // In a wider window the page has fewer rows.
    const match = this.#match === undefined || this.#match >= rows.length ? undefined : this.#match;
    const shown = match === undefined ? rows : rows.with(match, theme.paint("match", plain[match] ?? ""));
    const below = this.#isSearching ? [this.#field.row(inner)] : [];
    const height = rowsFor(this.#surface) - FRAME_ROWS - below.length;
    const isAtEnd = this.#options.isFollowed === true && this.#scroll.isAtEnd;
    let visible = this.#scroll.show(shown, height, theme);
    if (isAtEnd && !this.#scroll.isAtEnd) {
      this.#scroll.toEnd();
      visible = this.#scroll.show(shown, height, theme);
    }
    if (match !== undefined && this.#isMatchNew) {
      this.#scroll.reveal(match);
      visible = this.#scroll.show(shown, height, theme);
    }
    this.#isMatchNew = false;
    return drawFrame({
      theme,
      width,
      title: this.#options.title,
      corner: this.#searchCorner(),
      rows: [...visible, ...below],
      hints: this.#isSearching
        ? ["Enter keep", "Esc end search"]
        : ["/ find", "n next", this.#options.closing ?? "Esc close"],
    });
  }

  #searchCorner(): string | undefined {
    if (this.#field.text === "" || this.#match !== undefined) return undefined;
    return this.#isSearching ? "no match" : undefined;
  }

  #layOut(width: number, theme: Theme): { rows: readonly string[]; plain: readonly string[] } {
    if (this.#laidOut?.width !== width || this.#laidOut.theme !== theme) {
      const { lines, toneOf } = this.#options;
      const rows: string[] = [];
      const plain: string[] = [];
      for (const line of lines) {
        const safe = terminalSafe(line);
        const tone = toneOf?.(safe);
        for (const row of rowsOf(safe, width, { isTable: toneOf === undefined })) {
          plain.push(row);
          rows.push(tone === undefined ? row : theme.paint(tone, row));
        }
      }
      this.#laidOut = { width, theme, rows, plain };
    }
    return this.#laidOut;
  }
}

function rowsOf(text: string, width: number, { isTable }: { isTable: boolean }): readonly string[] {
  if (text === "") return [""];
  return isTable ? text.split("\n").flatMap((line) => hangingRows(line, width)) : proseRows(text, width);
}

/** Live output of a command: Escape stops it, and closes the page once it has ended. */
export interface OutputSource {
  /** The retained output. */
  readonly text: () => string;
  readonly onStop: () => void;
}

export interface OutputPage {
  grew(): void;
  /** `outcome` is shown as the result. */
  ended(outcome: string): void;
}

interface OutputOverlay extends OutputPage {
  readonly overlay: Overlay;
}

export function createOutputOverlay(
  surface: OverlaySurface,
  { title, text, onStop, onClose }: OutputSource & { readonly title: string; readonly onClose: () => void },
): OutputOverlay {
  let end: string | undefined;
  const overlay = createTextOverlay(surface, {
    get title() {
      return `${title} · ${end ?? "running"}`;
    },
    get lines() {
      return linesOf(text() || `No output${end === undefined ? " yet" : ""}.`);
    },
    // Rows as printed: not our table.
    toneOf: () => "text",
    isFollowed: true,
    get closing() {
      return end === undefined ? "Esc stop" : "Esc close";
    },
    onClose: () => (end === undefined ? onStop() : onClose()),
  });
  const grew = () => {
    overlay.invalidate();
    surface.tui.requestRender();
  };
  return {
    overlay,
    grew,
    ended(outcome) {
      end = outcome;
      grew();
    },
  };
}

function linesOf(text: string): string[] {
  return text.replace(/\n$/, "").split("\n");
}
