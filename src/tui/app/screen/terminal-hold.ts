/**
 * A screen's hold on the terminal: taken, given back as it was, taken again; safe to call in any order. Once it has been
 * given back for good nothing takes it again, whatever signal comes late.
 */
import type { TuiAltScreen } from "@earendil-works/pi-tui";

export class TerminalHold {
  readonly #tui: TuiAltScreen;
  readonly #onResume: () => void;
  #isActive = false;
  #isLent = false;
  #isOver = false;

  /** `onResume` is called whenever the screen has come, or come back: what it draws can be seen from then on. */
  constructor(tui: TuiAltScreen, onResume: () => void = () => {}) {
    this.#tui = tui;
    this.#onResume = onResume;
  }

  /** False while an editor or a shell has the terminal: nobody sees what would be drawn. */
  get isActive(): boolean {
    return this.#isActive;
  }

  get isLent(): boolean {
    return this.#isLent;
  }

  get canResume(): boolean {
    return !this.#isActive && !this.#isLent && !this.#isOver;
  }

  /** Takes the terminal, unless somebody else has it. */
  resume(): void {
    if (!this.canResume) return;
    this.#isActive = true;
    this.#tui.start();
    this.#tui.requestRender(true);
    this.#onResume();
  }

  /** Gives the terminal back as it was, until `resume`. */
  pause(): void {
    if (!this.#isActive) return;
    this.#isActive = false;
    this.#tui.stop({ preserveScreen: true });
  }

  /** Gives the terminal back for good. May be called at any time. */
  restore(): void {
    this.#isOver = true;
    this.pause();
  }

  /** Somebody else, such as an editor, has the terminal to itself meanwhile. */
  async lend<Value>(use: () => Promise<Value>): Promise<Value> {
    this.pause();
    this.#isLent = true;
    try {
      return await use();
    } finally {
      this.#isLent = false;
      this.resume();
    }
  }

  requestRender(): void {
    if (this.#isActive) this.#tui.requestRender();
  }

  renderNow(): void {
    if (this.#isActive) this.#tui.renderNow();
  }
}
