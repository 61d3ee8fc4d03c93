/** Selection of Pi's model: requested by name, switched by provider and id. */
import type { Step } from "../../process/dialect.ts";
import { errored } from "../../process/turn-errors.ts";
import { fieldsOf, numberOf, recordsOf, rawTextOf, type Fields } from "../../../kit/fields.ts";
import { line, step, type PiModel, type PiSetup, type PiState, type TurnState } from "./state.ts";
import { finish } from "./turn-end.ts";

/** Thinking levels, which may follow a model's name after a colon. */
const LEVELS = /^(.+):(off|minimal|low|medium|high|xhigh|max)$/;

/** Number of available models that a refusal lists. */
const NAMED_MAX = 5;

export function readModel(value: unknown): PiModel | undefined {
  const model = fieldsOf(value);
  const provider = rawTextOf(model?.["provider"]);
  const id = rawTextOf(model?.["id"]);
  if (provider === undefined || id === undefined) return undefined;
  const window = numberOf(model?.["contextWindow"]) ?? 0;
  return { provider, id, contextWindow: window > 0 ? window : undefined };
}

export function isModel({ provider, id }: PiModel, name: string): boolean {
  return name === `${provider}/${id}` || name === id;
}

/** Handles the list of models: selects the turn's model, or ends the turn. */
export function chooseModel(
  state: PiState,
  turn: TurnState,
  wanted: string,
  data: Fields,
  setup: PiSetup,
): Step<PiState> {
  const offered = recordsOf(data["models"]).flatMap((one) => readModel(one) ?? []);
  const match = findModel(offered, wanted, state.model);
  if (match === undefined) {
    const names = offered.slice(0, NAMED_MAX).map(({ provider, id }) => `${provider}/${id}`);
    const known = names.length === 0 ? "Pi offers none." : `Pi offers ${names.join(", ")}${more(offered.length)}.`;
    const message = `${setup.member} rejected the turn: there is no model "${wanted}". ${known}`;
    return finish(state, turn, errored({ code: "model_not_found", message, hint: "Give the member another model." }));
  }
  const { provider, id } = match.model;
  const level = match.level === undefined ? [] : [line({ type: "set_thinking_level", level: match.level })];
  return step(state, [], line({ type: "set_model", provider, modelId: id }), ...level);
}

function findModel(
  offered: readonly PiModel[],
  wanted: string,
  current: PiModel | undefined,
): { model: PiModel; level?: string } | undefined {
  const fitting = offered.filter((one) => isModel(one, wanted));
  const model = fitting.find((one) => one.provider === current?.provider) ?? fitting[0];
  if (model !== undefined) return { model };
  const [, name, level] = LEVELS.exec(wanted) ?? [];
  if (name === undefined || level === undefined) return undefined;
  const match = findModel(offered, name, current);
  return match === undefined ? undefined : { model: match.model, level };
}

function more(count: number): string {
  return count > NAMED_MAX ? ` and ${count - NAMED_MAX} more` : "";
}
