/** Requests of the program, and answers to our own requests. */
import type { AnswerResult } from "../../port.ts";
import type { DialectEvent, Step } from "../../process/dialect.ts";
import { answerProgram, askProgram, refuseProgram } from "./control.ts";
import { offerModels, type ReportedModel } from "../../offered-models.ts";
import { fieldsOf, recordsOf, rawTextOf, textsOf, type Fields } from "../../../kit/fields.ts";
import { handleHook, type HookRules } from "./hooks.ts";
import { approvalRequest, deny, NO_TURN_REFUSAL, permissionAnswer, READ_ONLY_REFUSAL } from "./permissions.ts";
import { promptedTurn, step, withDenied, without, type PendingRequest, type ClaudeState } from "./state.ts";
import { handleHostToolMessage, toolAnswer } from "./host-tools-server.ts";
import { hostToolName } from "./tool-blocks.ts";
import type { UiRequestBody } from "../../../protocol/index.ts";

export function handleControlRequest(state: ClaudeState, record: Fields, rules: HookRules): Step<ClaudeState> {
  const id = rawTextOf(record["request_id"]);
  const request = fieldsOf(record["request"]) ?? {};
  if (id === undefined) return step(state, [{ type: "unexpected", what: "it asked for something without an id" }]);
  switch (request["subtype"]) {
    case "can_use_tool":
      return handlePermission(state, id, request, rules);
    case "mcp_message":
      return handleHostToolMessage(state, id, request, rules);
    case "hook_callback":
      return handleHook(state, id, request, rules);
    case "elicitation":
      return step(state, [], [answerProgram(id, { action: "decline" })]);
    default:
      return step(state, [], [refuseProgram(id, "This request is not supported.")]);
  }
}

/** The program has cancelled its request: a later answer is dropped. */
export function handleCancel(state: ClaudeState, record: Fields): Step<ClaudeState> {
  const id = rawTextOf(record["request_id"]) ?? "";
  if (!state.pending.has(id)) return step(state);
  return step({ ...state, pending: without(state.pending, id) }, [{ type: "request_withdrawn", callId: id }]);
}

export function encodeAnswer(state: ClaudeState, callId: string, answer: AnswerResult): Step<ClaudeState> {
  const request = state.pending.get(callId);
  if (request === undefined) return step(state);
  const rest = { ...state, pending: without(state.pending, callId) };
  const isDenied = request.what === "permission" && permissionAnswer(request.input, answer)["behavior"] === "deny";
  return step(isDenied ? withDenied(rest, request.toolId) : rest, [], [answerLine(callId, request, answer)]);
}

/** Refusals for what is still open when its turn ends; otherwise the program would wait forever. */
export function refuseOpen({ pending }: ClaudeState): string[] {
  return [...pending].map(([callId, one]) => answerLine(callId, one, { result: null, error: "cancelled" }));
}

/** Answer to a request of ours. With some flags the program also echoes our own answers, which are ignored. */
export function handleControlResponse(state: ClaudeState, record: Fields): Step<ClaudeState> {
  const response = fieldsOf(record["response"]) ?? {};
  const id = rawTextOf(response["request_id"]) ?? "";
  const awaited = state.awaited.get(id);
  if (awaited === undefined) return step(state);
  const next = { ...state, awaited: without(state.awaited, id) };
  const error = response["subtype"] === "error" ? (rawTextOf(response["error"]) ?? "no reason given") : undefined;
  switch (awaited.what) {
    case "initialize": {
      const offer = offerModels(modelsOf(fieldsOf(response["response"])));
      return step({ ...next, isReady: true }, [{ type: "ready" }, ...offer, ...warningOf("not_initialized", error)]);
    }
    case "set_model":
      return modelSet(next, awaited.model, error);
    case "interrupt":
      return cancelQueued(next, textsOf(fieldsOf(response["response"])?.["still_queued"]));
    default:
      return step(next);
  }
}

function handlePermission(state: ClaudeState, id: string, request: Fields, rules: HookRules): Step<ClaudeState> {
  const tool = rawTextOf(request["tool_name"]) ?? "";
  const input = fieldsOf(request["input"]) ?? {};
  const toolId = rawTextOf(request["tool_use_id"]);
  const refuse = (why: string): Step<ClaudeState> =>
    step(withDenied(state, toolId), [], [answerProgram(id, deny(why))]);
  if (hostToolName(tool) !== undefined) {
    return step(state, [], [answerProgram(id, { behavior: "allow", updatedInput: input })]);
  }
  if (promptedTurn(state) === undefined) return refuse(NO_TURN_REFUSAL);
  const question = tool === QUESTION_TOOL ? questionRequest(input) : undefined;
  if (question !== undefined) return ask(state, id, { what: "question", input, toolId }, question);
  if (!rules.isWritable) return refuse(READ_ONLY_REFUSAL);
  if (tool === PLAN_TOOL) return ask(state, id, { what: "plan", input, toolId }, planRequest());
  return ask(
    state,
    id,
    { what: "permission", input, toolId },
    approvalRequest(request, state.elsewhere.get(toolId ?? "")),
  );
}

