/** Members of kind `acp`: any program that speaks the Agent Client Protocol, named by the member's `command`. */
import type { MemberSpec } from "../../../protocol/index.ts";
import { cursorProgram } from "../cursor/program.ts";
import { opencodeProgram } from "../opencode/program.ts";
import type { Agent, AgentSetup } from "../../port.ts";
import { createUnavailableAgent } from "../../unavailable-agent.ts";
import { codexAcpProgram } from "./programs/codex-acp.ts";
import { geminiProgram } from "./programs/gemini/program.ts";
import { programName } from "./programs/program-name.ts";
import { genericProgram, type AcpProgram } from "./programs/program.ts";
import { createAcpProcessAgent, type AcpAgentOptions } from "./acp-process-agent.ts";

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

const PROGRAMS: Readonly<Record<string, AcpProgram>> = {
  gemini: geminiProgram,
  "gemini-cli": geminiProgram,
  opencode: opencodeProgram,
  "opencode-ai": opencodeProgram,
  agent: cursorProgram,
  "cursor-agent": cursorProgram,
  "codex-acp": codexAcpProgram,
};

/** Known by the name of its file, whoever's it is: what is known of a program does no harm to another one. */
function programOf(name: string): AcpProgram {
  return Object.hasOwn(PROGRAMS, name) ? (PROGRAMS[name] ?? genericProgram) : genericProgram;
}
