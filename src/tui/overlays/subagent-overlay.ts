/**
 * A subagent's turn and the turns below it, rendered live by the panels of the log. The position in the session does
 * not change.
 */
import { parseKey, type TuiMouseEvent, type TuiMouseEventResult } from "@earendil-works/pi-tui";
import type { SeenAs } from "../../protocol/index.ts";
import { messageAt, subagentsBelow, turnById, type Transcript, type TurnMessage } from "../../transcript/index.ts";
import { createPanel } from "../panels/create-panel.ts";
import type { Panel, ViewSettings } from "../panels/panel.ts";
import { drawFrame, FRAME_ROWS, innerWidth } from "./draw-frame.ts";
import { rowsFor, type Overlay, type OverlaySurface } from "./overlay-surface.ts";
import { createScrollWindow } from "./scroll-window.ts";

const WHEEL_ROWS = 3;

export interface SubagentOverlayOptions {
  readonly turnId: string;
  /** Read at every frame. */
  readonly transcript: () => Transcript | undefined;
  readonly settings: () => ViewSettings;
  readonly seenAs: () => SeenAs | undefined;
  readonly now: () => number;
  readonly onClose: () => void;
}

export function createSubagentOverlay(surface: OverlaySurface, options: SubagentOverlayOptions): Overlay {
  return new SubagentPage(surface, options);
}

class SubagentPage implements Overlay {
  focused = false;
  readonly #surface: OverlaySurface;
  readonly #options: SubagentOverlayOptions;
  readonly #scroll = createScrollWindow();
  readonly #panels = new Map<number, Panel>();
  #positions: readonly number[] = [];
  #count = -1;
  /** Follows the newest rows until the user scrolls up. */
  #isFollowing = true;

  constructor(surface: OverlaySurface, options: SubagentOverlayOptions) {
    this.#surface = surface;
    this.#options = options;
  }

  invalidate(): void {
    for (const panel of this.#panels.values()) panel.invalidate();
  }

  handleInput(data: string): void {
    const key = parseKey(data);
    if (key === "escape" || key === "ctrl+c" || key === "q") return this.#options.onClose();
    const steps: Record<string, () => void> = {
      up: () => this.#scroll.by(-1),
      k: () => this.#scroll.by(-1),
      down: () => this.#scroll.by(1),
      j: () => this.#scroll.by(1),
      pageUp: () => this.#scroll.pageBy(-1),
      pageDown: () => this.#scroll.pageBy(1),
      space: () => this.#scroll.pageBy(1),
      home: () => this.#scroll.toStart(),
      end: () => (this.#isFollowing = true),
    };
    const step = key === undefined ? undefined : steps[key];
    if (step === undefined) return;
    this.#isFollowing = false;
    step();
  }

  handleMouse(event: TuiMouseEvent): TuiMouseEventResult | undefined {
    if (event.type !== "wheel") return undefined;
    this.#isFollowing = false;
    this.#scroll.by(Math.sign(event.wheelDelta ?? 0) * WHEEL_ROWS);
    return { handled: true, render: true };
  }

  render(width: number): string[] {
    const { theme } = this.#surface;
    const transcript = this.#options.transcript();
    const inner = innerWidth(width);
    const height = rowsFor(this.#surface) - FRAME_ROWS;
    const turns = transcript === undefined ? [] : this.#turns(transcript);
    const [own] = turns;
    const rows =
      transcript === undefined || own === undefined
        ? [theme.paint("quiet", "This turn is not loaded.")]
        : turns.flatMap((turn) => [...this.#panelFor(turn, transcript).render(inner)]);
    let visible = this.#scroll.show(rows, height, theme);
    if (this.#isFollowing) {
      this.#scroll.toEnd();
      visible = this.#scroll.show(rows, height, theme);
    }
    return drawFrame({
      theme,
      width,
      title: own === undefined ? "Subagent" : `Subagent ${own.member}`,
      corner: turns.length > 1 ? `${turns.length} turns` : undefined,
      rows: visible,
      hints: ["↑\u00a0↓\u00a0PgUp\u00a0PgDn scroll", "End follow", "Esc close"],
    });
  }

  /** Positions never change, so the tree is read only when there are new ones. */
  #turns(transcript: Transcript): TurnMessage[] {
    const { messageCount } = transcript.head;
    if (this.#count !== messageCount || this.#positions.length === 0) {
      const own = turnById(transcript, this.#options.turnId);
      const below = own === undefined ? [] : [own, ...subagentsBelow(transcript, own.turnId)];
      this.#positions = below.map((turn) => turn.position);
      this.#count = messageCount;
    }
    return this.#positions.flatMap((position) => {
      const message = messageAt(transcript, position);
      return message?.kind === "turn" ? [message] : [];
    });
  }

  #panelFor(turn: TurnMessage, transcript: Transcript): Panel {
    const { settings, seenAs, now } = this.#options;
    const context = {
      theme: this.#surface.theme,
      settings: settings(),
      seenAs: seenAs(),
      transcript,
      // A page of its own: nothing is omitted while the turn runs.
      liveRowsMax: Infinity,
      isSelected: false,
      isForcedOpen: true,
      now: now(),
    };
    const known = this.#panels.get(turn.position);
    known?.update(turn, context);
    const panel = known ?? createPanel(turn, context);
    this.#panels.set(turn.position, panel);
    return panel;
  }
}