function ask(
  state: ClaudeState,
  callId: string,
  request: Exclude<PendingRequest, { what: "tool" }>,
  body: Extract<DialectEvent, { type: "request" }>["request"],
): Step<ClaudeState> {
  const { toolId } = request;
  // Calls of subagents are not shown, so a request about one stands alone.
  const native = toolId !== undefined && state.turn?.tools.has(toolId) === true ? { nativeToolId: toolId } : {};
  const next = { ...state, pending: new Map(state.pending).set(callId, request) };
  return step(next, [{ type: "request", callId, request: body, ...native }]);
}

function answerLine(callId: string, request: PendingRequest, answer: AnswerResult): string {
  switch (request.what) {
    case "permission":
      return answerProgram(callId, permissionAnswer(request.input, answer));
    case "plan":
      return answerProgram(callId, planAnswer(request.input, answer));
    case "question":
      return answerProgram(callId, questionAnswer(request.input, answer));
    case "tool":
      return toolAnswer(callId, request.rpcId, answer);
    default:
      return request satisfies never;
  }
}

function modelsOf(offer: Fields | undefined): ReportedModel[] {
  return recordsOf(offer?.["models"]).map(({ value, displayName, description }) => ({
    id: value,
    name: displayName,
    description,
  }));
}

function modelSet(state: ClaudeState, model: string, error: string | undefined): Step<ClaudeState> {
  if (error === undefined) return step(state);
  return step({ ...state, model: undefined }, warningOf("model_not_set", `the model ${model} was not set: ${error}`));
}

/** Older versions do not cancel queued messages and would continue with them after the interrupt. */
function cancelQueued(state: ClaudeState, uuids: readonly string[]): Step<ClaudeState> {
  let next = state;
  const write: string[] = [];
  for (const uuid of uuids) {
    const asking = askProgram(next, { subtype: "cancel_async_message", message_uuid: uuid }, { what: "cancel" });
    next = asking.state;
    write.push(asking.line);
  }
  return step(next, [], write);
}

function warningOf(code: string, what: string | undefined): DialectEvent[] {
  return what === undefined ? [] : [{ type: "warning", code, message: `Claude Code: ${what}.` }];
}

/** Tool by which the program presents its plan to leave plan mode: a choice, not an approval of a call. */
const PLAN_TOOL = "ExitPlanMode";

const BEGIN = "begin";

/** The plan is shown as the call's argument. Its edits and commands still need approval one by one. */
function planRequest(): Extract<UiRequestBody, { method: "select" }> {
  return {
    method: "select",
    title: "Follow this plan?",
    options: [
      { label: "Leave plan mode and begin", value: BEGIN },
      { label: "Keep planning", value: "plan" },
    ],
  };
}

function planAnswer(input: Fields, { result, error, reason = "" }: AnswerResult): Fields {
  if (error === null && result === BEGIN) return { behavior: "allow", updatedInput: input };
  return deny(
    reason === "" ? "The user wants you to keep planning." : `The user wants you to keep planning: ${reason}`,
  );
}

/** Questions of the program to the user (its tool AskUserQuestion). */
type Question = Extract<UiRequestBody, { method: "question" }>;

const QUESTION_TOOL = "AskUserQuestion";

/** Undefined when it contains no question. */
function questionRequest(input: Fields): Question | undefined {
  const questions = recordsOf(input["questions"]).map((one, at) => ({
    id: String(at + 1),
    text: rawTextOf(one["question"]) ?? "",
    options: recordsOf(one["options"]).flatMap(optionOf),
    multiple: one["multiSelect"] === true,
    freeText: true,
  }));
  if (questions.length === 0 || questions.some((one) => one.text === "")) return undefined;
  const headers = recordsOf(input["questions"]).map((one) => rawTextOf(one["header"]) ?? "");
  const title = headers.filter((header) => header !== "").join(", ");
  return { method: "question", title: title === "" ? "A question" : title, questions };
}

/** The program expects the answers by the text of the question, several choices of one question in one text. */
function questionAnswer(input: Fields, { result, error }: AnswerResult): Fields {
  const given = fieldsOf(result);
  if (error !== null || given === undefined)
    return deny("The user did not answer. Decide yourself, or continue without it.");
  const answers = Object.fromEntries(
    recordsOf(input["questions"]).flatMap((one, at) => {
      const value = given[String(at + 1)];
      const text = typeof value === "string" ? value : textsOf(value).join(", ");
      return text === "" ? [] : [[rawTextOf(one["question"]) ?? "", text]];
    }),
  );
  return { behavior: "allow", updatedInput: { ...input, answers } };
}

function optionOf(option: Fields): { label: string; value: string; description?: string }[] {
  const label = rawTextOf(option["label"]);
  if (label === undefined) return [];
  const description = rawTextOf(option["description"]);
  return [{ label, value: label, ...(description === undefined ? {} : { description }) }];
}
