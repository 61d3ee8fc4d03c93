/** How the place of a replay is said. */
import type { Player, PlayerState } from "../../transcript/index.ts";

/** "event 34 of 240 · 10:32:04 · text delta · scout". */
export function formatPosition(player: Player, { step }: PlayerState): string {
  const position = `event ${step.toLocaleString("en")} of ${player.length.toLocaleString("en")}`;
  const event = player.eventAt(step);
  if (event === undefined) return `${position} · before the first`;
  const member = "member" in event && typeof event.member === "string" ? [event.member] : [];
  const time = event.ts > 0 ? [new Date(event.ts).toLocaleTimeString()] : [];
  return [position, ...time, event.type.replaceAll("_", " "), ...member].join(" · ");
}

/** "1:05". */
export function shownMs(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  const rest = String(seconds % 60).padStart(2, "0");
  if (minutes < 60) return `${minutes}:${rest}`;
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${rest}`;
}
