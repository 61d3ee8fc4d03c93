/** Open requests of all members, oldest first. */
import { describeRequest, type OpenRequest } from "../../../transcript/index.ts";
import { countdown, shortTime } from "../../app/chrome/format.ts";
import { createListOverlay } from "./list-overlay.ts";
import type { Overlay, OverlaySurface } from "../overlay-surface.ts";

export interface InboxOverlayOptions {
  readonly requests: () => readonly OpenRequest[];
  readonly now: () => number;
  readonly colourOf?: ((member: string) => string | undefined) | undefined;
  readonly onPick: (requestId: string) => void;
  readonly onClose: () => void;
}

export function createInboxOverlay(surface: OverlaySurface, options: InboxOverlayOptions): Overlay {
  return createListOverlay(surface, {
    title: "Waiting for you",
    items: options.requests,
    idOf: (request) => request.requestId,
    empty: () => "Nobody asks anything.",
    hints: () => ["Enter answer", "Esc close", "↑↓ move"],
    hasDigits: true,
    rows: {
      show: (request, index) => ({
        label: `${request.member} · ${describeRequest(request).what}`,
        description: formatWait(request, options.now()),
        mark: `${index + 1}. `,
        paint: (text) => surface.theme.member(request.member, text, options.colourOf?.(request.member)),
      }),
    },
    onKey(key, request) {
      if (key !== "enter") return false;
      if (request !== undefined) options.onPick(request.requestId);
      return true;
    },
    onClose: options.onClose,
  });
}

function formatWait({ ts, timeoutMs }: OpenRequest, now: number): string[] {
  const left = ts + timeoutMs - now;
  return [`asked ${shortTime(now - ts)} ago`, left > 0 ? `${countdown(left)} left` : "time is up"];
}
