/** One of many, found by typing. */
import { truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";
import { terminalSafeLine } from "../../../kit/text/terminal-safe.ts";
import type { Choice } from "../../app/screen/port.ts";
import type { Overlay, OverlaySurface } from "../overlay-surface.ts";
import type { ShownChoice } from "./choice-rows.ts";
import { createListOverlay } from "./list-overlay.ts";

/** Width from which a description is shown beside its label. */
const BESIDE_COLUMNS = 56;
const LABEL_SHARE = 0.4;
const CHARS_MAX = 400;

export interface PickOverlayOptions<Value> {
  readonly title: string;
  readonly choices: readonly Choice<Value>[];
  /** Index of the first choice. */
  readonly at?: number;
  readonly onPick: (value: Value) => void;
  readonly onClose: () => void;
}

export function createPickOverlay<Value>(surface: OverlaySurface, options: PickOverlayOptions<Value>): Overlay {
  const { choices, title, at, onPick, onClose } = options;
  const haystacks = choices.map(({ label, description = "" }) => `${label} ${description}`.toLowerCase());
  let matches = choices;
  return createListOverlay(surface, {
    title,
    at,
    items: () => matches,
    idOf: (choice) => choice,
    rows: { show: (choice, _, width) => shownChoice(choice, width) },
    empty: () => "no match",
    hints: () => ["Enter choose", "↑\u00a0↓ move", "Esc close"],
    corner: () => (matches.length === choices.length ? `${choices.length}` : `${matches.length}/${choices.length}`),
    field: {
      placeholder: "type to filter",
      onChange(text, list) {
        const terms = text.toLowerCase().split(/\s+/);
        matches = choices.filter((_, index) => terms.every((word) => haystacks[index]?.includes(word)));
        list.choose(0);
      },
    },
    onKey(key, choice) {
      if (key !== "enter") return false;
      if (choice !== undefined) onPick(choice.value);
      return true;
    },
    onClose,
  });
}

function shownChoice(choice: Choice<unknown>, width: number): ShownChoice {
  const label = shortLine(choice.label);
  const description = choice.description === undefined ? "" : shortLine(choice.description);
  const room = width - 2;
  if (description === "") return { label: truncateToWidth(label, room, "…"), mark: "" };
  if (room < BESIDE_COLUMNS) {
    return {
      label: truncateToWidth(label, room, "…"),
      description: truncateToWidth(description, room, "…"),
      mark: "",
    };
  }
  const left = Math.floor(room * LABEL_SHARE);
  const cut = truncateToWidth(label, left, "…");
  const beside = truncateToWidth(description, room - left - 2, "…");
  return { label: `${cut}${" ".repeat(left - visibleWidth(cut) + 2)}${beside}`, mark: "" };
}

function shortLine(text: string): string {
  return terminalSafeLine(text.length > CHARS_MAX ? `${text.slice(0, CHARS_MAX)}…` : text);
}
