/** Questions of the screen: a confirmation, where only an explicit yes counts, and a line of text. */
import { parseKey } from "@earendil-works/pi-tui";
import { drawFrame, FRAME_ROWS, innerWidth } from "./draw-frame.ts";
import { type Overlay, type OverlaySurface, rowsFor } from "./overlay-surface.ts";
import { proseRows } from "./reading-rows.ts";
import { createChoicePart } from "./requests/choice-part.ts";
import { createLineField } from "./safe-field.ts";
import { createScrollWindow, scrollByKey } from "./scroll-window.ts";

export interface ConfirmOverlayOptions {
  readonly title: string;
  readonly message: string;
  /** Label of the action; "Yes" by default. */
  readonly yes?: string | undefined;
  readonly no?: string | undefined;
  readonly onAnswer: (isYes: boolean) => void;
}

export function createConfirmOverlay(surface: OverlaySurface, options: ConfirmOverlayOptions): Overlay {
  const scroll = createScrollWindow();
  const part = createChoicePart(surface, {
    // The safe choice is first, where a hasty Enter lands.
    choices: [
      { label: options.no ?? "No", answer: false, keys: ["1", "n"] },
      { label: options.yes ?? "Yes", answer: true, keys: ["2", "y"] },
    ],
    give: (answer) => options.onAnswer(answer === true),
    hints: ["Enter choose", "1–2 pick", "↑\u00a0↓ move", "Esc no"],
  });
  return {
    focused: false,
    invalidate() {},
    handleInput(data) {
      const key = parseKey(data);
      if (key === "escape" || key === "ctrl+c") options.onAnswer(false);
      else if (!part.handleInput(data)) scrollByKey(scroll, key);
    },
    render(width) {
      const inner = innerWidth(width);
      const wanted = part.rowsWanted(inner);
      const room = rowsFor(surface) - FRAME_ROWS;
      const reading = scroll.show(proseRows(options.message, inner), Math.max(1, room - wanted), surface.theme);
      return drawFrame({
        theme: surface.theme,
        width,
        title: options.title,
        hasBands: true,
        rows: [
          ...reading.map((row) => ` ${row}`),
          ...part.rows({ width: inner, height: Math.max(1, room - reading.length), margin: 1 }),
        ],
        hints: part.hints,
      });
    },
  };
}

/** A text field, opened by a command. */
interface LineOverlayOptions {
  readonly title: string;
  readonly prefill?: string | undefined;
  /** Undefined when it was cancelled. */
  readonly onDone: (text: string | undefined) => void;
}

export function createLineOverlay(
  surface: OverlaySurface,
  { title, prefill = "", onDone }: LineOverlayOptions,
): Overlay {
  const field = createLineField(surface);
  field.setText(prefill);
  return {
    get focused() {
      return field.focused;
    },
    set focused(isFocused) {
      field.focused = isFocused;
    },
    invalidate() {},
    handleInput(data) {
      const key = parseKey(data);
      if (key === "escape" || key === "ctrl+c") onDone(undefined);
      else if (key === "enter") onDone(field.text);
      else field.handleInput(data);
    },
    render: (width) =>
      drawFrame({
        theme: surface.theme,
        width,
        title,
        rows: [
          field.row(innerWidth(width)),
          ...(field.problem === undefined ? [] : [surface.theme.paint("ask", `! ${field.problem}`)]),
        ],
        hints: ["Enter done", "Esc cancel"],
      }),
  };
}
