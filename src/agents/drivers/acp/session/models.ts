/** Model and effort selection of an agent. Two ways are in use for models; agents offer one or none. Pure. */
import type { ReportedModel } from "../../../offered-models.ts";
import { recordOf, recordsOf, textOf, type Fields } from "../../../json-rpc/fields.ts";
import { type AcpState, type AcpStep, type Models, NO_EFFORT, type Effort } from "../state.ts";
import type { AcpOptions } from "../options.ts";

export function readModels(session: Fields): Models {
  const option = modelOption(session);
  const configId = option === undefined ? undefined : textOf(option, "id");
  if (option !== undefined && configId !== undefined) {
    return { current: textOf(option, "currentValue"), via: { by: "option", configId }, refused: undefined };
  }
  const models = recordOf(session, "models");
  const via = recordsOf(models, "availableModels").length === 0 ? undefined : ({ by: "set_model" } as const);
  return { current: textOf(models, "currentModelId"), via, refused: undefined };
}

/** Models on offer; the options of a select may be grouped. */
export function offeredModels(session: Fields): ReportedModel[] {
  const option = modelOption(session);
  if (option !== undefined) {
    return recordsOf(option, "options")
      .flatMap((one) => (Array.isArray(one["options"]) ? recordsOf(one, "options") : [one]))
      .map(({ value, name, description }) => ({ id: value, name, description }));
  }
  return recordsOf(recordOf(session, "models"), "availableModels").map(({ modelId, name, description }) => ({
    id: modelId,
    name,
    description,
  }));
}

function modelOption(session: Fields): Fields | undefined {
  return recordsOf(session, "configOptions").find((one) => one["category"] === "model" || one["id"] === "model");
}

/**
 * Queues the selection of the wanted model. Agents' lists are not complete, so the agent decides; a refusal is reported
 * once, and the turn continues with the current model.
 */
export function chooseModel(state: AcpState, wanted: string | undefined): AcpStep {
  const { models, sessionId } = state;
  if (wanted === undefined || wanted === models.current || wanted === models.refused || sessionId === undefined)
    return { state };
  if (models.via === undefined) return fallBack(state, wanted, "the agent does not let a client choose its model");
  const [method, params] =
    models.via.by === "set_model"
      ? ["session/set_model", { sessionId, modelId: wanted }]
      : ["session/set_config_option", { sessionId, configId: models.via.configId, value: wanted }];
  return {
    state: { ...state, queuedCalls: [...state.queuedCalls, { call: { kind: "model", wanted }, method, params }] },
  };
}

export function fallBack(state: AcpState, preferred: string, reason: string): AcpStep {
  const actual = state.models.current ?? "its own choice";
  return {
    state: { ...state, models: { ...state.models, refused: preferred } },
    events: [{ type: "model_fallback", preferred, actual, reason }],
  };
}

/** Reasoning effort, where the agent lets a client choose it (`thought_level`). */
export function readEffort(session: Fields): Effort {
  const option = recordsOf(session, "configOptions").find((one) => one["category"] === "thought_level");
  const configId = option === undefined ? undefined : textOf(option, "id");
  if (option === undefined || configId === undefined) return NO_EFFORT;
  const offered = recordsOf(option, "options")
    .flatMap((one) => (Array.isArray(one["options"]) ? recordsOf(one, "options") : [one]))
    .flatMap((one) => textOf(one, "value") ?? []);
  return { configId, current: textOf(option, "currentValue"), offered, requestedFor: undefined };
}

/** Once per model: another model may have started with an effort of its own. */
export function chooseEffort(
  state: AcpState,
  { member, effort: wanted }: AcpOptions,
  model: string | undefined,
): AcpStep {
  const { effort, sessionId } = state;
  const name = model ?? state.models.current ?? "";
  if (wanted === undefined || sessionId === undefined || effort.requestedFor === name) return { state };
  const requested: AcpState = { ...state, effort: { ...effort, requestedFor: name } };
  if (effort.configId === undefined) {
    return refuseEffort(requested, member, wanted, "it does not let a client choose one");
  }
  if (effort.requestedFor === undefined && !effort.offered.includes(wanted)) {
    return refuseEffort(requested, member, wanted, `it offers ${effort.offered.join(", ")}`);
  }
  if (effort.requestedFor === undefined && effort.current === wanted && state.queuedCalls.length === 0)
    return { state: requested };
  const params = { sessionId, configId: effort.configId, value: wanted };
  const queuedCall = { call: { kind: "effort" as const, wanted }, method: "session/set_config_option", params };
  return { state: { ...requested, queuedCalls: [...requested.queuedCalls, queuedCall] } };
}

export function refuseEffort(state: AcpState, member: string, wanted: string, why: string): AcpStep {
  const message = `${member} does not support the effort "${wanted}": ${why}. It uses its own.`;
  return { state, events: [{ type: "warning", code: "effort_refused", message }] };
}
