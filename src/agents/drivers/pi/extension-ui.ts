/**
 * Requests of extensions: our own (approvals and host tools, recognized by its secret mark) and all others (dialogs and
 * notifications).
 * Guarantees: no text of a model can pass for a request of ours; a dialog that cannot be shown is answered at once, so
 * that Pi never waits for nothing; an answer that was not offered counts as a refusal.
 */
import { createHash } from "node:crypto";
import type { Json } from "../../../protocol/index.ts";
import { commandCall } from "../../approvals/call-fields.ts";
import { describeCall } from "../../approvals/describe-call.ts";
import type { AnswerResult } from "../../port.ts";
import type { DialectEvent, Step } from "../../process/dialect.ts";
import { fieldsOf, numberOf, rawTextOf, textsOf, parseFields, type Fields } from "../../../kit/fields.ts";
import { asJson } from "../../json-rpc/fields.ts";
import { proposedChange } from "./patch.ts";
import { line, step, withEntry, type PendingRequest, type PiSetup, type PiState } from "./state.ts";
import { NOT_ALLOWED, READ_ONLY_REFUSAL } from "./extension.ts";
import { SANDBOXED_TOOLS, withTool } from "./tools.ts";

const APPROVAL_OPTIONS = [
  { label: "Allow once", value: "allow" },
  { label: "Deny", value: "deny" },
];

type Request = Extract<DialectEvent, { type: "request" }>;

export function handleUiRequest(state: PiState, record: Fields, setup: PiSetup): Step<PiState> {
  const id = rawTextOf(record["id"]) ?? "";
  const method = rawTextOf(record["method"]) ?? "";
  if (method === "setStatus" && record["statusKey"] === setup.mark) return step({ ...state, isGuarded: true });
  const isOurs = method === "input" && record["title"] === setup.mark;
  // Nobody can be asked without a running turn; only the start of a program belongs to the turn that waits for it.
  const canAsk = !state.isReady || state.turn?.isPrompted === true;
  if (isOurs) return canAsk ? handleOwnRequest(state, id, record, setup) : step(state, [], cancel(id));
  const signal = signalOf(method, record);
  if (signal !== undefined) return step(state, canAsk || isForAnytime(signal) ? [signal] : []);
  const dialog = canAsk ? dialogOf(method, record) : undefined;
  if (dialog === undefined) return step(state, canAsk ? [unknown(method)] : [], cancel(id));
  const timeoutMs = numberOf(record["timeout"]);
  const event: Request = {
    type: "request",
    callId: id,
    request: dialog,
    ...(timeoutMs === undefined || timeoutMs <= 0 ? {} : { timeoutMs }),
  };
  return ask(state, id, { kind: dialog.method === "confirm" ? "confirm" : "value" }, event);
}

/** Answers to unknown or answered requests are dropped. */
export function encodeReply(state: PiState, callId: string, answer: AnswerResult): Step<PiState> {
  const request = state.pending.get(callId);
  if (request === undefined) return step(state);
  const rest = new Map(state.pending);
  rest.delete(callId);
  const next = request.kind === "approval" && isYes(answer) ? allow(state, request.toolId) : state;
  return step({ ...next, pending: rest }, [], replyLine(request, callId, answer));
}

/** Cancels requests that are open when their turn ends or is stopped. */
export function refuseOpen({ pending }: PiState): string[] {
  return [...pending].map(([callId, one]) => replyLine(one, callId, { result: null, error: "cancelled" }));
}

function replyLine({ kind }: PendingRequest, callId: string, answer: AnswerResult): string {
  const { result, error } = answer;
  if (kind === "call") return reply(callId, JSON.stringify({ text: textOf(result), error }));
  if (kind === "approval") return reply(callId, JSON.stringify({ isAllowed: isYes(answer), why: whyDenied(answer) }));
  if (kind === "confirm" && (result !== null || error !== null))
    return line({ type: RESPONSE, id: callId, confirmed: error === null && result === true });
  return error === null && typeof result === "string" ? reply(callId, result) : cancel(callId);
}

/** Message for the model about a denied call. */
function whyDenied({ error, reason = "" }: AnswerResult): string {
  if (reason !== "") return `This was not run. The user wrote: ${reason}`;
  if (error === null || error === "cancelled") return NOT_ALLOWED;
  return error === "expired" ? "No answer in time, so this call was not allowed." : `${NOT_ALLOWED} (${error})`;
}

function isYes({ result, error }: AnswerResult): boolean {
  return error === null && (result === "allow" || result === true);
}

const RESPONSE = "extension_ui_response";

function handleOwnRequest(state: PiState, id: string, record: Fields, setup: PiSetup): Step<PiState> {
  const question = parseFields(rawTextOf(record["placeholder"]) ?? "");
  const tool = rawTextOf(question?.["tool"]);
  if (question === undefined || tool === undefined) return step(state, [unknown("input")], cancel(id));
  const args = asJson(question["args"] ?? {});
  if (question["kind"] === "call") {
    return ask(state, id, { kind: "call" }, { type: "host_call", callId: id, tool, args });
  }
  const toolId = rawTextOf(question["callId"]) ?? "";
  const before = question["before"] === null ? null : rawTextOf(question["before"]);
  const change = proposedChange(tool, fieldsOf(args) ?? {}, before);
  const call = callText(tool, args);
  const open = state.turn?.tools.get(toolId);
  const event: Request = {
    type: "request",
    callId: id,
    request: {
      method: "approval",
      title: TITLES[tool] ?? `Pi wants to call ${tool}`,
      tool,
      call,
      callHash: createHash("sha256").update(call).digest("hex"),
      ...(change?.diff === undefined ? {} : { diff: change.diff }),
      options: APPROVAL_OPTIONS,
    },
    ...(open === undefined ? {} : { nativeToolId: toolId }),
  };
  if (!setup.isWritable) return decideSandboxed(state, id, { toolId, tool, call }, setup);
  // Denied until it is allowed: a call that ends without an answer was not approved.
  const marked = open === undefined ? state : withTool(state, toolId, { ...open, isDenied: true, change: change });
  return ask(marked, id, { kind: "approval", toolId }, event);
}

