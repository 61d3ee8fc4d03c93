/** Members of kind `opencode`: `opencode acp`, one process per member. */
import type { MemberSpec } from "../../../protocol/index.ts";
import { createAcpProcessAgent, type AcpAgentOptions } from "../acp/acp-process-agent.ts";
import type { Agent, AgentSetup } from "../../port.ts";
import { opencodeProgram } from "./program.ts";

export function createOpencodeAgent(spec: MemberSpec, setup: AgentSetup, options: AcpAgentOptions = {}): Agent {
  const [command = "opencode", ...args] = spec.command ?? ["opencode", "acp"];
  return createAcpProcessAgent(
    spec,
    setup,
    { command, args: args.length === 0 ? ["acp"] : args, program: opencodeProgram },
    options,
  );
}
