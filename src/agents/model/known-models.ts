/** Which model is asked and how much it takes, as far as configuration and server tell. */
import { offerModels } from "../offered-models.ts";
import type { AgentState } from "./agent-state.ts";
import { ModelError } from "./requests/model-error.ts";
import { parseModels } from "./model-choice.ts";
import { firstForTalk, forTalk, listModels } from "./requests/list-models.ts";
import type { RunningTurn } from "./running-turn.ts";

const NAMED_MAX = 12;

/** The turn's own models or the member's, as far as any are named. What is known of the first decides what it is told. */
export function useNamedModels({ spec, choice }: AgentState, turn: RunningTurn): boolean {
  const named = parseModels(turn.input.model ?? spec.model);
  if (named.length > 0) choice.use(named);
  return named.length > 0;
}

/** The one that is asked first; empty as long as none is known. */
export function presentModel({ choice }: AgentState): string {
  return choice.candidates()[0] ?? "";
}

/** What is named, or the first a server on this machine offers. */
export async function chooseModel(state: AgentState, turn: RunningTurn): Promise<void> {
  const { spec, choice, endpoint } = state;
  if (useNamedModels(state, turn) || !choice.isEmpty) return;
  const offered = await turn.unlessStopped(listModels({ ...state, signal: turn.signal }));
  state.offered = offered;
  reportModels(state, turn);
  const first = firstForTalk(offered);
  if (first === null || !endpoint.isLocal) {
    const names = offered.slice(0, NAMED_MAX).map((model) => model.id);
    throw new ModelError({
      kind: "final",
      code: "no_model",
      message: `No model is named for ${spec.name}, and ${endpoint.shown} offers ${names.length === 0 ? "none that could be listed" : "several"}.`,
      hint:
        names.length === 0
          ? "Name one as the member's model."
          : `Name one as the member's model, e.g. ${names.join(", ")}.`,
    });
  }
  choice.use([first]);
  const message = `No model is named for ${spec.name}; it uses ${first}, the first that ${endpoint.shown} offers.`;
  turn.show({ type: "warning", code: "model_chosen", message });
}

/**
 * Beside the first question, so that nobody waits for it; known from the second one on. Also where the configuration names
 * the window: the list is what the user chooses from.
 */
export function loadModels(state: AgentState, turn: RunningTurn): void {
  if (state.offered !== null) return reportModels(state, turn);
  if (state.limits.windowTokens !== null) return;
  state.offered = [];
  void listModels({ ...state, signal: state.closeSignal }).then((offered) => {
    state.offered = offered;
    // Of a turn that is over nothing comes up any more; then the next one tells it.
    for (const offer of offerModels(forTalk(offered))) if (state.depth === 0) turn.show(offer);
  });
}

const reported = new WeakSet<AgentState>();

/** What there is to choose from is the member's affair, not its subagents'. */
function reportModels(state: AgentState, turn: RunningTurn): void {
  const { depth, offered } = state;
  // An empty list is one that has not come yet.
  if (depth > 0 || offered === null || offered.length === 0 || reported.has(state)) return;
  reported.add(state);
  for (const offer of offerModels(forTalk(offered))) turn.show(offer);
}

/** In tokens; null when nobody has told. */
export function windowOf({ spec, limits, offered }: AgentState, model: string): number | null {
  return spec.window ?? limits.windowTokens ?? offered?.find((one) => one.id === model)?.windowTokens ?? null;
}
