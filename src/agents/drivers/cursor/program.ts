/** Cursor's `agent acp`. Its extension requests block it until they are answered. */
import type { AcpProgram } from "../acp/programs/program.ts";
import { cursorExtensions } from "./extensions.ts";

export const cursorProgram: AcpProgram = {
  authMethod: () => "cursor_login",
  loginHint: 'Run "agent login" in a terminal, or export CURSOR_API_KEY, and ask again.',
  stateOf: "cursor",
  // Its documentation calls this mode read-only; nobody has tried it. Elsewhere its own settings may let it act unasked.
  restrain: ({ isWritable }) =>
    isWritable
      ? { guard: { guard: "unguarded" } }
      : { mode: "ask", guard: { guard: "own_mode", detail: 'its mode "ask"' } },
  canSteer: false,
  extensions: cursorExtensions,
};
