/**
 * Members of kind `cursor`: `agent acp`, one process for each member. A `command` with `-p` or `--print` asks for the
 * fallback instead: one process for each turn that prints what it does, without approvals.
 */
import { realpathSync } from "node:fs";
import type { MemberSpec } from "../../protocol/index.ts";
import { seatAcp, type AcpSeatOptions } from "../acp/seat-acp.ts";
import { agentPrograms } from "../find/agent-programs.ts";
import type { Agent, Seat } from "../port.ts";
import { checkoutTest } from "../process/checkout.ts";
import { findProgram, programCandidates } from "../process/find-program.ts";
import { cursorProgram } from "./cursor-program.ts";
import { seatPrinting } from "./seat-printing.ts";

export function createCursorAgent(spec: MemberSpec, seat: Seat, options: AcpSeatOptions = {}): Agent {
  const [command = findCursor(seat), ...args] = spec.command ?? [];
  if (args.some((arg) => arg === "-p" || arg === "--print"))
    return seatPrinting(spec, seat, { command, args }, options);
  return seatAcp(spec, seat, { command, args: args.length === 0 ? ["acp"] : args, program: cursorProgram }, options);
}

/** `agent` may be anybody's: of the programs of its names, the first that really is Cursor's. */
function findCursor({ cwd, environment }: Seat): string {
  const { PATH, PATHEXT } = environment?.variables ?? process.env;
  const isInCheckout = checkoutTest(cwd);
  const known = agentPrograms.find(({ spec }) => spec.kind === "cursor");
  const names = known?.commands ?? ["cursor-agent"];
  const found = names
    .flatMap((name) => programCandidates(name, { PATH, PATHEXT }))
    .filter((file) => !isInCheckout(file))
    .find((file) => findProgram(file).ok && (known?.isIt?.(realpathSync(file)) ?? true));
  return found ?? "cursor-agent";
}
