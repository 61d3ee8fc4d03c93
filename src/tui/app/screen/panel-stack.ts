/**
 * Overlays that are open at the box. The newest is drawn and has the keys: its body takes the box's place and pushes the
 * log up, the status line stays, and its last row replaces the hints. One that takes the screen draws every row itself.
 */
import type { Component, TUI, TuiMouseEvent, TuiMouseEventResult } from "@earendil-works/pi-tui";
import type { Overlay } from "../../overlays/overlay-surface.ts";

export interface OpenPanel {
  close(): void;
}

/** Rows at the end of an overlay that the layout places itself: the lower rule and the hints. */
const FOOT_ROWS = 2;

export class PanelStack {
  readonly #tui: TUI;
  /** Has the keys while nothing is open. */
  readonly #home: () => Component | null;
  /** Called when something was opened or closed. */
  onChange: () => void = () => {};
  #panels: readonly Overlay[] = [];

  constructor(tui: TUI, home: () => Component | null) {
    this.#tui = tui;
    this.#home = home;
  }

  get top(): Overlay | undefined {
    return this.#panels.at(-1);
  }

  get isOpen(): boolean {
    return this.#panels.length > 0;
  }

  open(panel: Overlay): OpenPanel {
    this.#panels = [...this.#panels, panel];
    this.#changed();
    return {
      close: () => {
        if (!this.#panels.includes(panel)) return;
        this.#panels = this.#panels.filter((one) => one !== panel);
        this.#changed();
      },
    };
  }

  #changed(): void {
    this.#tui.setFocus(this.top ?? this.#home());
    this.#tui.requestRender();
    this.onChange();
  }
}

export interface PanelView {
  /** Everything of the newest overlay but its foot; all of it when it takes the screen. */
  readonly body: Component;
  /** Its lower rule and its hints, as drawn with the body. */
  readonly foot: () => readonly [rule: string, hints: string];
}

export function createPanelView(panels: PanelStack): PanelView {
  let rows: readonly string[] = [];
  const body: Component & { handleMouse(event: TuiMouseEvent): TuiMouseEventResult | undefined } = {
    render(width) {
      rows = panels.top?.render(width) ?? [];
      return rows.slice(0, panels.top?.placement === "screen" ? undefined : -FOOT_ROWS);
    },
    handleMouse: (event) => panels.top?.handleMouse?.(event),
    invalidate: () => panels.top?.invalidate(),
  };
  return { body, foot: () => [rows.at(-2) ?? "", rows.at(-1) ?? ""] };
}
