/**
 * Requests of Codex during a turn (approvals, questions, host tools) and their answers. Pure.
 * Guarantees: a read-only member is never asked about: whatever would act is refused; an answer that was not offered
 * counts as a refusal; a question that cannot be shown is answered, so that Codex never waits for nothing; a call
 * states everything that an approval would allow, so that it allows nothing else.
 */
import { createHash } from "node:crypto";
import path from "node:path";
import type { Json, UiRequestBody } from "../../../protocol/index.ts";
import { commandCall } from "../../approvals/call-fields.ts";
import { isRecord, METHOD_NOT_FOUND, type RpcError } from "../../json-rpc/messages.ts";
import type { AgentEvent, AnswerResult } from "../../port.ts";
import { countOf, recordOf, recordsOf, textOf, type Fields } from "../../json-rpc/fields.ts";
import { elicitForm } from "./elicitation.ts";
import { wholeDiffOf } from "./turn/diff-report.ts";

type Options = Extract<UiRequestBody, { method: "approval" }>["options"];
export type Answer = { readonly result: Json } | { readonly error: RpcError };

/** Stored until the answer arrives. */
export type PendingRequest =
  | {
      readonly kind: "approval";
      readonly accepted: Json;
      readonly refused: Json;
      /** Subject of the request, for the message about its denial. */
      readonly what: string;
      /** Turn that asks; a subagent has its own. */
      readonly turn: { readonly threadId: string; readonly turnId: string } | undefined;
    }
  | { readonly kind: "question"; readonly reply: "user_input" | "elicitation" }
  | { readonly kind: "tool" };

export type Understood =
  /** `warning` is for the user: why nobody was asked. */
  | { readonly kind: "answer"; readonly answer: Answer; readonly warning?: string }
  | {
      readonly kind: "ask";
      readonly request: PendingRequest;
      readonly event: (callId: string) => Extract<AgentEvent, { type: "request" | "host_call" }>;
    };

export interface RequestContext {
  readonly member: string;
  readonly isWritable: boolean;
  /** It runs in our sandbox. */
  readonly isSandboxed: boolean;
  /** Rule that denies a call; undefined when none does. */
  readonly deniedBy: (tool: string, call: string) => string | undefined;
  /** Directory of the session, in each spelling of its path. */
  readonly directories: readonly string[];
  /** Tool item that the request is about, when it has started. */
  readonly item: Fields | undefined;
  /** The request is from the thread of a subagent, whose items are not shown. */
  readonly isSubagents: boolean;
}

export function understandRequest(method: string, params: Fields, context: RequestContext): Understood {
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
      return answered({ error: { code: METHOD_NOT_FOUND, message: `Method not supported: ${method}.` } });
  }
}

/** Answer in Codex's format. */
export function encodeAnswer(request: PendingRequest, { result, error }: AnswerResult): Answer {
  switch (request.kind) {
    case "approval":
      return { result: isAllowed(result, error) ? request.accepted : request.refused };
    case "question":
      return request.reply === "elicitation" ? elicited(result, error) : { result: { answers: answersOf(result) } };
    default:
      return toolAnswer(result, error);
  }
}

/** Why the user denied it, as a sentence for the model. The protocol has no field for it. */
export function denialOf(request: PendingRequest, { result, error, reason = "" }: AnswerResult): string | undefined {
  if (request.kind !== "approval" || reason.trim() === "" || isAllowed(result, error)) return undefined;
  return `The user denied ${request.what}: ${reason}`;
}

function isAllowed(result: Json, error: string | null): boolean {
  return error === null && (result === true || result === "allow");
}

/** For a request that nobody can be asked: a refusal, or an empty answer. */
export function refuseRequest(understood: Understood, why: string): Answer {
  if (understood.kind === "answer") return understood.answer;
  return encodeAnswer(understood.request, { result: null, error: why });
}

interface ApprovalRequest {
  readonly title: string;
  readonly tool: string;
  readonly call: string;
  readonly diff?: string;
  readonly what: string;
  readonly accepted: Json;
  readonly refused: Json;
}

/** Never one of Codex's wider choices: Roundtable itself remembers what an approval covers. */
const ONCE_OR_NOT: Options = [
  { label: "Allow once", value: "allow" },
  { label: "Deny", value: "deny" },
];
const ONCE = { accepted: { decision: "accept" }, refused: { decision: "decline" } };

