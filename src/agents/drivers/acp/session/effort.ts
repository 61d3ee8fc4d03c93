/** How hard the model of an agent thinks, where the agent lets a client choose it (`thought_level`). Pure. */
import { recordsOf, textOf, type Fields } from "../../../json-rpc/fields.ts";
import type { AcpOptions } from "../options.ts";
import { NO_EFFORT, type AcpState, type AcpStep, type Effort } from "../state.ts";

export function readEffort(session: Fields): Effort {
  const option = recordsOf(session, "configOptions").find((one) => one["category"] === "thought_level");
  const configId = option === undefined ? null : textOf(option, "id");
  if (option === undefined || configId === null) return NO_EFFORT;
  const offered = recordsOf(option, "options")
    .flatMap((one) => (Array.isArray(one["options"]) ? recordsOf(one, "options") : [one]))
    .flatMap((one) => textOf(one, "value") ?? []);
  return { configId, current: textOf(option, "currentValue"), offered, requestedFor: null };
}

/** Once for each model: another model may have begun with an effort of its own. */
export function chooseEffort(state: AcpState, { member, effort: wanted }: AcpOptions, model: string | null): AcpStep {
  const { effort, sessionId } = state;
  const name = model ?? state.models.current ?? "";
  if (wanted === undefined || sessionId === null || effort.requestedFor === name) return { state };
  const requested: AcpState = { ...state, effort: { ...effort, requestedFor: name } };
  if (effort.configId === null) {
    return refuseEffort(requested, member, wanted, "it offers no choice of it");
  }
  if (effort.requestedFor === null && !effort.offered.includes(wanted)) {
    return refuseEffort(requested, member, wanted, `it offers ${effort.offered.join(", ")}`);
  }
  if (effort.requestedFor === null && effort.current === wanted && state.queuedCalls.length === 0)
    return { state: requested };
  const params = { sessionId, configId: effort.configId, value: wanted };
  const queuedCall = { call: { kind: "effort" as const, wanted }, method: "session/set_config_option", params };
  return { state: { ...requested, queuedCalls: [...requested.queuedCalls, queuedCall] } };
}

export function refuseEffort(state: AcpState, member: string, wanted: string, why: string): AcpStep {
  const message = `${member} does not think with the effort "${wanted}": ${why}. It answers with its own.`;
  return { state, events: [{ type: "warning", code: "effort_refused", message }] };
}
