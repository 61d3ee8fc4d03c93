/** A screen's hold on the terminal: taken, given back as it was, taken again; safe to call in any order. */
import type { TuiAltScreen } from "@earendil-works/pi-tui";
import { suspend } from "./terminal-guard.ts";

export class TerminalHold {
  readonly #tui: TuiAltScreen;
  #isStopped = true;

  constructor(tui: TuiAltScreen) {
    this.#tui = tui;
  }

  /** Takes the terminal. */
  resume(): void {
    if (!this.#isStopped) return;
    this.#isStopped = false;
    this.#tui.start();
    this.#tui.requestRender(true);
  }

  /** Gives the terminal back as it was. May be called at any time. */
  restore(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#tui.stop({ preserveScreen: true });
  }

  suspend(): void {
    suspend({ restore: () => this.restore(), resume: () => this.resume() });
  }

  /** Somebody else, such as an editor, has the terminal to itself meanwhile. */
  async lend<Value>(use: () => Promise<Value>): Promise<Value> {
    this.restore();
    try {
      return await use();
    } finally {
      this.resume();
    }
  }

  requestRender(): void {
    if (!this.#isStopped) this.#tui.requestRender();
  }
}
