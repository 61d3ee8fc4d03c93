/** The terminal app. The first frame needs neither host nor session; the terminal is restored on every exit. */
export type { FileEditor, RunShell, ScreenOptions, ScreenConnection, SessionChoice } from "./app/options.ts";
export { runScreen } from "./app/run-screen.ts";
export type { ReaderOptions } from "./reader/reader-options.ts";
export { runReader } from "./reader/reader.ts";
export type { RecordedSession, ReplayLinesOptions, ReplayOptions } from "./replay/replay-lines.ts";
export { runReplayScreen } from "./replay/replay-screen.ts";
export { runReplayLines } from "./replay/replay-lines.ts";
export { runSessionPicker, type PickerOptions } from "./app/run-screen.ts";
