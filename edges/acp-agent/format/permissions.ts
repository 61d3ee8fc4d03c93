/** User requests as permission requests of the editor: a title, a description and the options. */
import type {
  PermissionOption,
  PermissionOptionKind,
  RequestPermissionOutcome,
  RequestPermissionRequest,
  ToolKind,
} from "@agentclientprotocol/sdk";
import { safeDefault, type Json, type UiRequestBody } from "../../../src/protocol/index.ts";
import { type OpenRequest, namedTitle } from "../../../src/transcript/index.ts";
import { diffContent } from "./tool-updates.ts";
import { largest } from "../../../src/kit/largest.ts";

type Option = Extract<UiRequestBody, { method: "select" }>["options"][number];
type Choosable = Extract<UiRequestBody, { method: "approval" | "select" | "confirm" }>;

const REFUSE = "__refuse__";
const YES = "yes";
const NO = "no";

/** Fallback label of an option. */
const KIND_OF_VALUE: readonly (readonly [RegExp, PermissionOptionKind])[] = [
  [
    /^(?:table_session|table_session_edits|table_always|always|allow_always|accept_?for_?session|acceptForSession)$/i,
    "allow_always",
  ],
  [/^(?:reject_always|never)$/i, "reject_always"],
  [/^(?:deny|denied|reject|reject_once|refuse|decline|abort|cancel|no)$/i, "reject_once"],
];
const KINDS = new Set<string>(["allow_once", "allow_always", "reject_once", "reject_always"]);

export function isChoosable(request: UiRequestBody): request is Choosable {
  return request.method === "approval" || request.method === "select" || request.method === "confirm";
}

export function permissionRequest(
  sessionId: string,
  { requestId, member, toolCallId, request }: OpenRequest & { request: Choosable },
  cwd: string,
): RequestPermissionRequest {
  const text = textOf(request);
  return {
    sessionId,
    toolCall: {
      toolCallId: toolCallId ?? requestId,
      title: namedTitle(member, request.title),
      kind: permissionKind(request),
      status: "pending",
      content: [
        ...(text === "" ? [] : [{ type: "content" as const, content: { type: "text" as const, text } }]),
        ...(request.method === "approval" ? diffContent(request.diff ?? "", cwd) : []),
      ],
      ...(request.method === "approval" ? { rawInput: { tool: request.tool, call: request.call } } : {}),
    },
    options: optionsOf(request),
  };
}

/** The chosen answer; the safe default when the editor gave none. */
export function permissionAnswer(request: Choosable, outcome: RequestPermissionOutcome): Json {
  if (outcome.outcome === "cancelled" || outcome.optionId === REFUSE) return safeDefault(request.method);
  if (request.method === "confirm") return outcome.optionId === YES;
  const isOffered = request.options.some((option) => option.value === outcome.optionId);
  return isOffered ? outcome.optionId : safeDefault(request.method);
}

/** An approval with a diff is one of a change. */
export function permissionKind(request: Choosable): ToolKind {
  if (request.method !== "approval") return "other";
  return (request.diff ?? "") === "" ? "execute" : "edit";
}

/** A command is shown exactly as it would run, whatever Markdown it contains. */
function textOf(request: Choosable): string {
  if (request.method === "confirm") return request.message;
  if (request.method === "select") return "";
  const longest = largest(
    request.call.matchAll(/`+/g).map(([marks]) => marks.length),
    2,
  );
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${request.call}\n${fence}`;
}

function optionsOf(request: Choosable): PermissionOption[] {
  if (request.method === "confirm") {
    return [
      { optionId: YES, name: "Yes", kind: "allow_once" },
      { optionId: NO, name: "No", kind: "reject_once" },
    ];
  }
  const options = request.options.map((option) => ({
    optionId: option.value,
    name: option.label,
    kind: request.method === "select" ? ("allow_once" as const) : kindOf(option),
  }));
  const canRefuse = options.some((option) => option.kind.startsWith("reject"));
  return canRefuse ? options : [...options, { optionId: REFUSE, name: "None of these", kind: "reject_once" }];
}

function kindOf({ value, description }: Option): PermissionOptionKind {
  if (description !== undefined && KINDS.has(description)) return description as PermissionOptionKind;
  return KIND_OF_VALUE.find(([pattern]) => pattern.test(value))?.[1] ?? "allow_once";
}
