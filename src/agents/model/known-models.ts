/** Which model is asked, and its context window, from configuration and server. */
import { offerModels } from "../offered-models.ts";
import type { AgentState } from "./agent-state.ts";
import { ModelError } from "./requests/model-error.ts";
import { parseModels } from "./model-choice.ts";
import { firstForTalk, forTalk, listModels } from "./requests/list-models.ts";
import type { RunningTurn } from "./running-turn.ts";

const NAMED_MAX = 12;

/** Models named by the turn or the member. The first one's quirks decide how the prompt is built. */
export function useNamedModels({ spec, choice }: AgentState, turn: RunningTurn): boolean {
  const named = parseModels(turn.input.model ?? spec.model);
  if (named.length > 0) choice.use(named);
  return named.length > 0;
}

/** The model asked first; empty while none is known. */
export function presentModel({ choice }: AgentState): string {
  return choice.candidates()[0] ?? "";
}

/** The named model, or the first one a local server offers. */
export async function chooseModel(state: AgentState, turn: RunningTurn): Promise<void> {
  const { spec, choice, endpoint } = state;
  if (useNamedModels(state, turn) || !choice.isEmpty) return;
  const offered = await turn.unlessStopped(listModels({ ...state, signal: turn.signal }));
  state.offered = offered;
  reportModels(state, turn);
  const first = firstForTalk(offered);
  if (first === undefined || !endpoint.isLocal) {
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
  const message = `No model is named for ${spec.name}; using ${first}, the first one ${endpoint.shown} offers.`;
  turn.show({ type: "warning", code: "model_chosen", message });
}

/**
 * Runs beside the first request, so that nothing waits for it; known from the second request on. Also when the window
 * is configured: the list is shown to the user.
 */
export function loadModels(state: AgentState, turn: RunningTurn): void {
  if (state.offered !== undefined) return reportModels(state, turn);
  if (state.limits.windowTokens !== undefined) return;
  state.offered = [];
  void listModels({ ...state, signal: state.closeSignal }).then((offered) => {
    state.offered = offered;
    // Nothing may come up after the turn has ended; the next turn reports it.
    for (const offer of offerModels(forTalk(offered))) if (state.depth === 0) turn.show(offer);
  });
}

const reported = new WeakSet<AgentState>();

/** Subagents inherit the member's model list. */
function reportModels(state: AgentState, turn: RunningTurn): void {
  const { depth, offered } = state;
  // An empty list has not arrived yet.
  if (depth > 0 || offered === undefined || offered.length === 0 || reported.has(state)) return;
  reported.add(state);
  for (const offer of offerModels(forTalk(offered))) turn.show(offer);
}

/** In tokens; undefined when unknown. */
export function windowOf({ spec, limits, offered }: AgentState, model: string): number | undefined {
  return spec.window ?? limits.windowTokens ?? offered?.find((one) => one.id === model)?.windowTokens;
}
