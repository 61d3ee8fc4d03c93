/**
 * Ownership of the terminal: acquired, released as it was, acquired again, in any order of calls. After the final
 * release nothing acquires it again, whatever signal comes late.
 */
import type { TuiAltScreen } from "@earendil-works/pi-tui";

export class TerminalHold {
  readonly #tui: TuiAltScreen;
  readonly #onResume: () => void;
  #isActive = false;
  #isLent = false;
  #isOver = false;

  /** `onResume` is called whenever the screen becomes visible. */
  constructor(tui: TuiAltScreen, onResume: () => void = () => {}) {
    this.#tui = tui;
    this.#onResume = onResume;
  }

  /** False while an editor or a shell owns the terminal. */
  get isActive(): boolean {
    return this.#isActive;
  }

  get isLent(): boolean {
    return this.#isLent;
  }

  get canResume(): boolean {
    return !this.#isActive && !this.#isLent && !this.#isOver;
  }

  /** Acquires the terminal unless another program owns it. */
  resume(): void {
    if (!this.canResume) return;
    this.#isActive = true;
    this.#tui.start();
    this.#tui.requestRender(true);
    this.#onResume();
  }

  /** Releases the terminal until `resume`. */
  pause(): void {
    if (!this.#isActive) return;
    this.#isActive = false;
    this.#tui.stop({ preserveScreen: true });
  }

  /** Releases the terminal for good. May be called at any time. */
  restore(): void {
    this.#isOver = true;
    this.pause();
  }

  /** Lends the terminal to another program, such as an editor. */
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

  /** All of it again when forced, also rows that are the same. */
  requestRender(isForced = false): void {
    if (this.#isActive) this.#tui.requestRender(isForced);
  }

  renderNow(): void {
    if (this.#isActive) this.#tui.renderNow();
  }
}