function approval(wanted: ApprovalRequest, params: Fields, context: RequestContext): Understood {
  const { title, tool, call, diff, what, accepted, refused } = wanted;
  const { item, isSubagents } = context;
  if (!context.isWritable) return readOnlyAnswer(wanted, context);
  const callHash = createHash("sha256").update(call).digest("hex");
  const nativeToolId = textOf(params, "itemId");
  const reason = textOf(params, "reason") ?? "";
  return {
    kind: "ask",
    request: { kind: "approval", accepted, refused, what, turn: turnOf(params) },
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
        options: ONCE_OR_NOT,
        ...(reason === "" ? {} : { opts: { reason } }),
      },
      ...(nativeToolId === undefined || item === undefined || isSubagents ? {} : { nativeToolId }),
    }),
  };
}

/** Nobody is asked. In our sandbox a command can change nothing, so only a rule denies it; anything else is denied. */
function readOnlyAnswer({ tool, call, what, accepted, refused }: ApprovalRequest, context: RequestContext): Understood {
  const { member, isSandboxed, deniedBy } = context;
  if (!isSandboxed || !COMMANDS.has(tool)) return answered({ result: refused });
  const rule = deniedBy(tool, call);
  if (rule === undefined) return answered({ result: accepted });
  return { kind: "answer", answer: { result: refused }, warning: `${member} was denied ${what} by your rule ${rule}.` };
}

const COMMANDS: ReadonlySet<string> = new Set(["shell", "shell_input"]);

function turnOf(params: Fields): { threadId: string; turnId: string } | undefined {
  const threadId = textOf(params, "threadId");
  const turnId = textOf(params, "turnId");
  return threadId === undefined || turnId === undefined ? undefined : { threadId, turnId };
}

function commandApproval(params: Fields, context: RequestContext): ApprovalRequest {
  const command = textOf(params, "command");
  const isStdin = textOf(params, "kind") === "writeStdin";
  const network = params["networkApprovalContext"];
  const beside = { ...(isRecord(network) ? network : {}), ...widening(params, context) };
  const hasMore = Object.keys(beside).length > 0;
  const named = command === undefined ? beside : { command, ...beside };
  const alone = command === undefined ? JSON.stringify(params) : commandCall(command);
  const call = hasMore ? JSON.stringify(named) : alone;
  const action = isRecord(network) ? "reach the network" : isStdin ? "type into a running command" : "run a command";
  return {
    title: withReason(`Codex wants to ${action}`, params),
    // Input for a running command is another thing than the command, also to rules.
    tool: isRecord(network) ? "network" : isStdin ? "shell_input" : "shell",
    call,
    what: isRecord(network) ? "access to the network" : (command ?? "this command"),
    ...ONCE,
  };
}

/** Environment id of this machine. */
const LOCAL = "local";

/** With these fields the same command does more than in the session's directory with the session's permissions. */
function widening(params: Fields, { directories }: RequestContext): Fields {
  const cwd = textOf(params, "cwd");
  const environmentId = textOf(params, "environmentId");
  const isHome = cwd === undefined || directories.some((directory) => path.resolve(directory) === path.resolve(cwd));
  const permissions = params["additionalPermissions"] ?? null;
  return {
    ...(isHome ? {} : { cwd }),
    ...(environmentId === undefined || environmentId === LOCAL ? {} : { environmentId }),
    ...(permissions === null ? {} : { additionalPermissions: permissions }),
  };
}

/** The request itself names no file: an unknown change cannot be shown, and approving it would approve anything. */
function fileChange(params: Fields, context: RequestContext): Understood {
  const { item, isWritable, member } = context;
  const isKnown = recordsOf(item ?? {}, "changes").length > 0;
  if (isKnown || !isWritable) return approval(fileApproval(params, context), params, context);
  const warning = `${member} asked to change files without saying which ones, and was denied.`;
  return { kind: "answer", answer: { result: { decision: "decline" } }, warning };
}

