/** A member's name with its sign, and the words for its state. */
import { memo } from "react";
import type { MemberState } from "../../transcript/index.ts";
import { inPlainSight } from "../format/plain-sight.ts";
import { MemberSign, useMemberStyle } from "../ui/sign.tsx";

interface MemberNameProps {
  readonly name: string;
  readonly hasSign?: boolean;
}

export const MemberName = memo(function MemberName({ name, hasSign = true }: MemberNameProps) {
  const { hue } = useMemberStyle(name);
  return (
    <span className="speaker" data-hue={hue}>
      {hasSign ? <MemberSign name={name} size="s" /> : null}
      {inPlainSight(name)}
    </span>
  );
});

/** Label of a member's state; empty when idle. */
export function stateLabel({ muted, state, lastOutcome, compacting }: MemberState): string {
  if (muted) return "muted";
  if (compacting !== undefined && state !== "running") return "compacting";
  if (state !== "idle") return state;
  if (lastOutcome === "errored") return "failed";
  return lastOutcome === "timed_out" ? "timed out" : "";
}
