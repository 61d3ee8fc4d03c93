/**
 * opencode. By default it writes and runs without asking, so it is told what to ask for; where nothing may be written
 * it is told to refuse by itself, because a permission that is refused from outside ends its turn.
 */
import type { AcpProgram } from "../acp/program.ts";
import { createStartGate } from "../acp/start-gate.ts";

export const opencodeProgram: AcpProgram = {
  setEnv: ({ isWritable, tableServer }) => ({
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_PERMISSION: JSON.stringify({ ...(isWritable ? ASKING : REFUSING), [`${tableServer}_*`]: "allow" }),
  }),
  silenceWarnMs: 20_000,
  loginHint: 'Run "opencode auth login" in a terminal and ask again.',
  canSteer: true,
  doToolsLeadGroups: true,
  // It takes this one without offering it.
  compactCommand: { name: "compact", takesWords: false },
  // It makes or converts its database then, and a second one finds it locked.
  startGate: createStartGate(),
};

/** What its subagents ask for is not passed on over ACP, so one that had to ask would wait until the turn is stopped. */
const ASKING = { edit: "ask", bash: "ask", external_directory: "ask", task: "deny" };
const REFUSING = { edit: "deny", bash: "deny", external_directory: "deny" };
