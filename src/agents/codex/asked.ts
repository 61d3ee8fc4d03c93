/**
 * What Codex asks of us in the middle of a turn (approvals, questions, calls of our tools) and how it wants to be
 * answered. Pure.
 * Promises: a member that may only read is never asked about: whatever would act is refused; an answer that was not
 * offered counts as a refusal; a question that cannot be shown is answered, so that Codex never waits for nothing; a
 * call says everything that a yes would allow, so that a yes to it is a yes to nothing else.
 */
import { createHash } from "node:crypto";
import path from "node:path";
import type { Json, UiRequestBody } from "../../protocol/index.ts";
import { commandCall } from "../approvals/call-fields.ts";
import { isRecord, METHOD_NOT_FOUND, type RpcError } from "../json-rpc/messages.ts";
import type { AgentEvent, AnswerResult } from "../port.ts";
import { countOf, recordOf, recordsOf, textOf, textsOf, type Fields } from "../json-rpc/fields.ts";
import { elicitForm } from "./elicitation.ts";
import { diffOf } from "./tool-items.ts";

type Options = Extract<UiRequestBody, { method: "approval" }>["options"];
export type Answer = { readonly result: Json } | { readonly error: RpcError };

/** What is remembered of a request until its answer comes. */
export type Asked =
  | { readonly kind: "approval"; readonly accepted: Readonly<Record<string, Json>>; readonly refused: Json }
  | { readonly kind: "question"; readonly reply: "user_input" | "elicitation" }
  | { readonly kind: "tool" };

export type Understood =
  /** `warning` is for the table: why nobody was asked. */
  | { readonly kind: "answer"; readonly answer: Answer; readonly warning?: string }
  | {
      readonly kind: "ask";
      readonly asked: Asked;
      readonly event: (callId: string) => Extract<AgentEvent, { type: "request" | "host_call" }>;
    };

export interface AskContext {
  readonly member: string;
  readonly isWritable: boolean;
  /** The session's directory, in each spelling that means it. */
  readonly places: readonly string[];
  /** The tool item that the request is about, when it has begun. */
  readonly item: Fields | undefined;
  /** The request comes from the thread of a subagent, whose items are not shown. */
  readonly isSubagents: boolean;
}

export function understandRequest(method: string, params: Fields, context: AskContext): Understood {
  switch (method) {
    case "item/commandExecution/requestApproval":
      return approval(commandApproval(params, context), params, context);
    case "item/fileChange/requestApproval":
      return fileChange(params, context);
    case "item/permissions/requestApproval":
      return approval(permissionsApproval(params), params, context);
    case "mcpServer/elicitation/request":
      return elicitation(params, context);
    case "item/tool/requestUserInput":
      return questions(params, context);
    case "item/tool/call":
      return toolCall(params);
    default:
      return answered({ error: { code: METHOD_NOT_FOUND, message: `Roundtable does not answer ${method}.` } });
  }
}

/** The answer in Codex's words. */
export function encodeAnswer(asked: Asked, { result, error }: AnswerResult): Answer {
  switch (asked.kind) {
    case "approval": {
      const value = result === true ? "accept" : result;
      const isTaken = error === null && typeof value === "string" && Object.hasOwn(asked.accepted, value);
      return { result: isTaken ? (asked.accepted[value] as Json) : asked.refused };
    }
    case "question":
      return asked.reply === "elicitation" ? elicited(result, error) : { result: { answers: answersOf(result) } };
    default:
      return toolAnswer(result, error);
  }
}

/** For a request that nobody can be asked: a refusal, or an empty answer. */
export function refuseRequest(understood: Understood, why: string): Answer {
  if (understood.kind === "answer") return understood.answer;
  return encodeAnswer(understood.asked, { result: null, error: why });
}

interface Wanted {
  readonly title: string;
  readonly tool: string;
  readonly call: string;
  readonly diff?: string;
  readonly options: Options;
  readonly accepted: Readonly<Record<string, Json>>;
  readonly refused: Json;
}

function approval(wanted: Wanted, params: Fields, { isWritable, item, isSubagents }: AskContext): Understood {
  const { title, tool, call, diff, options, accepted, refused } = wanted;
  if (!isWritable) return answered({ result: refused });
  const callHash = createHash("sha256").update(call).digest("hex");
  const nativeToolId = textOf(params, "itemId");
  return {
    kind: "ask",
    asked: { kind: "approval", accepted, refused },
    event: (callId) => ({
      type: "request",
      callId,
      request: {
        method: "approval",
        title,
        tool,
        call,
        callHash,
        ...(diff === undefined || diff === "" ? {} : { diff }),
        options,
      },
      ...(nativeToolId === null || item === undefined || isSubagents ? {} : { nativeToolId }),
    }),
  };
}

