/** codex-acp: Codex behind the protocol. Its read-only mode is Codex's own sandbox, which rules of the user can open. */
import { homedir } from "node:os";
import path from "node:path";
import { externalRules, inspectProject } from "../../codex/config/command-rules.ts";
import type { AcpProgram } from "./program.ts";

export const codexAcpProgram: AcpProgram = {
  stateOf: "codex-acp",
  restrain({ cwd, environment }) {
    const { CODEX_HOME, HOME = homedir() } = environment;
    const home = CODEX_HOME ?? path.join(HOME, ".codex");
    const rules = externalRules(home, false) ?? (inspectProject(cwd, home).hasRules ? "the project's .codex" : null);
    return rules === null
      ? {}
      : { guard: { guard: "unguarded", detail: `commands that ${rules} allows run without asking` } };
  },
  canSteer: false,
};
