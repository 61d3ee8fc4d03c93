/** Members of kind `opencode`: `opencode acp`, one process for each member. */
import type { MemberSpec } from "../../protocol/index.ts";
import { seatAcp, type AcpSeatOptions } from "../acp/seat-acp.ts";
import type { Agent, Seat } from "../port.ts";
import { opencodeProgram } from "./opencode-program.ts";

export function createOpencodeAgent(spec: MemberSpec, seat: Seat, options: AcpSeatOptions = {}): Agent {
  const [command = "opencode", ...args] = spec.command ?? ["opencode", "acp"];
  return seatAcp(spec, seat, { command, args: args.length === 0 ? ["acp"] : args, program: opencodeProgram }, options);
}
