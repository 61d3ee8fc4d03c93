/** Settles the questions that a restart cut, so that no block of the log waits for ever. Can be cut and run again. */
import type { Ledger } from "../../ledger.ts";
import { restarted } from "./messages.ts";

export function recoverExchanges(ledger: Ledger): void {
  ledger.append(
    ledger.memory.exchanges.open().map(({ agentExchangeId, to }) => ({
      type: "agent_callback_result",
      agentExchangeId,
      member: to,
      ok: false,
      text: restarted(to),
    })),
  );
}
