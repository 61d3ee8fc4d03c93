/** A text field, opened by a command. */
import { parseKey } from "@earendil-works/pi-tui";
import { drawFrame, innerWidth } from "./draw-frame.ts";
import type { Overlay, OverlaySurface } from "./overlay-surface.ts";
import { createLineField } from "./safe-field.ts";

export interface LineOverlayOptions {
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
          ...(field.problem === undefined ? [] : [surface.theme.paint("warn", `! ${field.problem}`)]),
        ],
        hints: ["Enter done", "Esc leave"],
      }),
  };
}
