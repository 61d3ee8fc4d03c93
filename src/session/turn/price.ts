/** Cost of turns: as reported, or computed from the configured price. */
import type { AgentEvent } from "../../agents/index.ts";
import { USD_LIMIT, type EventDraft, type MemberSpec, type Price, type Usage } from "../../protocol/index.ts";
import { uncachedInput, type MemberState } from "../../transcript/index.ts";
import { memberOf, settingsOf, type SessionState } from "../state.ts";

const MILLION = 1_000_000;
/** Default price of cached input, relative to input. */
const CACHED_SHARE = 0.1;

/** Adds the cost to the event's usage when it is not reported and a price is known. */
export function priced(event: AgentEvent, spec: MemberSpec | undefined): AgentEvent {
  if (spec?.price === undefined || !("usage" in event) || event.usage === undefined) return event;
  return { ...event, usage: withCost(event.usage, spec.kind, spec.price) };
}

/** Programs that do not know a model's price report zero. */
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

/** Warns once per opening, before a member of unknown cost starts, when a budget was set. */
export function unknownCostNote(state: SessionState, name: string): EventDraft[] {
  const { usd, session } = settingsOf(state).limits;
  const member = memberOf(state, name);
  const isLimited = usd !== USD_LIMIT || session?.usd !== undefined;
  if (member === undefined || !isLimited || state.unpriced.has(name) || !isCostUnknown(member)) return [];
  state.unpriced.add(name);
  const message = `The cost of ${name} is unknown, so the dollar limit does not apply to it. Set agents.${name}.price in the configuration to include it.`;
  return [{ type: "warning", member: name, code: "cost_unknown", message }];
}
