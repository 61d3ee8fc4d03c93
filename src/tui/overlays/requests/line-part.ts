/** A line of text: for input. Enter sends it, also when it is empty. */
import { parseKey } from "@earendil-works/pi-tui";
import type { OverlaySurface } from "../overlay-surface.ts";
import type { GiveAnswer, RequestPart } from "./part.ts";
import { createLineField } from "../safe-field.ts";

export function createLinePart(
  surface: OverlaySurface,
  { placeholder, give }: { placeholder?: string | undefined; give: GiveAnswer },
): RequestPart {
  const field = createLineField(surface, placeholder === undefined ? {} : { placeholder });
  return {
    hints: ["Enter send", "Esc no answer"],
    rowsWanted: () => 1,
    rows: ({ width }) => [field.row(width)],
    get problem() {
      return field.problem;
    },
    handleInput(data) {
      const key = parseKey(data);
      if (key === "pageUp" || key === "pageDown") return false;
      if (key === "enter") give(field.text);
      else field.handleInput(data);
      return true;
    },
    get focused() {
      return field.focused;
    },
    set focused(isFocused) {
      field.focused = isFocused;
    },
  };
}
