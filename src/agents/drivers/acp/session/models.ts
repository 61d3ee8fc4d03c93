/** Which models an agent lets us choose from, and how it is told. Two ways are in use; agents offer one or none. Pure. */
import type { ReportedModel } from "../../../offered-models.ts";
import { recordOf, recordsOf, textOf, type Fields } from "../../../json-rpc/fields.ts";
import type { AcpState, AcpStep, Models } from "../state.ts";

export function readModels(session: Fields): Models {
  const option = modelOption(session);
  const configId = option === undefined ? null : textOf(option, "id");
  if (option !== undefined && configId !== null) {
    return { current: textOf(option, "currentValue"), via: { by: "option", configId }, refused: null };
  }
  const models = recordOf(session, "models");
  const via = recordsOf(models, "availableModels").length === 0 ? null : ({ by: "set_model" } as const);
  return { current: textOf(models, "currentModelId"), via, refused: null };
}

/** What there is to choose from; the options of a choice may stand in groups. */
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
 * Makes the wanted model an errand. Lists that agents give are not complete, so it is theirs to refuse; a refusal is said
 * once, and the turn goes on with what they have.
 */
export function chooseModel(state: AcpState, wanted: string | null): AcpStep {
  const { models, sessionId } = state;
  if (wanted === null || wanted === models.current || wanted === models.refused || sessionId === null) return { state };
  if (models.via === null) return fallBack(state, wanted, "the agent does not let a client choose its model");
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
