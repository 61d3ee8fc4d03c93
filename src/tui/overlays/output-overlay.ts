/** What a command prints, while it prints it: Escape stops the command, and closes the page when it has ended. */
import type { Overlay, OverlaySurface } from "./overlay-surface.ts";
import { createTextOverlay } from "./text-overlay.ts";

export interface OutputSource {
  /** All of it that is kept. */
  readonly text: () => string;
  readonly onStop: () => void;
}

export interface OutputPage {
  /** There is more to show. */
  grew(): void;
  /** `outcome` tell how it ended. */
  ended(outcome: string): void;
}

export interface OutputOverlay extends OutputPage {
  readonly overlay: Overlay;
}

export function createOutputOverlay(
  surface: OverlaySurface,
  { title, text, onStop, onClose }: OutputSource & { readonly title: string; readonly onClose: () => void },
): OutputOverlay {
  let end: string | undefined;
  const overlay = createTextOverlay(surface, {
    get title() {
      return `${title} · ${end ?? "running"}`;
    },
    get lines() {
      return linesOf(text() || `Nothing was printed${end === undefined ? " yet" : ""}.`);
    },
    // Each row as it was printed: it is no table of ours.
    toneOf: () => "plain",
    isFollowed: true,
    get closing() {
      return end === undefined ? "Esc stop" : "Esc close";
    },
    onClose: () => (end === undefined ? onStop() : onClose()),
  });
  const grew = () => {
    overlay.invalidate();
    surface.tui.requestRender();
  };
  return {
    overlay,
    grew,
    ended(outcome) {
      end = outcome;
      grew();
    },
  };
}

function linesOf(text: string): string[] {
  return text.replace(/\n$/, "").split("\n");
}