function fileApproval(params: Fields, { item }: RequestContext): ApprovalRequest {
  const changes = recordsOf(item ?? {}, "changes");
  const root = textOf(params, "grantRoot");
  const diff = wholeDiffOf(changes);
  return {
    title: withReason("Codex wants to change files", params),
    tool: "apply_patch",
    call: JSON.stringify({ changes, ...(root === undefined ? {} : { grantRoot: root }) }),
    ...(diff === undefined ? {} : { diff }),
    what: "these file changes",
    ...ONCE,
  };
}

function permissionsApproval(params: Fields): ApprovalRequest {
  const requested = recordOf(params, "permissions");
  const permissions = Object.fromEntries(Object.entries(requested).filter(([, value]) => value !== null)) as Json;
  return {
    title: withReason("Codex wants more permissions for this turn", params),
    tool: "permissions",
    call: JSON.stringify(requested),
    what: "these permissions",
    accepted: { permissions, scope: "turn" },
    refused: { permissions: {}, scope: "turn" },
  };
}

function elicitation(params: Fields, context: RequestContext): Understood {
  const meta = recordOf(params, "_meta");
  const refused: Json = { action: "decline", content: null, _meta: null };
  const message = textOf(params, "message") ?? textOf(params, "title") ?? "";
  if (textOf(meta, "codex_approval_kind") === "mcp_tool_call") {
    const call = JSON.stringify({
      server: textOf(params, "serverName"),
      message,
      arguments: recordOf(meta, "tool_params"),
    });
    const title = message === "" ? "Codex wants to call a tool" : message;
    const tool = textOf(params, "serverName") ?? "mcp";
    const accepted: Json = { action: "accept", content: {}, _meta: null };
    return approval({ title, tool, call, what: `this call to a tool of ${tool}`, accepted, refused }, params, context);
  }
  const form = elicitForm(params);
  if (form === undefined) return answered({ result: refused });
  const title = message === "" ? `${textOf(params, "serverName") ?? "A tool server"} asks` : message;
  return {
    kind: "ask",
    request: { kind: "question", reply: "elicitation" },
    event: (callId) => ({ type: "request", callId, request: { method: "question", title, questions: form } }),
  };
}

/** The model reads it in place of an answer: the protocol has no refusal here. */
const NO_SECRETS =
  "This question was not shown: answers are stored in the session log, and secrets must not be. Ask the user to store the secret where a program can read it, and continue without seeing it.";

function questions(params: Fields, { member }: RequestContext): Understood {
  const items = recordsOf(params, "questions");
  if (items.some((question) => question["isSecret"] === true)) {
    const warning = `${member} wanted to ask for a secret, which would be stored in the log, and was denied.`;
    const ids = items.flatMap((question) => textOf(question, "id") ?? []);
    const answers = Object.fromEntries(ids.map((id) => [id, { answers: [NO_SECRETS] }]));
    return { kind: "answer", answer: { result: { answers } }, warning };
  }
  const parsed = items.flatMap((question) => {
    const id = textOf(question, "id");
    if (id === undefined) return [];
    const options = recordsOf(question, "options").map(questionOption);
    const freeText = options.length === 0 || question["isOther"] === true;
    return [{ id, text: textOf(question, "question") ?? "", options, multiple: false, freeText }];
  });
  if (parsed.length === 0) return answered({ result: { answers: {} } });
  const title = textOf(items[0] ?? {}, "header") ?? "Codex asks";
  // After this time Codex continues, and a later answer is lost.
  const timeoutMs = countOf(params, "autoResolutionMs") ?? 0;
  return {
    kind: "ask",
    request: { kind: "question", reply: "user_input" },
    event: (callId) => ({
      type: "request",
      callId,
      request: { method: "question", title, questions: parsed },
      ...(timeoutMs === 0 ? {} : { timeoutMs }),
    }),
  };
}

function questionOption(option: Fields): Options[number] {
  const label = textOf(option, "label") ?? "";
  const description = textOf(option, "description");
  return { label, value: label, ...(description === undefined || description === "" ? {} : { description }) };
}

function toolCall(params: Fields): Understood {
  const tool = textOf(params, "tool") ?? "";
  const args = (params["arguments"] ?? {}) as Json;
  return { kind: "ask", request: { kind: "tool" }, event: (callId) => ({ type: "host_call", callId, tool, args }) };
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
  return reason === undefined || reason === "" ? title : `${title}: ${reason}`;
}

function answered(answer: Answer): Understood {
  return { kind: "answer", answer };
}
