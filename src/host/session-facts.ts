/** What a program asks about a session without folding it: who waits for an answer, and what was used. */
import type { OpenRequest, Totals, Transcript } from "../transcript/index.ts";

export interface SessionFacts {
  /** Oldest first. */
  readonly requests: readonly OpenRequest[];
  readonly usage: {
    readonly totals: Totals;
    readonly members: readonly { readonly name: string; readonly totals: Totals }[];
  };
}

export function factsOf({ head }: Transcript): SessionFacts {
  const members = Object.values(head.members).map(({ name, totals }) => ({ name, totals }));
  return { requests: head.requests, usage: { totals: head.totals, members } };
}
