/** What a member's turns cost: as it tells itself, or by the price that its configuration gives. */
import type { AgentEvent } from "../../agents/index.ts";
import { USD_LIMIT, type EventDraft, type MemberSpec, type Price, type Usage } from "../../protocol/index.ts";
import { uncachedInput, type MemberState } from "../../transcript/index.ts";
import { memberOf, settingsOf, type SessionState } from "../state.ts";

const MILLION = 1_000_000;
/** Of the price of input, where nobody says what input from a cache costs. */
const CACHED_SHARE = 0.1;

/** The event with the cost of its usage, where that is not told and there is a price. */
export function priced(event: AgentEvent, spec: MemberSpec | undefined): AgentEvent {
  if (spec?.price === undefined || !("usage" in event) || event.usage === undefined) return event;
  return { ...event, usage: withCost(event.usage, spec.kind, spec.price) };
}

/** Programs that know no price of a model tell that it costs nothing. */
function withCost(usage: Usage, kind: MemberSpec["kind"], price: Price): Usage {
  if ((usage.costUsd ?? 0) > 0) return usage;
  const { outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
  const { input, output, cached = input * CACHED_SHARE } = price;
  const read = (uncachedInput(usage, kind) + cacheWriteTokens) * input + cacheReadTokens * cached;
  return { ...usage, costUsd: (read + outputTokens * output) / MILLION };
}

function isCostUnknown({ spec, capabilities, totals }: MemberState): boolean {
  const hasReported = totals.turns > 0 && totals.costUsd !== null;
  return capabilities.cost === false && spec.price === undefined && !hasReported;
}

/** Said before a member begins whose cost nobody will know, once while the session is open, where a budget was set. */
export function unknownCostNote(state: SessionState, name: string): EventDraft[] {
  const { usd, session } = settingsOf(state).limits;
  const member = memberOf(state, name);
  const isLimited = usd !== USD_LIMIT || session?.usd !== undefined;
  if (member === undefined || !isLimited || state.unpriced.has(name) || !isCostUnknown(member)) return [];
  state.unpriced.add(name);
  const message = `The cost of ${name} is unknown, so the dollar limit does not apply to it. agents.${name}.price in the configuration makes it count.`;
  return [{ type: "warning", member: name, code: "cost_unknown", message }];
}
