/** A call of one of the table's own tools that came by its tool server, beside the agent's own protocol. Pure. */
import type { HostToolCall } from "../../host-tools/tool-server.ts";
import { closeSegment } from "./turn/segments.ts";
import { andThen, withTurn, type AcpState, type AcpStep } from "./state.ts";

/** Null when no turn runs to which the call could belong. */
export function handleHostCall(state: AcpState, { callId, tool, args }: HostToolCall): AcpStep | null {
  const { turn } = state;
  if (turn === null || !turn.isSent || turn.isCancelled) return null;
  return andThen(closeSegment(state), (next) => ({
    state: withTurn(next, { hasContent: true }),
    events: [{ type: "host_call", callId, tool, args }],
  }));
}
