/** Which session to show: the newest first, found by title or directory, with a new one on top. */
import type { SessionSummary } from "../../protocol/index.ts";
import type { Choice } from "../app/screen-port.ts";
import { shortAge } from "./short-age.ts";
import type { Overlay, OverlaySurface } from "./overlay-surface.ts";
import { createPickOverlay } from "./pick-overlay.ts";

export interface SessionOverlayOptions {
  readonly sessions: readonly SessionSummary[];
  readonly now: number;
  /** The one that is shown already. */
  readonly currentId?: string | undefined;
  /** Undefined is a new session. */
  readonly onPick: (sessionId: string | undefined) => void;
  readonly onClose: () => void;
}

export function createSessionOverlay(surface: OverlaySurface, options: SessionOverlayOptions): Overlay {
  const choices = sessionChoices(options);
  return createPickOverlay<string | undefined>(surface, {
    title: "Sessions",
    choices,
    at: choices.length > 1 ? 1 : 0,
    onPick: options.onPick,
    onClose: options.onClose,
  });
}

/** Also for screens that pick without this overlay. */
export function sessionChoices({
  sessions,
  now,
  currentId,
}: Pick<SessionOverlayOptions, "sessions" | "now" | "currentId">): Choice<string | undefined>[] {
  return [
    { label: "+ New session", description: "begins with its first message", value: undefined },
    ...sessions
      .toSorted((a, b) => b.updatedTs - a.updatedTs)
      .map((session) => ({
        label: `${statusGlyph(session)} ${session.title === "" ? "(no title)" : session.title}`,
        description: sessionWords(session, { now, isCurrent: session.sessionId === currentId }),
        value: session.sessionId,
      })),
  ];
}

function statusGlyph({ status, problem }: SessionSummary): string {
  if (problem !== undefined) return "✗";
  return status === "running" ? "●" : status === "interrupted" ? "◌" : "○";
}

function sessionWords(session: SessionSummary, { now, isCurrent }: { now: number; isCurrent: boolean }): string {
  return [
    shortAge(now - session.updatedTs),
    ...(isCurrent ? ["this one"] : []),
    ...(session.status === "idle" ? [] : [session.status]),
    ...(session.archived ? ["archived"] : []),
    ...(session.problem === undefined ? [] : [session.problem]),
    `${session.messages} ${session.messages === 1 ? "message" : "messages"}`,
    session.cwd,
  ].join(" · ");
}
