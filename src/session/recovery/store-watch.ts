/** Behaviour on store failure: new work is refused, and running turns are stopped once events are lost. */
import { RoundtableError, type CommandType } from "../../protocol/index.ts";
import { stopAll } from "../turn/interrupt.ts";
import type { SessionState } from "../state.ts";

/** They have an effect even while nothing can be written; their acknowledgement comes when the store is back. */
const ALWAYS_ACCEPTED: ReadonlySet<CommandType> = new Set(["interrupt", "answer", "list_files", "list_permissions"]);

function isStoreFailing({ ledger }: SessionState): boolean {
  const { state } = ledger.log.store;
  return state === "full" || state === "read-only";
}

/** Awaits work unless the store starts failing. */
export async function whileStoreWorks(state: SessionState, work: () => Promise<void>): Promise<void> {
  if (isStoreFailing(state)) return;
  const { promise: failed, resolve } = Promise.withResolvers<void>();
  const stop = state.ledger.log.onStore(() => isStoreFailing(state) && resolve());
  try {
    await Promise.race([work(), failed]);
  } finally {
    stop();
  }
}

export function checkStore(state: SessionState, type: CommandType): void {
  const { state: storeState, message } = state.ledger.log.store;
  if (!isStoreFailing(state) || ALWAYS_ACCEPTED.has(type)) return;
  throw new RoundtableError("store_unavailable", `The session cannot be written now (${storeState}): ${message}`, {
    hint: "Try again when the disk has recovered.",
  });
}

/** Output that cannot be recorded is useless: stop the agents. */
export function stopOnLoss(state: SessionState): void {
  state.ledger.onLoss(() => {
    if (!state.isClosed && state.turns.size > 0) stopAll(state, "store_unavailable");
  });
}
