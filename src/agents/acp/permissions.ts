/**
 * What the agent asks leave for (`session/request_permission`).
 * Promises: in a session that is read-only, whatever would write or run something is refused at once, by the agent's
 * own choice for that, and the user is not asked; otherwise the user is, with the agent's own choices, about the exact
 * call; what is no choice of the agent is a refusal. The table's own tools are allowed unasked, where it is certain
 * that they are meant: they do nothing that the table does not watch over itself.
 */
import { createHash } from "node:crypto";
import type { UiRequestBody } from "../../protocol/index.ts";
import type { AnswerResult } from "../port.ts";
import { hold } from "../json-rpc/exchange.ts";
import { writeError, writeResult, INTERNAL_ERROR, type RpcId } from "../json-rpc/messages.ts";
import { contentChanges } from "./changes.ts";
import { exactCall } from "./exact-call.ts";
import { recordOf, recordsOf, textOf, type Fields } from "../json-rpc/fields.ts";
import { ownershipOf } from "./own-tools.ts";
import { closeSegment } from "./segments.ts";
import { andThen, type AcpState, type AcpStep, type PermissionOption } from "./state.ts";
import { denyTool, tellTool, withTool } from "./tool-calls.ts";
import { diffOf, nameIn, toolArgs, toolKind, type ToolFacts } from "./tool-facts.ts";

export const CANCELLED = { outcome: { outcome: "cancelled" } };

/** Kinds of calls that change nothing on this machine. */
const HARMLESS = new Set(["read", "search", "think", "fetch"]);

export interface PermissionPlace {
  /** The directory of the session. */
  readonly cwd: string;
  readonly isWritable: boolean;
  /** The name of the table's own tool server; null where the agent has none. */
  readonly tableServer: string | null;
}

export function askPermission(state: AcpState, id: RpcId, params: Fields, place: PermissionPlace): AcpStep {
  const call = recordOf(params, "toolCall");
  const { turn } = state;
  const isOurs = textOf(params, "sessionId") === state.sessionId;
  if (turn === null || !turn.isSent || turn.isCancelled || !isOurs)
    return { state, write: [writeResult(id, CANCELLED)] };
  const toolCallId = textOf(call, "toolCallId") ?? `permission-${String(id)}`;
  // Some agents announce a tool that needs approval by this request only.
  // A permission is never about a call that is over.
  const isNews = turn.tools.get(toolCallId)?.isDone !== false;
  const closed = closeSegment(state);
  const news = { ...call, toolCallId, status: "pending" };
  const told = isNews ? andThen(closed, (next) => tellTool(next, news, true)) : closed;
  const facts = told.state.turn?.tools.get(toolCallId);
  if (facts === undefined) return andThen(told, (next) => ({ state: next, write: [writeResult(id, CANCELLED)] }));
  const asked = withTool(told.state, toolCallId, { ...facts, changes: changesOf(call, facts), hasAsked: true });
  const options = readOptions(params);
  const ownership = ownershipOf(state, call, place.tableServer);
  const allowed = ownership === "certain" ? options.find(({ kind }) => kind === "allow_once") : undefined;
  const kind = textOf(call, "kind") ?? facts.kind;
  const isAsked = HARMLESS.has(kind) || (kind === "other" && ownership !== "foreign");
  const isRefused = !place.isWritable && !isAsked;
  if (allowed !== undefined) {
    return andThen({ ...told, state: asked }, (next) => ({ state: next, write: [writeResult(id, selected(allowed))] }));
  }
  return andThen({ ...told, state: asked }, (next) =>
    isRefused || options.length === 0
      ? refuseAtOnce(next, id, toolCallId, options)
      : askUser(next, id, { call, toolCallId, facts, options, cwd: place.cwd }),
  );
}

function refuseAtOnce(state: AcpState, id: RpcId, toolCallId: string, options: readonly PermissionOption[]): AcpStep {
  return andThen(denyTool(state, toolCallId, "the session is read-only"), (next) => ({
    state: next,
    write: [writeResult(id, outcomeOf(options, false))],
  }));
}

interface Question {
  readonly call: Fields;
  readonly toolCallId: string;
  readonly facts: ToolFacts;
  readonly options: readonly PermissionOption[];
  readonly cwd: string;
}

function askUser(state: AcpState, id: RpcId, { call, toolCallId, facts, options, cwd }: Question): AcpStep {
  const held = hold(state.asks, id, { kind: "permission", toolCallId, options });
  if (held === null) {
    return { state, write: [writeError(id, { code: INTERNAL_ERROR, message: "too many open requests" })] };
  }
  const exact = exactFacts(call, facts);
  const request = approval(exact, exactCall(exact, call, cwd), options);
  return {
    state: { ...state, asks: held.exchange },
    events: [{ type: "request", callId: held.callId, request, nativeToolId: toolCallId }],
  };
}

/** What the request itself says of the call wins over what was said before. */
function exactFacts(call: Fields, facts: ToolFacts): ToolFacts {
  const told = toolKind(call);
  return {
    ...facts,
    name: nameIn(call, facts),
    title: textOf(call, "title") ?? facts.title,
    args: toolArgs(call) ?? facts.args,
    kind: told === "execute" || told === "edit" ? told : facts.kind,
    changes: changesOf(call, facts),
  };
}

function changesOf(call: Fields, facts: ToolFacts): ToolFacts["changes"] {
  const told = contentChanges(call);
  return told.length === 0 ? facts.changes : told;
}

function approval(facts: ToolFacts, exact: string, options: readonly PermissionOption[]): UiRequestBody {
  const diff = diffOf(facts);
  return {
    method: "approval",
    title: facts.title === "" ? `Use ${facts.name}?` : facts.title,
    tool: facts.name,
    call: exact,
    callHash: createHash("sha256").update(exact).digest("hex"),
    ...(diff === null ? {} : { diff }),
    options: options.map(({ optionId, name, kind }) => ({ label: name, value: optionId, description: kind })),
  };
}

function readOptions(params: Fields): PermissionOption[] {
  return recordsOf(params, "options").flatMap((option) => {
    const optionId = textOf(option, "optionId");
    if (optionId === null) return [];
    return [{ optionId, name: textOf(option, "name") ?? optionId, kind: textOf(option, "kind") ?? "" }];
  });
}

/** What the user chose, as the agent wants to hear it, and whether it is a refusal. */
export function permissionAnswer(
  options: readonly PermissionOption[],
  { result, error }: AnswerResult,
): { readonly result: object; readonly isDenied: boolean } {
  const chosen = error === null ? options.find(({ optionId }) => optionId === result) : undefined;
  const isAllowed = chosen === undefined ? error === null && result === true : !isReject(chosen);
  if (chosen !== undefined) return { result: selected(chosen), isDenied: !isAllowed };
  return { result: outcomeOf(options, isAllowed), isDenied: !isAllowed };
}

function outcomeOf(options: readonly PermissionOption[], isAllowed: boolean): object {
  const wanted = isAllowed ? "allow_once" : "reject_once";
  const option =
    options.find(({ kind }) => kind === wanted) ?? (isAllowed ? undefined : options.find((one) => isReject(one)));
  return option === undefined ? CANCELLED : selected(option);
}

function isReject({ kind, optionId }: PermissionOption): boolean {
  return kind === "" ? /reject|deny|cancel|no/i.test(optionId) : kind.startsWith("reject");
}

function selected({ optionId }: PermissionOption): object {
  return { outcome: { outcome: "selected", optionId } };
}
