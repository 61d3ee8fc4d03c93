/**
 * Members of kind `cursor`: `agent acp`, one process per member. A `command` with `-p` or `--print` selects the
 * fallback: one process per turn that prints what it does, without approvals.
 */
import { realpathSync } from "node:fs";
import { COMMON_CAPABILITIES } from "../../capabilities.ts";
import type { MemberSpec, UiRequestBody } from "../../../protocol/index.ts";
import { createAcpProcessAgent, type AcpAgentOptions, unrecorded } from "../acp/acp-process-agent.ts";
import { agentPrograms } from "../../discovery/agent-programs.ts";
import type { Agent, AgentSetup, AnswerResult } from "../../port.ts";
import { checkoutTest } from "../../process/launch/checkout.ts";
import { findProgram, programCandidates } from "../../process/launch/find-program.ts";
import { createProcessAgent } from "../../process/process-agent.ts";
import { sandboxRequest } from "../../sandbox/sandbox.ts";
import { createResumingAgent, type TurnDone } from "../../resuming-agent.ts";
import { createPrintDialect, type PrintState } from "./print.ts";
import type { AcpProgram } from "../acp/programs/program.ts";
import type { AcpExtensions, ExtensionReply, ExtensionTurn, PlanItem } from "../acp/options.ts";
import { recordsOf, textOf, type Fields } from "../../json-rpc/fields.ts";
import type { DialectEvent } from "../../process/dialect.ts";

export function createCursorAgent(spec: MemberSpec, setup: AgentSetup, options: AcpAgentOptions = {}): Agent {
  const [command = findCursor(setup), ...args] = spec.command ?? [];
  if (args.some((arg) => arg === "-p" || arg === "--print"))
    return createPrintAgent(spec, setup, { command, args }, options);
  return createAcpProcessAgent(
    spec,
    setup,
    { command, args: args.length === 0 ? ["acp"] : args, program: cursorProgram },
    options,
  );
}

/** Other programs are called `agent` too: returns the first on PATH that is Cursor's. */
function findCursor({ cwd, environment }: AgentSetup): string {
  const { PATH, PATHEXT } = environment?.variables ?? process.env;
  const isInCheckout = checkoutTest(cwd);
  const known = agentPrograms.find(({ spec }) => spec.kind === "cursor");
  const names = known?.commands ?? ["cursor-agent"];
  const match = names
    .flatMap((name) => programCandidates(name, { PATH, PATHEXT }))
    .filter((file) => !isInCheckout(file))
    .find((file) => findProgram(file).ok && (known?.isIt?.(realpathSync(file)) ?? true));
  return match ?? "cursor-agent";
}

/**
 * One process per turn: the prompt on stdin, its output on stdout. It cannot ask, so it is never told to act without
 * asking: in a read-only session it uses its own read-only mode, otherwise its own settings decide.
 */
interface PrintCommand {
  readonly command: string;
  readonly args: readonly string[];
}

const FORMAT = ["--output-format", "stream-json", "--stream-partial-output"];
/** Safe as one argument; with any other model the program uses its default. */
const MODEL = /^[A-Za-z0-9][A-Za-z0-9._:/[\]=,-]{0,127}$/;

function createPrintAgent(
  spec: MemberSpec,
  setup: AgentSetup,
  { command, args }: PrintCommand,
  { limits, clock }: AcpAgentOptions = {},
): Agent {
  const mode =
    setup.writable || args.some((arg) => arg.startsWith("--mode") || arg === "--plan") ? [] : ["--mode", "ask"];
  const create = (nativeSessionId: string | undefined): Agent =>
    createProcessAgent<PrintState>({
      member: spec.name,
      capabilities: { ...COMMON_CAPABILITIES, steer: false, requests: false, images: false },
      dialect: createPrintDialect({ member: spec.name }),
      launch: {
        command,
        args: (known) => [
          ...args,
          ...FORMAT,
          ...mode,
          ...modelFlag(known.model ?? spec.model),
          ...(known.nativeSessionId === undefined ? [] : ["--resume", known.nativeSessionId]),
        ],
        cwd: setup.cwd,
        env: spec.env ?? [],
        environment: setup.environment,
        sandbox: sandboxRequest(setup, "cursor"),
        lifetime: "turn",
        loginHint: cursorProgram.loginHint,
      },
      records: setup.records ?? unrecorded(setup.cwd),
      nativeSessionId,
      setup,
      ...(limits === undefined ? {} : { limits }),
      ...(clock === undefined ? {} : { clock }),
    });
  return createResumingAgent({ member: spec.name, nativeSessionId: setup.nativeSessionId, create, isForgotten });
}

/** Its message is not documented; matched loosely. */
const NO_SUCH_CHAT =
  /\b(chat|session|conversation)\b.{0,80}\b(not found|does not exist|unknown|invalid)\b|\b(no such|unknown|invalid|could not find)\b.{0,40}\b(chat|session|conversation)\b/i;

function isForgotten({ outcome, error }: TurnDone): boolean {
  return outcome === "errored" && NO_SUCH_CHAT.test(`${error?.message ?? ""} ${error?.detail ?? ""}`);
}

function modelFlag(model: string | undefined): string[] {
  return model !== undefined && MODEL.test(model) ? ["--model", model] : [];
}

const CANCELLED = { outcome: { outcome: "cancelled" } };

/**
 * Cursor's methods beyond the protocol. `ask_question` and `create_plan` wait for the user; the others are
 * notifications, though some versions wait for an answer to them too. An answer in another format stalls it for good.
 */
export const cursorExtensions: AcpExtensions = {
  ask(method, params, about): ExtensionReply | undefined {
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
        return method.startsWith("cursor/") ? { result: CANCELLED } : undefined;
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
      return value === undefined ? [] : [{ value, label: textOf(option, "label") ?? value }];
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
