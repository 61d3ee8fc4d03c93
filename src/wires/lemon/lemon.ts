/** Wire 003: JSON lines on stdio with agent-driven overlays. Our transcript becomes its lines, its lines our commands. */
export { readLine, type Said, type StartSession, type WireCommand } from "./commands.ts";
export {
  errorLine,
  modelOf,
  providersOf,
  readyLine,
  sessionsListLine,
  startedLine,
  statsLine,
  TABLE_PROVIDER,
  tableModel,
  tableNames,
  WIRE_PROTOCOL_VERSION,
  type Model,
} from "./lines.ts";
export { OverlayDesk, type Answer, type Responded } from "./overlays.ts";
export { HISTORY_MESSAGES_MAX, isQuiet, SessionStream } from "./session-stream.ts";
export { signalLines, standingSignals } from "./signals.ts";
export type { Line, WireEvent } from "./wire-event.ts";
