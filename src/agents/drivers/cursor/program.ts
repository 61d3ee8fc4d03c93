/**
 * Cursor's `agent acp` and its methods beyond the protocol. `ask_question` and `create_plan` wait for the user; the
 * others are notifications, though some versions wait for an answer to them too. An answer in another format stalls it
 * for good.
 */
import type { AcpProgram } from "../acp/programs/program.ts";
import type { UiRequestBody } from "../../../protocol/index.ts";
import type { AcpExtensions, ExtensionReply, ExtensionTurn, PlanItem } from "../acp/options.ts";
import { recordsOf, textOf, type Fields } from "../../json-rpc/fields.ts";
import type { AnswerResult } from "../../port.ts";
import type { DialectEvent } from "../../process/dialect.ts";

const CANCELLED = { outcome: { outcome: "cancelled" } };

export const cursorExtensions: AcpExtensions = {
  ask(method, params, about): ExtensionReply | null {
    switch (method) {
      case "cursor/ask_question":
        return askQuestion(params);
      case "cursor/create_plan":
        return askAboutPlan(params, about);
      case "cursor/update_todos":
      case "cursor/task":
      case "cursor/generate_image":
        return { result: { outcome: { outcome: "accepted" } }, events: notificationEvents(method, params, about) };
      default:
        // Unknown methods are refused in Cursor's format.
        return method.startsWith("cursor/") ? { result: CANCELLED } : null;
    }
  },
  answer: (method, params, answer) =>
    method === "cursor/create_plan" ? planDecision(answer) : questionAnswers(params, answer),
  onNotification: notificationEvents,
};

export const cursorProgram: AcpProgram = {
  authMethod: () => "cursor_login",
  loginHint: 'Run "agent login" in a terminal, or export CURSOR_API_KEY, and ask again.',
  stateOf: "cursor",
  // Documented as read-only, not verified. In other modes its own settings may let it act unasked.
  restrain: ({ isWritable }) =>
    isWritable
      ? { guard: { guard: "unguarded" } }
      : { mode: "ask", guard: { guard: "own_mode", detail: 'its mode "ask"' } },
  canSteer: false,
  extensions: cursorExtensions,
};

type Questions = Extract<UiRequestBody, { method: "question" }>["questions"];

function askQuestion(params: Fields): ExtensionReply {
  const questions: Questions = recordsOf(params, "questions").map((question, at) => ({
    id: textOf(question, "id") ?? String(at),
    text: textOf(question, "prompt") ?? textOf(question, "question") ?? "",
    options: recordsOf(question, "options").flatMap((option) => {
      const value = textOf(option, "id") ?? textOf(option, "label");
      return value === null ? [] : [{ value, label: textOf(option, "label") ?? value }];
    }),
    multiple: question["allowMultiple"] === true,
    freeText: false,
  }));
  if (questions.length === 0) return { result: { outcome: { outcome: "skipped", reason: "there was no question" } } };
  const title = textOf(params, "title") ?? "A question";
  return { request: { method: "question", title, questions } };
}

function questionAnswers(params: Fields, { result, error }: AnswerResult): object {
  if (error !== null || typeof result !== "object" || result === null || Array.isArray(result)) return CANCELLED;
  const answers = recordsOf(params, "questions").flatMap((question, at) => {
    const questionId = textOf(question, "id") ?? String(at);
    const given = result[questionId];
    if (given === undefined || given === null) return [];
    const selectedOptionIds = (Array.isArray(given) ? given : [given]).map(String);
    return [{ questionId, selectedOptionIds }];
  });
  return { outcome: { outcome: "answered", answers } };
}

/** The plan is shown as a plan; a separate request asks whether to follow it. */
function askAboutPlan(params: Fields, about: ExtensionTurn): ExtensionReply {
  const plan = textOf(params, "plan") ?? "";
  const name = textOf(params, "name") ?? "Plan";
  return {
    events: planUpdate(params, about, [textOf(params, "overview"), plan].filter(Boolean).join("\n\n")),
    request: {
      method: "select",
      title: `Follow this plan? ${name}`,
      options: [
        { label: "Accept", value: "accept" },
        { label: "Reject", value: "reject" },
      ],
    },
  };
}

function planDecision({ result, error }: AnswerResult): object {
  if (error !== null || result === null) return CANCELLED;
  if (result === "accept" || result === true) return { outcome: { outcome: "accepted" } };
  return { outcome: { outcome: "rejected", reason: "the user rejected it" } };
}

function notificationEvents(method: string, params: Fields, about: ExtensionTurn): readonly DialectEvent[] {
  if (method === "cursor/update_todos") return planUpdate(params, about, "");
  if (method === "cursor/generate_image") {
    const where = textOf(params, "filePath") ?? textOf(params, "path") ?? "";
    return [{ type: "ui_notify", message: `It made an image${where === "" ? "" : `: ${where}`}.`, notifyType: "info" }];
  }
  return [];
}

function planUpdate(params: Fields, { turnId, plan }: ExtensionTurn, explanation: string): DialectEvent[] {
  const updates = recordsOf(params, "todos").map((todo) => ({
    text: textOf(todo, "content") ?? "",
    status: statusOf(textOf(todo, "status") ?? ""),
  }));
  const items = params["merge"] === true ? merge(plan, updates) : updates;
  return [{ type: "plan_update", planId: turnId, items, ...(explanation === "" ? {} : { explanation }) }];
}

/** Updates replace items with the same text; new items are appended. */
function merge(plan: readonly PlanItem[], updates: readonly PlanItem[]): PlanItem[] {
  const updated = plan.map((item) => updates.find(({ text }) => text === item.text) ?? item);
  return [...updated, ...updates.filter(({ text }) => !plan.some((item) => item.text === text))];
}

/** Cancelled items count as completed. */
function statusOf(status: string): "pending" | "in_progress" | "completed" {
  if (status === "in_progress" || status === "inProgress") return "in_progress";
  return status === "completed" || status === "cancelled" ? "completed" : "pending";
}
