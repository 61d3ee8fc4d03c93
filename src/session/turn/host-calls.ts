/** Runs host tools for a member. Every call gets a result; errors are reported to the model. */
import type * as z from "zod";
import type { AgentEvent } from "../../agents/index.ts";
import { isTooDeep, TOO_DEEP } from "../../kit/nesting.ts";
import { argumentProblem, hostTools, type HostToolName, type Json, type UiRequestBody } from "../../protocol/index.ts";
import { askMember } from "../council/exchanges/exchanges.ts";
import { searchHistory } from "../context/history-search.ts";
import { memberOf, joinedMembers, settingsOf, type SessionState } from "../state.ts";
import type { Turn } from "./turn.ts";

type HostCall = Extract<AgentEvent, { type: "host_call" }>;

type Args = { [Tool in (typeof hostTools)[number] as Tool["name"]]: z.infer<Tool["args"]> };

/** A synchronous tool returns its result; one that asks the user or a member answers later. */
type Runner<Name extends HostToolName> = (
  state: SessionState,
  turn: Turn,
  args: Args[Name],
  call: HostCall,
) => Json | undefined;

const DONE = "ok";

const runners: { [Name in HostToolName]: Runner<Name> } = {
  agents_message: (state, turn, args, call) => {
    askMember(state, turn, args, call.callId);
    return undefined;
  },
  agents_list: (state, turn) => ({
    you: turn.identity.member,
    members: joinedMembers(state).map((one) => describe(state, one.name)),
  }),
  user_question: (state, turn, { title, questions, timeoutSeconds }, call) =>
    ask(state, turn, call, { method: "question", title, questions }, timeoutSeconds),
  plan_update: (_state, turn, { items, explanation }) => {
    turn.record({
      type: "plan_update",
      planId: turn.identity.turnId,
      items,
      ...(explanation === undefined ? {} : { explanation }),
    });
    return DONE;
  },
  history_search: (state, turn, args, { callId }) => {
    void searchHistory(state, { ...args, member: turn.identity.member }).then((answer) =>
      state.runtimeOf(turn.identity.member).answer(callId, answer),
    );
    return undefined;
  },
  ui_select: (state, turn, { title, options, timeoutSeconds }, call) =>
    ask(state, turn, call, { method: "select", title, options }, timeoutSeconds),
  ui_confirm: (state, turn, { title, message, timeoutSeconds }, call) =>
    ask(state, turn, call, { method: "confirm", title, message }, timeoutSeconds),
  ui_input: (state, turn, { title, placeholder, timeoutSeconds }, call) =>
    ask(
      state,
      turn,
      call,
      { method: "input", title, ...(placeholder === undefined ? {} : { placeholder }) },
      timeoutSeconds,
    ),
  ui_editor: (state, turn, { title, prefill, timeoutSeconds }, call) =>
    ask(state, turn, call, { method: "editor", title, ...(prefill === undefined ? {} : { prefill }) }, timeoutSeconds),
  ui_notify: (_state, turn, { message, type, notify_type: same = "info" }) =>
    emit(turn, { type: "ui_notify", message, notifyType: type ?? same }),
  ui_status: (_state, turn, { key, text }) => emit(turn, { type: "ui_status", key, text }),
  ui_widget: (_state, turn, { key, content, opts = {} }) => emit(turn, { type: "ui_widget", key, content, opts }),
  ui_working: (_state, turn, { message }) => emit(turn, { type: "ui_working", message }),
  ui_set_title: (_state, turn, { title }) => emit(turn, { type: "ui_set_title", title }),
  ui_set_editor_text: (_state, turn, { text }) => emit(turn, { type: "ui_set_editor_text", text }),
};

export function handleHostCall(state: SessionState, turn: Turn, call: HostCall): void {
  const answer = (result: Json, error: string | null) =>
    state.runtimeOf(turn.identity.member).answer(call.callId, { result, error });
  const tool = hostTools.find((one) => one.name === call.tool);
  if (tool === undefined) return answer(null, `There is no tool "${call.tool}" here.`);
  if (isTooDeep(call.args)) return answer(null, `${call.tool} was not run: ${TOO_DEEP}.`);
  const parsed = (tool.args as z.ZodObject).safeParse(call.args ?? {});
  if (!parsed.success)
    return answer(null, `${call.tool} was not run: ${argumentProblem(parsed.error, call.args ?? {})}`);
  const run = runners[tool.name] as Runner<HostToolName>;
  const result = run(state, turn, parsed.data, call);
  if (result !== undefined) answer(result, null);
}

function ask(
  state: SessionState,
  turn: Turn,
  { callId }: HostCall,
  request: UiRequestBody,
  seconds?: number,
): undefined {
  const limitMs = settingsOf(state).request_timeout * 1000;
  const own = seconds === undefined ? {} : { timeoutMs: seconds * 1000 };
  state.requests.open(turn, { type: "request", callId, request, ...own }, undefined, limitMs);
  return undefined;
}

function emit(turn: Turn, event: AgentEvent): Json {
  turn.record(event);
  return DONE;
}

function describe(state: SessionState, name: string): Json {
  const member = memberOf(state, name);
  return {
    name,
    kind: member?.spec.kind ?? "",
    ...(member?.model === undefined ? {} : { model: member.model }),
    state: member?.muted === true ? "muted" : (member?.state ?? "idle"),
    canBeSteered: member?.capabilities.steer ?? false,
  };
}
