/**
 * The port between the core and what plugs into it. Types only: the core names edges nowhere but in `src/cli/edges.ts`.
 */
export type * from "./port.ts";