function commandApproval(params: Fields, context: AskContext): Wanted {
  const command = textOf(params, "command");
  const isStdin = textOf(params, "kind") === "writeStdin";
  const network = params["networkApprovalContext"];
  const beside = { ...(isRecord(network) ? network : {}), ...widening(params, context) };
  const hasMore = Object.keys(beside).length > 0;
  const named = command === null ? beside : { command, ...beside };
  const alone = command === null ? JSON.stringify(params) : commandCall(command);
  const call = hasMore ? JSON.stringify(named) : alone;
  const what = isRecord(network) ? "reach the network" : isStdin ? "type into a running command" : "run a command";
  return {
    title: withReason(`Codex wants to ${what}`, params),
    // What is typed into a command is another thing than the command, also to rules.
    tool: isRecord(network) ? "network" : isStdin ? "shell_input" : "shell",
    call,
    ...decisions(params["availableDecisions"]),
  };
}

/** The environment that is this machine. */
const LOCAL = "local";

/** By these the same command does more than it does in the session's directory with the session's permissions. */
function widening(params: Fields, { places }: AskContext): Fields {
  const cwd = textOf(params, "cwd");
  const environmentId = textOf(params, "environmentId");
  const isHome = cwd === null || places.some((place) => path.resolve(place) === path.resolve(cwd));
  const permissions = params["additionalPermissions"] ?? null;
  return {
    ...(isHome ? {} : { cwd }),
    ...(environmentId === null || environmentId === LOCAL ? {} : { environmentId }),
    ...(permissions === null ? {} : { additionalPermissions: permissions }),
  };
}

/** The request itself names no file: what nobody has heard of cannot be shown, and a yes to it would be one to anything. */
function fileChange(params: Fields, context: AskContext): Understood {
  const { item, isWritable, member } = context;
  const isKnown = recordsOf(item ?? {}, "changes").length > 0;
  if (isKnown || !isWritable) return approval(fileApproval(params, context), params, context);
  const warning = `${member} wanted to change files without saying which, and was refused.`;
  return { kind: "answer", answer: { result: { decision: "decline" } }, warning };
}

function fileApproval(params: Fields, { item }: AskContext): Wanted {
  const changes = recordsOf(item ?? {}, "changes");
  const root = textOf(params, "grantRoot");
  return {
    title: withReason("Codex wants to change files", params),
    tool: "apply_patch",
    call: JSON.stringify({ changes, ...(root === null ? {} : { grantRoot: root }) }),
    diff: diffOf(changes),
    ...decisions(["accept", "acceptForSession", "decline", "cancel"]),
  };
}

function permissionsApproval(params: Fields): Wanted {
  const asked = recordOf(params, "permissions");
  const permissions = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== null)) as Json;
  return {
    title: withReason("Codex wants more permissions", params),
    tool: "permissions",
    call: JSON.stringify(asked),
    options: [
      { label: "Allow for this turn", value: "accept" },
      { label: "Allow for this session", value: "acceptForSession" },
      { label: "Deny", value: "decline" },
    ],
    accepted: { accept: { permissions, scope: "turn" }, acceptForSession: { permissions, scope: "session" } },
    refused: { permissions: {}, scope: "turn" },
  };
}

/** An empty reply of Codex to `availableDecisions` is no offer at all; then it takes the plain ones. */
function decisions(available: unknown): Pick<Wanted, "options" | "accepted" | "refused"> {
  const offered: Json[] = Array.isArray(available) && available.length > 0 ? available : ["accept", "decline"];
  const named = offered.map((decision) => ({ decision, option: optionOf(decision) }));
  const hasRefusal = offered.includes("decline");
  const refusal = { label: "Deny", value: "decline" };
  return {
    options: [...named.map(({ option }) => option), ...(hasRefusal ? [] : [refusal])],
    accepted: Object.fromEntries(named.map(({ decision, option }) => [option.value, { decision }])),
    refused: { decision: "decline" },
  };
}

const DECISION_LABELS: Readonly<Record<string, string>> = {
  accept: "Allow once",
  acceptForSession: "Allow for this session",
  decline: "Deny",
  cancel: "Deny and stop the turn",
};

function optionOf(decision: Json): Options[number] {
  if (typeof decision === "string") return { label: DECISION_LABELS[decision] ?? decision, value: decision };
  const value = JSON.stringify(decision);
  const [name = "", body] = isRecord(decision) ? (Object.entries(decision)[0] ?? []) : [];
  if (!isRecord(body)) return { label: name || value, value };
  const prefix = textsOf(body, "execpolicy_amendment").join(" ");
  if (prefix !== "") return { label: `Always allow commands that begin with "${prefix}"`, value };
  const rule = recordOf(body, "network_policy_amendment");
  if (name === "applyNetworkPolicyAmendment") {
    return { label: `Always ${textOf(rule, "action") ?? "allow"} ${textOf(rule, "host") ?? "this host"}`, value };
  }
  return { label: name, value, description: value };
}