/** In a read-only session only rules decide about what the sandbox contains, and they can only deny. */
function decideSandboxed(
  state: PiState,
  id: string,
  { toolId, tool, call }: { toolId: string; tool: string; call: string },
  { judge, cwd }: PiSetup,
): Step<PiState> {
  const isSandboxedTool = state.isSandboxed && SANDBOXED_TOOLS.includes(tool);
  const ruling = judge?.(describeCall({ tool, call }, cwd));
  const by = ruling?.verdict === "deny" ? ruling.by : undefined;
  if (isSandboxedTool && by === undefined) return step(state, [], reply(id, JSON.stringify({ isAllowed: true })));
  const why = by === undefined ? READ_ONLY_REFUSAL : `A user rule denies this call (${by}).`;
  const open = state.turn?.tools.get(toolId);
  const denied = open === undefined ? state : withTool(state, toolId, { ...open, isDenied: true });
  const detail: DialectEvent[] =
    by === undefined || open === undefined
      ? []
      : [{ type: "tool_call_update", nativeId: toolId, detail: `Denied without asking: ${by}` }];
  return step(denied, detail, reply(id, JSON.stringify({ isAllowed: false, why })));
}

const TITLES: Readonly<Record<string, string>> = {
  bash: "Pi wants to run a command",
  powershell: "Pi wants to run a command",
  write: "Pi wants to write a file",
  edit: "Pi wants to change a file",
};

/** Commands are shown as they would run; any other call as its exact JSON. */
function callText(tool: string, args: Json): string {
  const fields = fieldsOf(args) ?? {};
  const command = rawTextOf(fields["command"]);
  const isCommandOnly = Object.keys(fields).length === 1;
  return (tool === "bash" || tool === "powershell") && command !== undefined && isCommandOnly
    ? commandCall(command)
    : JSON.stringify(args);
}

function allow(state: PiState, toolId: string): PiState {
  const tool = state.turn?.tools.get(toolId);
  return tool === undefined ? state : withTool(state, toolId, { ...tool, isDenied: false });
}

function ask(state: PiState, id: string, request: PendingRequest, event: DialectEvent): Step<PiState> {
  return step({ ...state, pending: withEntry(state.pending, id, request) }, [event]);
}

function dialogOf(method: string, record: Fields): Request["request"] | undefined {
  const title = rawTextOf(record["title"]) ?? "";
  switch (method) {
    case "select": {
      const options = textsOf(record["options"]).map((option) => ({ label: option, value: option }));
      return options.length === 0 ? undefined : { method, title, options };
    }
    case "confirm":
      return { method, title, message: rawTextOf(record["message"]) ?? "" };
    case "input": {
      const placeholder = rawTextOf(record["placeholder"]);
      return { method, title, ...(placeholder === undefined ? {} : { placeholder }) };
    }
    case "editor": {
      const prefill = rawTextOf(record["prefill"]);
      return { method, title, ...(prefill === undefined ? {} : { prefill }) };
    }
    default:
      return undefined;
  }
}

function signalOf(method: string, record: Fields): DialectEvent | undefined {
  switch (method) {
    case "notify":
      return {
        type: "ui_notify",
        message: rawTextOf(record["message"]) ?? "",
        notifyType: levelOf(record["notifyType"]),
      };
    case "setStatus":
      return {
        type: "ui_status",
        key: rawTextOf(record["statusKey"]) ?? "",
        text: rawTextOf(record["statusText"]) ?? null,
      };
    case "setWidget": {
      const placement = rawTextOf(record["widgetPlacement"]);
      return {
        type: "ui_widget",
        key: rawTextOf(record["widgetKey"]) ?? "",
        content: Array.isArray(record["widgetLines"]) ? textsOf(record["widgetLines"]) : null,
        opts: placement === undefined ? {} : { placement },
      };
    }
    case "setTitle":
      return { type: "ui_set_title", title: rawTextOf(record["title"]) ?? "" };
    case "set_editor_text":
      return { type: "ui_set_editor_text", text: rawTextOf(record["text"]) ?? "" };
    default:
      return undefined;
  }
}

function isForAnytime({ type }: DialectEvent): boolean {
  return type === "ui_status" || type === "ui_notify";
}

function levelOf(value: unknown): "info" | "warn" | "error" {
  return value === "warning" ? "warn" : value === "error" ? "error" : "info";
}

function textOf(result: Json): string {
  return typeof result === "string" ? result : JSON.stringify(result);
}

function reply(id: string, value: string): string {
  return line({ type: RESPONSE, id, value });
}

function cancel(id: string): string {
  return line({ type: RESPONSE, id, cancelled: true });
}

function unknown(method: string): DialectEvent {
  return { type: "unexpected", what: `it sent a "${method}" request that this version cannot read` };
}
