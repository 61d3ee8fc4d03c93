/**
 * Members of kind `cursor`: `agent acp`, one process for each member. A `command` with `-p` or `--print` asks for the
 * fallback instead: one process for each turn that prints what it does, without approvals.
 */
import { realpathSync } from "node:fs";
import type { MemberSpec } from "../../../protocol/index.ts";
import { createAcpProcessAgent, type AcpAgentOptions } from "../acp/acp-process-agent.ts";
import { agentPrograms } from "../../discovery/agent-programs.ts";
import type { Agent, AgentSetup } from "../../port.ts";
import { checkoutTest } from "../../process/launch/checkout.ts";
import { findProgram, programCandidates } from "../../process/launch/find-program.ts";
import { cursorProgram } from "./program.ts";
import { createPrintAgent } from "./print/agent.ts";

export function createCursorAgent(spec: MemberSpec, setup: AgentSetup, options: AcpAgentOptions = {}): Agent {
  const [command = findCursor(setup), ...args] = spec.command ?? [];
  if (args.some((arg) => arg === "-p" || arg === "--print"))
    return createPrintAgent(spec, setup, { command, args }, options);
  return createAcpProcessAgent(
    spec,
    setup,
    { command, args: args.length === 0 ? ["acp"] : args, program: cursorProgram },
    options,
  );
}

/** `agent` may be anybody's: of the programs of its names, the first that really is Cursor's. */
function findCursor({ cwd, environment }: AgentSetup): string {
  const { PATH, PATHEXT } = environment?.variables ?? process.env;
  const isInCheckout = checkoutTest(cwd);
  const known = agentPrograms.find(({ spec }) => spec.kind === "cursor");
  const names = known?.commands ?? ["cursor-agent"];
  const match = names
    .flatMap((name) => programCandidates(name, { PATH, PATHEXT }))
    .filter((file) => !isInCheckout(file))
    .find((file) => findProgram(file).ok && (known?.isIt?.(realpathSync(file)) ?? true));
  return match ?? "cursor-agent";
}
