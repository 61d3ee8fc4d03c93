/** Display settings with their values; changes apply at once. */
import { createListOverlay } from "./list-overlay.ts";
import type { Overlay, OverlaySurface } from "../overlay-surface.ts";

export interface ScreenSetting {
  readonly label: string;
  readonly description?: string | undefined;
  readonly value: string;
  readonly values: readonly string[];
  readonly set: (value: string) => void;
}

export interface SettingsOverlayOptions {
  /** Read at every drawing. */
  readonly settings: () => readonly ScreenSetting[];
  readonly onClose: () => void;
}

export function createSettingsOverlay(surface: OverlaySurface, options: SettingsOverlayOptions): Overlay {
  return createListOverlay(surface, {
    title: "Settings",
    items: options.settings,
    idOf: (setting) => setting.label,
    empty: () => "There is nothing to set.",
    hints: () => ["Enter change", "← → change", "Esc close"],
    rows: {
      show: (setting) => ({
        label: `${setting.label}: ‹${setting.value}›`,
        description: setting.description,
        mark: "",
      }),
    },
    onKey(key, setting) {
      const step =
        key === "left" || key === "h"
          ? -1
          : key === "right" || key === "l" || key === "enter" || key === "space"
            ? 1
            : 0;
      if (step === 0) return false;
      if (setting !== undefined) turn(setting, step);
      return true;
    },
    onClose: options.onClose,
  });
}

/** Cycles; an unknown value is replaced by the first. */
function turn({ value, values, set }: ScreenSetting, step: number): void {
  const next = values[(values.indexOf(value) + step + values.length) % values.length];
  if (next !== undefined) set(next);
}
