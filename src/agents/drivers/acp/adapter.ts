/** Members of kind `acp`: any program that speaks the Agent Client Protocol, given by the member's `command`. */
import { homedir } from "node:os";
import path from "node:path";
import type { MemberSpec } from "../../../protocol/index.ts";
import { cursorProgram } from "../cursor/adapter.ts";
import { opencodeProgram } from "../opencode/adapter.ts";
import type { Agent, AgentSetup } from "../../port.ts";
import { createUnavailableAgent } from "../../unavailable-agent.ts";
import { geminiProgram } from "./programs/gemini.ts";
import { programName, genericProgram, type AcpProgram } from "./programs/program.ts";
import { createAcpProcessAgent, type AcpAgentOptions } from "./acp-process-agent.ts";
import { externalRules, inspectProject } from "../codex/config/thread-config.ts";

export function createAcpAgent(spec: MemberSpec, setup: AgentSetup, options: AcpAgentOptions = {}): Agent {
  const [command, ...args] = spec.command ?? [];
  if (command === undefined) {
    return createUnavailableAgent({
      code: "unsupported",
      message: `Member "${spec.name}" did not answer: a member of kind acp needs a command that starts it.`,
      hint: `Give it one, for example "command": ["gemini", "--acp"].`,
    });
  }
  return createAcpProcessAgent(
    spec,
    setup,
    { command, args, program: programOf(programName({ command, args })) },
    options,
  );
}

/** codex-acp: its read-only mode is Codex's own sandbox, which the user's command rules can open. */
const codexAcpProgram: AcpProgram = {
  stateOf: "codex-acp",
  restrain({ cwd, environment }) {
    const { CODEX_HOME, HOME = homedir() } = environment;
    const home = CODEX_HOME ?? path.join(HOME, ".codex");
    const rules =
      externalRules(home, false) ?? (inspectProject(cwd, home).hasRules ? "the project's .codex" : undefined);
    return rules === undefined
      ? {}
      : { guard: { guard: "unguarded", detail: `commands that ${rules} allows run without asking` } };
  },
  canSteer: false,
};

const PROGRAMS: Readonly<Record<string, AcpProgram>> = {
  gemini: geminiProgram,
  "gemini-cli": geminiProgram,
  opencode: opencodeProgram,
  "opencode-ai": opencodeProgram,
  agent: cursorProgram,
  "cursor-agent": cursorProgram,
  "codex-acp": codexAcpProgram,
};

/** Matched by file name only: the quirks of a known program do no harm to another one. */
function programOf(name: string): AcpProgram {
  return Object.hasOwn(PROGRAMS, name) ? (PROGRAMS[name] ?? genericProgram) : genericProgram;
}
