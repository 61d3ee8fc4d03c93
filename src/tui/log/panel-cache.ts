/**
 * The panels of the messages in and around the view. Made when they are needed and put away when others are needed
 * more; a panel that the user opened or closed something in stays longer, because that is kept nowhere else.
 */
import type { ShownMessage } from "../../transcript/index.ts";
import type { Panel, PanelContext } from "../panels/panel.ts";

export const PANELS_MAX = 200;
/** Of those that the user toggled; the one toggled longest ago is drawn anew, as it was at first. */
const TOGGLED_PANELS_MAX = 100;

export type MakePanel = (message: ShownMessage, context: PanelContext) => Panel;

interface CachedPanel {
  readonly panel: Panel;
  message: ShownMessage;
  rows: readonly string[];
  /** The frame that `rows` were drawn for. */
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

  /** From here on panels are asked anew what they look like. */
  beginFrame(): void {
    this.#frame += 1;
  }

  /** The rows of the message as it is now; undefined when it is not in memory and has not been drawn before. */
  rows(
    position: number,
    width: number,
    message: ShownMessage | undefined,
    context: PanelContext,
  ): readonly string[] | undefined {
    const cached = this.#cached.get(position);
    this.#cached.delete(position);
    // A turn that was retried stands in the same place but is another one.
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

  toggle(position: number, row: number): boolean {
    const cached = this.#cached.get(position);
    if (cached === undefined || !cached.panel.toggle(row)) return false;
    this.#rememberToggled(position);
    return true;
  }

  /** Opens or closes everything in the panel; false when there is nothing to. */
  toggleAll(position: number): boolean {
    const cached = this.#cached.get(position);
    if (cached === undefined) return false;
    let hasToggled = false;
    // From below, so that rows above keep their numbers. What was toggled reaches up to the first row that changed.
    for (let row = cached.rows.length - 1; row >= 0; row -= 1) {
      const before = cached.rows;
      if (!this.toggle(position, row)) continue;
      hasToggled = true;
      const after = this.#draw(cached, cached.width);
      const changedAt = before.findIndex((text, at) => text !== after[at]);
      if (changedAt >= 0) row = Math.min(row, changedAt);
    }
    return hasToggled;
  }

  /** Puts away what was not drawn lately, but nothing of this frame. */
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