function elicitation(params: Fields, context: AskContext): Understood {
  const meta = recordOf(params, "_meta");
  const refused: Json = { action: "decline", content: null, _meta: null };
  const message = textOf(params, "message") ?? textOf(params, "title") ?? "";
  if (textOf(meta, "codex_approval_kind") === "mcp_tool_call") {
    const accept = (persist: string | null): Json => ({
      action: "accept",
      content: {},
      _meta: persist === null ? null : { persist },
    });
    const scopes = [meta["persist"]].flat().filter((one) => one === "session" || one === "always");
    const options: Options = [
      { label: "Allow once", value: "accept" },
      ...scopes.map((scope) => ({
        label: scope === "session" ? "Allow for this session" : "Always allow",
        value: scope,
      })),
      { label: "Deny", value: "decline" },
    ];
    const accepted = { accept: accept(null), ...Object.fromEntries(scopes.map((scope) => [scope, accept(scope)])) };
    const call = JSON.stringify({
      server: textOf(params, "serverName"),
      message,
      arguments: recordOf(meta, "tool_params"),
    });
    const title = message === "" ? "Codex wants to call a tool" : message;
    return approval(
      { title, tool: textOf(params, "serverName") ?? "mcp", call, options, accepted, refused },
      params,
      context,
    );
  }
  const form = elicitForm(params);
  if (form === null) return answered({ result: refused });
  const title = message === "" ? `${textOf(params, "serverName") ?? "A tool server"} asks` : message;
  return {
    kind: "ask",
    asked: { kind: "question", reply: "elicitation" },
    event: (callId) => ({ type: "request", callId, request: { method: "question", title, questions: form } }),
  };
}

/** The model reads it in place of an answer: a refusal has no words of its own here. */
const NO_SECRETS =
  "This was not put before the user: answers are kept in the log of the session, and a secret must not be. Ask the user to put it where a program can read it, and go on without seeing it.";

function questions(params: Fields, { member }: AskContext): Understood {
  const told = recordsOf(params, "questions");
  if (told.some((question) => question["isSecret"] === true)) {
    const warning = `${member} wanted to ask for a secret, which would stand in the log, and was refused.`;
    const ids = told.flatMap((question) => textOf(question, "id") ?? []);
    const answers = Object.fromEntries(ids.map((id) => [id, { answers: [NO_SECRETS] }]));
    return { kind: "answer", answer: { result: { answers } }, warning };
  }
  const asked = told.flatMap((question) => {
    const id = textOf(question, "id");
    if (id === null) return [];
    const options = recordsOf(question, "options").map(questionOption);
    const freeText = options.length === 0 || question["isOther"] === true;
    return [{ id, text: textOf(question, "question") ?? "", options, multiple: false, freeText }];
  });
  if (asked.length === 0) return answered({ result: { answers: {} } });
  const title = textOf(told[0] ?? {}, "header") ?? "Codex asks";
  // By itself Codex goes on after this time, and an answer that comes later is lost.
  const timeoutMs = countOf(params, "autoResolutionMs") ?? 0;
  return {
    kind: "ask",
    asked: { kind: "question", reply: "user_input" },
    event: (callId) => ({
      type: "request",
      callId,
      request: { method: "question", title, questions: asked },
      ...(timeoutMs === 0 ? {} : { timeoutMs }),
    }),
  };
}

function questionOption(option: Fields): Options[number] {
  const label = textOf(option, "label") ?? "";
  const description = textOf(option, "description");
  return { label, value: label, ...(description === null || description === "" ? {} : { description }) };
}

function toolCall(params: Fields): Understood {
  const tool = textOf(params, "tool") ?? "";
  const args = (params["arguments"] ?? {}) as Json;
  return { kind: "ask", asked: { kind: "tool" }, event: (callId) => ({ type: "host_call", callId, tool, args }) };
}

function toolAnswer(result: Json, error: string | null): Answer {
  const text = error ?? (typeof result === "string" ? result : JSON.stringify(result));
  return { result: { contentItems: [{ type: "inputText", text }], success: error === null } };
}

function answersOf(result: Json): Json {
  if (!isRecord(result)) return {};
  const texts = (value: unknown): string[] => [value].flat().filter((one): one is string => typeof one === "string");
  return Object.fromEntries(Object.entries(result).map(([id, value]) => [id, { answers: texts(value) }]));
}

function elicited(result: Json, error: string | null): Answer {
  if (error !== null || !isRecord(result)) return { result: { action: "cancel", content: null, _meta: null } };
  return { result: { action: "accept", content: result, _meta: null } };
}

function withReason(title: string, params: Fields): string {
  const reason = textOf(params, "reason");
  return reason === null || reason === "" ? title : `${title}: ${reason}`;
}

function answered(answer: Answer): Understood {
  return { kind: "answer", answer };
}
