/** The terminal screen: draws a session in a terminal and turns keys into commands. The terminal is put back on every way out. */
export { runScreen } from "./screen.ts";
