/**
 * The terminal app: draws a session in a terminal and turns keys into commands. The first frame needs neither host nor
 * session; the terminal is put back on every way out.
 */
export type { RunShell, ScreenOptions, ScreenConnection, SessionChoice } from "./app/options.ts";
export { runScreen } from "./app/run-screen.ts";
export type { ReaderOptions } from "./reader/reader-options.ts";
export { runReader } from "./reader/run-reader.ts";
export type { RecordedSession, ReplayLinesOptions, ReplayOptions } from "./replay/replay-options.ts";
export { runReplayScreen } from "./replay/run-replay.ts";
export { runReplayLines } from "./replay/replay-lines.ts";
export { runSessionPicker, type PickerOptions } from "./app/run-session-picker.ts";
