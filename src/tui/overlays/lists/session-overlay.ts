/**
 * Which session to show: the newest first, found by anything that is shown of it. Sessions that were put away stay out
 * of the way until they are asked for; one that cannot be read whole is shown with the reason. Only rows that are seen
 * are laid out, so thousands cost no more than ten.
 */
import { parseKey, type TuiMouseEvent, type TuiMouseEventResult } from "@earendil-works/pi-tui";
import type { SessionSummary } from "../../../protocol/index.ts";
import { layOutChoices, listStep, moveChoice } from "./choice-rows.ts";
import { drawFrame, FRAME_ROWS, innerWidth } from "../draw-frame.ts";
import { rowsFor, type Overlay, type OverlaySurface } from "../overlay-surface.ts";
import { createLineField } from "../safe-field.ts";
import { createSessionTable, type SessionRow, type SessionTable } from "./session-rows.ts";

export interface SessionOverlayOptions {
  readonly sessions: readonly SessionSummary[];
  readonly now: number;
  /** The one that is shown already. */
  readonly currentId?: string | undefined;
  /** What is searched for at first. */
  readonly query?: string;
  /** False where only a session that there is can be meant. */
  readonly hasNew?: boolean;
  /** Whether a session's directory is still there; taken for granted when nobody can tell. */
  readonly hasDirectory?: ((cwd: string) => boolean) | undefined;
  /** Undefined is a new session. */
  readonly onPick: (sessionId: string | undefined) => void;
  readonly onClose: () => void;
}

export function createSessionOverlay(surface: OverlaySurface, options: SessionOverlayOptions): Overlay {
  return new SessionList(surface, options);
}

class SessionList implements Overlay {
  readonly #surface: OverlaySurface;
  readonly #options: SessionOverlayOptions;
  readonly #field;
  readonly #table: SessionTable;
  #matches: readonly SessionRow[] = [];
  #hasArchived = false;
  /** Put away and fitting what is searched for. */
  #archivedCount = 0;
  #at = 0;
  #page = 1;
  #indexAt: (row: number) => number | undefined = () => undefined;

  constructor(surface: OverlaySurface, options: SessionOverlayOptions) {
    this.#surface = surface;
    this.#options = options;
    this.#field = createLineField(surface, { placeholder: "type to search" });
    this.#table = createSessionTable(options);
    if (options.query !== undefined) this.#field.setText(options.query);
    this.#filter();
    // The newest session, not the entry for a new one above it.
    if (this.#field.text === "" && this.#matches.length > 1 && this.#matches[0]?.sessionId === undefined) this.#at = 1;
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
    if (key === "enter") return this.#pick(this.#matches[this.#at]);
    if (key === "tab") return this.#toggleArchived();
    const page = key === "pageUp" ? -this.#page : key === "pageDown" ? this.#page : undefined;
    const step = page ?? listStep(key, { hasLetters: false });
    if (step !== undefined) return this.#move(step);
    const before = this.#field.text;
    this.#field.handleInput(data);
    if (this.#field.text !== before) this.#filter();
  }

  /** A click takes the row it is on; the wheel moves the choice. */
  handleMouse(event: TuiMouseEvent): TuiMouseEventResult | undefined {
    if (event.type === "wheel") this.#move(Math.sign(event.wheelDelta ?? 0));
    else if (event.type === "click") this.#pick(this.#matches[this.#indexAt(event.y - 1) ?? -1]);
    else return undefined;
    return { handled: true, render: true };
  }

  #pick(row: SessionRow | undefined): void {
    if (row !== undefined) this.#options.onPick(row.sessionId);
  }

  #move(step: number): void {
    this.#at = Math.max(0, moveChoice(this.#at, step, this.#matches.length));
  }

  /** The choice stays on its session when that is still among them. */
  #toggleArchived(): void {
    const chosen = this.#matches[this.#at];
    this.#hasArchived = !this.#hasArchived;
    this.#filter();
    this.#at = Math.max(0, chosen === undefined ? 0 : this.#matches.indexOf(chosen));
  }

  /** Every word must be found somewhere in what is shown of a session. The order stays. */
  #filter(): void {
    const terms = this.#field.text.toLowerCase().split(/\s+/);
    const fitting = this.#table.rows.filter((row) => terms.every((word) => row.haystack.includes(word)));
    this.#archivedCount = fitting.filter((row) => row.isArchived).length;
    this.#matches = this.#hasArchived ? fitting : fitting.filter((row) => !row.isArchived);
    this.#at = 0;
  }

  render(width: number): string[] {
    const { theme } = this.#surface;
    const inner = innerWidth(width);
    const empty = this.#matches.length === 0 ? [theme.paint("dim", `  ${this.#emptyMessage()}`)] : [];
    const titles = this.#table.titles(inner - 2);
    const above = [
      this.#field.row(inner),
      ...(titles === undefined || empty.length > 0 ? [] : [this.#dim(`  ${titles}`)]),
    ];
    const height = rowsFor(this.#surface) - FRAME_ROWS - above.length;
    this.#page = Math.max(1, height - 2);
    const { rows, indexAt } = layOutChoices({
      theme,
      width: inner,
      height,
      count: this.#matches.length,
      at: this.#at,
      choice: (index) => {
        const row = this.#matches[index];
        if (row === undefined) return { label: "", mark: "" };
        return { ...row.show(inner - 2), mark: "", paint: row.isArchived ? this.#dim : undefined };
      },
    });
    this.#indexAt = (row) => indexAt(row - above.length);
    return drawFrame({
      theme,
      width,
      title: "Sessions",
      corner: this.#formatCount(),
      rows: [...above, ...empty, ...rows],
      hints: [
        "Enter choose",
        "Esc close",
        ...(this.#archivedCount > 0 || this.#hasArchived
          ? [this.#hasArchived ? "Tab hide archived" : "Tab archived"]
          : []),
        "↑↓ move",
      ],
    });
  }

  readonly #dim = (text: string): string => this.#surface.theme.paint("dim", text);

  #formatCount(): string {
    const shown = this.#matches.filter((row) => row.sessionId !== undefined).length;
    const all = this.#options.sessions.length;
    return shown === all ? `${all}` : `${shown}/${all}`;
  }

  #emptyMessage(): string {
    const hidden = this.#hasArchived ? 0 : this.#archivedCount;
    return hidden === 0 ? "nothing fits" : `nothing else fits; Tab shows ${hidden} archived`;
  }
}
