/**
 * Panels of the messages in and around the view, evicted by last use. A panel in which the user expanded or collapsed
 * something stays longer, since that is stored nowhere else.
 */
import type { ShownMessage } from "../../transcript/index.ts";
import type { Panel, PanelContext } from "../panels/panel.ts";

export const PANELS_MAX = 200;
/** Beyond this the panel toggled longest ago is rendered with its defaults again. */
const TOGGLED_PANELS_MAX = 100;

export type MakePanel = (message: ShownMessage, context: PanelContext) => Panel;

interface CachedPanel {
  readonly panel: Panel;
  message: ShownMessage;
  rows: readonly string[];
  /** The frame that `rows` were rendered for. */
  frame: number;
  width: number;
}

export class PanelCache {
  readonly #make: MakePanel;
  /** Least recently used first. */
  readonly #cached = new Map<number, CachedPanel>();
  /** Toggled longest ago first. */
  readonly #toggled = new Set<number>();
  #frame = 0;

  constructor(make: MakePanel) {
    this.#make = make;
  }

  get size(): number {
    return this.#cached.size;
  }

  /** Panels render again from here on. */
  beginFrame(): void {
    this.#frame += 1;
  }

  /** Current rows of the message; undefined when it is neither in memory nor cached. */
  rows(
    position: number,
    width: number,
    message: ShownMessage | undefined,
    context: PanelContext,
  ): readonly string[] | undefined {
    const cached = this.#cached.get(position);
    this.#cached.delete(position);
    // A retried turn has the same position but is another message.
    if (cached !== undefined && (message === undefined || idOf(message) === idOf(cached.message))) {
      this.#cached.set(position, cached);
      if (cached.frame === this.#frame && cached.width === width) return cached.rows;
      cached.message = message ?? cached.message;
      cached.panel.update(cached.message, context);
      return this.#draw(cached, width);
    }
    if (message === undefined) return undefined;
    const panel = this.#make(message, context);
    panel.update(message, context);
    const made: CachedPanel = { panel, message, rows: [], frame: this.#frame, width };
    this.#cached.set(position, made);
    return this.#draw(made, width);
  }

  panelAt(position: number): Panel | undefined {
    return this.#cached.get(position)?.panel;
  }

  toggle(position: number, row: number, column?: number): boolean {
    const cached = this.#cached.get(position);
    if (cached === undefined || !cached.panel.toggle(row, column)) return false;
    this.#rememberToggled(position);
    return true;
  }

  /** Expands or collapses everything in the panel; false when there is nothing to toggle. */
  toggleAll(position: number): boolean {
    const cached = this.#cached.get(position);
    if (cached?.panel.toggleAll === undefined) return this.toggleFirst(position, 0, Infinity);
    if (!cached.panel.toggleAll()) return false;
    this.#rememberToggled(position);
    return true;
  }

  /** Expands or collapses the first thing in these rows that can be; false when there is nothing. */
  toggleFirst(position: number, top: number, bottom: number, column?: number): boolean {
    const rows = Math.min(bottom, this.#cached.get(position)?.rows.length ?? 0);
    for (let row = top; row < rows; row += 1) if (this.toggle(position, row, column)) return true;
    return false;
  }

  /** Evicts panels that were not drawn lately, but none of this frame. */
  trim(): void {
    if (this.#cached.size <= PANELS_MAX) return;
    for (const [position, { frame }] of this.#cached) {
      if (this.#cached.size <= PANELS_MAX) return;
      if (frame !== this.#frame && !this.#toggled.has(position)) this.#cached.delete(position);
    }
  }

  invalidate(): void {
    for (const { panel } of this.#cached.values()) panel.invalidate();
    this.beginFrame();
  }

  clear(): void {
    this.#cached.clear();
    this.#toggled.clear();
  }

  #draw(cached: CachedPanel, width: number): readonly string[] {
    cached.rows = cached.panel.render(width);
    cached.frame = this.#frame;
    cached.width = width;
    return cached.rows;
  }

  #rememberToggled(position: number): void {
    this.#toggled.delete(position);
    this.#toggled.add(position);
    if (this.#toggled.size <= TOGGLED_PANELS_MAX) return;
    for (const oldest of this.#toggled) {
      this.#toggled.delete(oldest);
      return;
    }
  }
}

function idOf(message: ShownMessage): string {
  if (message.kind === "turn") return message.turnId;
  return message.kind === "user" ? message.messageId : `notice ${message.seq}`;
}
