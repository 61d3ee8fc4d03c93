/** What a program asks about a session without folding it: who sits there, who waits for an answer, and what was used. */
import type { MemberState, OpenRequest, Totals, Transcript } from "../../transcript/index.ts";

export interface SessionFacts {
  /** Oldest first. */
  readonly requests: readonly OpenRequest[];
  /** Everybody who ever sat down. */
  readonly members: readonly MemberFacts[];
  readonly usage: {
    readonly totals: Totals;
    readonly members: readonly { readonly name: string; readonly totals: Totals }[];
  };
}

export type MemberFacts = Pick<
  MemberState,
  "name" | "seated" | "muted" | "state" | "turnId" | "lastOutcome" | "context" | "capabilities"
> & { readonly kind: MemberState["spec"]["kind"]; readonly model?: string };

export function factsOf({ head }: Transcript): SessionFacts {
  const members = Object.values(head.members);
  return {
    requests: head.requests,
    members: members.map(memberFactsOf),
    usage: { totals: head.totals, members: members.map(({ name, totals }) => ({ name, totals })) },
  };
}

function memberFactsOf(member: MemberState): MemberFacts {
  const { name, spec, seated, muted, state, turnId, lastOutcome, context, capabilities } = member;
  const model = member.model ?? spec.model;
  return {
    name,
    kind: spec.kind,
    ...(model === undefined ? {} : { model }),
    seated,
    muted,
    state,
    ...(turnId === undefined ? {} : { turnId }),
    ...(lastOutcome === undefined ? {} : { lastOutcome }),
    ...(context === undefined ? {} : { context }),
    capabilities,
  };
}
