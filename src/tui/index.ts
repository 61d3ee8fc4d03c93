/**
 * The terminal app: draws a session in a terminal and turns keys into commands. The first frame needs neither host nor
 * session; the terminal is put back on every way out.
 */
export type { ScreenOptions, Seat, SessionChoice } from "./app/screen-options.ts";
export { runScreen } from "./app/run-screen.ts";
export type { ReaderOptions } from "./reader/reader-options.ts";
export { runReader } from "./reader/run-reader.ts";
