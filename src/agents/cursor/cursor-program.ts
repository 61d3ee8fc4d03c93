/** Cursor's `agent acp`. Its extension requests block it until they are answered. */
import type { AcpProgram } from "../acp/program.ts";
import { cursorExtensions } from "./extensions.ts";

export const cursorProgram: AcpProgram = {
  authMethod: () => "cursor_login",
  loginHint: 'Run "agent login" in a terminal, or export CURSOR_API_KEY, and ask again.',
  readOnlyMode: "ask",
  canSteer: false,
  extensions: cursorExtensions,
};
