/** How full a member's context is. */
import type { MemberState } from "../../transcript/index.ts";
import { formatTokens } from "../format/units.ts";

const NEARLY_FULL = 0.85;

export function ContextBar({ member: { context, name } }: { member: MemberState }) {
  if (context === undefined) return null;
  const fraction = Math.min(1, context.used / context.window);
  const label = `${Math.round(fraction * 100)} % of ${formatTokens(context.window)} tokens${context.measured ? "" : ", estimated"}`;
  return (
    <meter
      className="context"
      min={0}
      max={1}
      high={NEARLY_FULL}
      value={fraction}
      aria-label={`Context of ${name}: ${label}`}
      title={`Context: ${label}`}
    />
  );
}
