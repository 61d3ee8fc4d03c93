/** Overlays that the user opened: one at a time, closed by Escape, with the focus going back to the draft. */
import type { Component, OverlayHandle, OverlayOptions, TUI } from "@earendil-works/pi-tui";

const LAYOUT: OverlayOptions = { width: "90%", maxHeight: "80%", anchor: "center", margin: 1 };

export class OverlayController {
  readonly #tui: TUI;
  #open: { handle: OverlayHandle; onClose: () => void } | undefined;

  constructor(tui: TUI) {
    this.#tui = tui;
  }

  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** `make` gets a function that closes the overlay; `onClose` is called once, whoever closed it. */
  show(make: (close: () => void) => Component, onClose: () => void = () => {}): void {
    this.close();
    const component = make(() => this.close());
    this.#open = { handle: this.#tui.showOverlay(component, LAYOUT), onClose };
    this.#tui.requestRender();
  }

  close(): void {
    const open = this.#open;
    this.#open = undefined;
    open?.handle.hide();
    open?.onClose();
    this.#tui.requestRender();
  }
}
