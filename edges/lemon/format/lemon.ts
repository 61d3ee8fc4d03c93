/** Wire 003: JSON lines on stdio with agent-driven overlays. The transcript becomes lines, lines become commands. */
export { readLine, type StartSession, type WireCommand } from "./commands.ts";
export {
  errorLine,
  modelOf,
  providersOf,
  readyLine,
  sessionsListLine,
  startedLine,
  statsLine,
  roundtableModel,
  type Counted,
} from "./lines.ts";
export { messageCount } from "./message-count.ts";
export { OverlayController, type Answer } from "./overlays.ts";
export { HISTORY_MESSAGES_MAX, SessionStream } from "./session-stream.ts";
export { noticeLine, signalLines, currentSignals } from "./signals.ts";
export type { Line } from "./wire-event.ts";
