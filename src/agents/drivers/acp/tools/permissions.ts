/**
 * Approval requests of the agent (`session/request_permission`).
 * Guarantees: in a read-only session whatever would write or run something is denied at once without asking the user,
 * except for commands inside our sandbox; otherwise the user is asked about the exact call, with "Allow once" and
 * "Deny". The agent is answered only with its own one-time option, so it never widens its permissions; a call without
 * such an option is denied. A mode change, such as following a plan, keeps the agent's choices without those that end
 * approvals. Host tools are allowed unasked where they are certainly meant: Roundtable itself guards what they do.
 */
import { createHash } from "node:crypto";
import { type UiRequestBody, BESIDE_COMMAND } from "../../../../protocol/index.ts";
import type { AnswerResult } from "../../../port.ts";
import { hold } from "../../../json-rpc/exchange.ts";
import { writeError, writeResult, INTERNAL_ERROR, type RpcId, isRecord } from "../../../json-rpc/messages.ts";
import { contentChanges, isShownWhole } from "./changes.ts";
import { recordOf, recordsOf, textOf, type Fields, fieldsOf, textsOf, recordAt } from "../../../json-rpc/fields.ts";
import { closeSegment } from "../turn/segments.ts";
import { andThen, type AcpState, type AcpStep, type PendingPermission, type PermissionOption } from "../state.ts";
import { denyTool, handleToolCall, withTool } from "./calls.ts";
import { diffOf, nameIn, toolArgs, toolKind, type ToolFacts, contentText } from "./facts.ts";
import { commandCall } from "../../../approvals/call-fields.ts";
import { findHostTool } from "../../../host-tools/server-name.ts";
import { isAgent } from "../agent-quirks.ts";

const ALLOW = "allow";

export const CANCELLED = { outcome: { outcome: "cancelled" } };

/** Kinds of calls that change nothing on this machine. */
const HARMLESS = new Set(["read", "search", "think", "fetch"]);
/** Kinds that our sandbox would stop anyway, or that are about more than one call. */
const FUTILE = new Set(["edit", "delete", "move", "switch_mode"]);

export interface PermissionContext {
  /** Directory of the session. */
  readonly cwd: string;
  readonly isWritable: boolean;
  /** Name of the server with the host tools; undefined where the agent has none. */
  readonly hostToolServer: string | undefined;
}

export function askPermission(state: AcpState, id: RpcId, params: Fields, context: PermissionContext): AcpStep {
  const call = recordOf(params, "toolCall");
  const { turn } = state;
  const isOurs = textOf(params, "sessionId") === state.sessionId;
  if (turn === undefined || !turn.isSent || turn.isCancelled || !isOurs)
    return { state, write: [writeResult(id, CANCELLED)] };
  const toolCallId = textOf(call, "toolCallId") ?? `permission-${String(id)}`;
  // Some agents announce a tool that needs approval by this request only. A request is never about a call that is over.
  const isNews = turn.tools.get(toolCallId)?.isDone !== false;
  const closed = closeSegment(state);
  const news = { ...call, toolCallId, status: "pending" };
  const announced = isNews ? andThen(closed, (next) => handleToolCall(next, news, true)) : closed;
  const facts = announced.state.turn?.tools.get(toolCallId);
  if (facts === undefined) return andThen(announced, (next) => ({ state: next, write: [writeResult(id, CANCELLED)] }));
  const updated = withTool(announced.state, toolCallId, {
    ...facts,
    changes: changesOf(call, facts),
    hasRequestedPermission: true,
  });
  const options = readOptions(params);
  const once = options.find(({ kind }) => kind === "allow_once");
  const ownership = ownershipOf(state, call, context.hostToolServer);
  const kind = textOf(call, "kind") ?? facts.kind;
  const isHarmless = HARMLESS.has(kind) || (kind === "other" && ownership !== "foreign");
  const isClosed = state.isSandboxed ? FUTILE.has(kind) : !isHarmless;
  return andThen({ ...announced, state: updated }, (next) => {
    if (ownership === "certain" && once !== undefined) return { state: next, write: [writeResult(id, selected(once))] };
    if (!context.isWritable && isClosed) return denyAtOnce(next, id, { toolCallId, options, why: READ_ONLY });
    if (once === undefined) return denyAtOnce(next, id, { toolCallId, options, why: ONLY_ALWAYS });
    return askUser(next, id, { call, toolCallId, facts, options, cwd: context.cwd, isMode: kind === "switch_mode" });
  });
}

const READ_ONLY = "the session is read-only";
const TOO_LONG = "the change is too long to be shown, so nobody can approve it";
const ONLY_ALWAYS = "the agent offers no way to allow it once";

interface Denial {
  readonly toolCallId: string;
  readonly options: readonly PermissionOption[];
  readonly why: string;
}

function denyAtOnce(state: AcpState, id: RpcId, { toolCallId, options, why }: Denial): AcpStep {
  return andThen(denyTool(state, toolCallId, why), (next) => ({
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
  /** About a mode of the agent, not about a call. */
  readonly isMode: boolean;
}

function askUser(state: AcpState, id: RpcId, question: Question): AcpStep {
  const { call, toolCallId, facts, options, cwd, isMode } = question;
  const held = hold(state.requests, id, { kind: "permission", toolCallId, options, isMode });
  if (held === undefined) {
    return { state, write: [writeError(id, { code: INTERNAL_ERROR, message: "too many open requests" })] };
  }
  const exact = exactFacts(call, facts);
  if (!isMode && !isShownWhole(exact.changes) && isListOnly(exact.args)) {
    return denyAtOnce(state, id, { toolCallId, options, why: TOO_LONG });
  }
  const request = isMode ? modeChoice(exact, options) : approval(exact, exactCall(exact, call, cwd));
  return {
    state: { ...state, requests: held.exchange },
    events: [{ type: "request", callId: held.callId, request, nativeToolId: toolCallId }],
  };
}

/** The request itself takes precedence over earlier messages about the call. */
function exactFacts(call: Fields, facts: ToolFacts): ToolFacts {
  const kind = toolKind(call);
  return {
    ...facts,
    name: nameIn(call, facts),
    title: textOf(call, "title") ?? facts.title,
    args: toolArgs(call) ?? facts.args,
    kind: kind === "execute" || kind === "edit" ? kind : facts.kind,
    changes: changesOf(call, facts),
  };
}

function changesOf(call: Fields, facts: ToolFacts): ToolFacts["changes"] {
  const changes = contentChanges(call);
  return changes.length === 0 ? facts.changes : changes;
}

/** Options that end approvals are not offered: Roundtable remembers what was allowed, not the agent. */
function modeChoice({ title, name }: ToolFacts, options: readonly PermissionOption[]): UiRequestBody {
  const offered = options.filter(({ kind }) => kind !== "allow_always");
  return {
    method: "select",
    title: title === "" ? name : title,
    options: offered.map(({ optionId, name: label }) => ({ label, value: optionId })),
  };
}

function approval(facts: ToolFacts, exact: string): UiRequestBody {
  const diff = isShownWhole(facts.changes) ? diffOf(facts) : undefined;
  return {
    method: "approval",
    title: facts.title === "" ? `Use ${facts.name}?` : facts.title,
    tool: facts.name,
    call: exact,
    callHash: createHash("sha256").update(exact).digest("hex"),
    ...(diff === undefined ? {} : { diff }),
    options: [
      { label: "Allow once", value: ALLOW },
      { label: "Deny", value: "deny" },
    ],
  };
}

function readOptions(params: Fields): PermissionOption[] {
  return recordsOf(params, "options").flatMap((option) => {
    const optionId = textOf(option, "optionId");
    if (optionId === undefined) return [];
    return [{ optionId, name: textOf(option, "name") ?? optionId, kind: textOf(option, "kind") ?? "" }];
  });
}

/** The user's choice in the agent's format, and whether it is a denial. */
export function permissionAnswer(
  { options, isMode }: Pick<PendingPermission, "options" | "isMode">,
  { result, error }: AnswerResult,
): { readonly result: object; readonly isDenied: boolean } {
  if (isMode) {
    const chosen = options.find(({ optionId, kind }) => optionId === result && kind !== "allow_always");
    if (error !== null || chosen === undefined) return { result: outcomeOf(options, false), isDenied: true };
    return { result: selected(chosen), isDenied: isReject(chosen) };
  }
  const isAllowed = error === null && (result === ALLOW || result === true);
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

/**
 * Call as one text, which is shown, hashed and judged. Contains everything that could make it another call. `call` is
 * the request itself, `cwd` the directory of the session.
 */
function exactCall(facts: ToolFacts, call: Fields, cwd: string): string {
  return (facts.kind === "execute" ? exactCommand(facts, call, cwd) : undefined) ?? everythingOf(facts, call);
}

/** The command, if the call consists of nothing else; otherwise undefined. */
function exactCommand({ args, title }: ToolFacts, call: Fields, cwd: string): string | undefined {
  const command = textOf(fieldsOf(args), "command");
  if (command !== undefined) {
    const isAll = Object.entries(fieldsOf(args)).every((beside) => isImmaterial(beside, cwd));
    return isAll ? commandCall(command) : JSON.stringify(args);
  }
  if (!isListOnly(args)) return undefined;
  const details = contentText(call);
  // Gemini CLI reports another directory here, before text of the model.
  const beside = { ...fieldsOf(args), ...(details.startsWith("[in ") ? { details } : {}) };
  return Object.keys(beside).length === 0 ? commandCall(title) : JSON.stringify({ command: title, ...beside });
}

/** Whether the command would be the same without this field. */
function isImmaterial([key, value]: readonly [string, unknown], cwd: string): boolean {
  if (BESIDE_COMMAND.has(key) || value === null) return true;
  if (key === "cwd" || key === "workdir") return value === cwd;
  return typeof value === "object" && Object.keys(value).length === 0;
}

function everythingOf(facts: ToolFacts, call: Fields): string {
  const { args, title, kind } = facts;
  const diff = diffOf(facts);
  const paths = kind === "edit" ? touchedPaths(facts, call) : [];
  return JSON.stringify({
    title,
    ...(paths.length > 0 && isListOnly(args) ? {} : { args }),
    ...(paths.length === 0 ? {} : { paths }),
    ...(diff === undefined ? {} : { diff }),
  });
}

/** Agents name the files of a change by keys of their own or not at all; diffs and locations are named alike. */
function touchedPaths({ args, changes }: ToolFacts, call: Fields): string[] {
  const locations = recordsOf(call, "locations").flatMap((location) => textOf(location, "path") ?? []);
  return [...new Set([...changes.map(({ path }) => path), ...locations, ...textsOf(fieldsOf(args), "paths")])];
}

/** True for no arguments, or only the list of paths that is generated for agents which report none. */
function isListOnly(args: ToolFacts["args"]): boolean {
  if (!isRecord(args) || Object.keys(args).some((key) => key !== "paths")) return false;
  const { paths = [] } = args;
  return Array.isArray(paths) && paths.every((one) => typeof one === "string");
}

/**
 * Whether the call is one of the host tools. Titles and ids are partly written by the model, its provider and other
 * tool servers, so each agent is trusted only where it derives them from the server's name, which is random. "alike"
 * names our server but may be forged: the user decides.
 */
type Ownership = "certain" | "alike" | "foreign";

function ownershipOf(state: AcpState, call: Fields, server: string | undefined): Ownership {
  if (server === undefined) return "foreign";
  if (isAgent(state, /^gemini-cli$/) && isGeminis(call, server)) return "certain";
  if (isAgent(state, /claude-agent-acp$/) && isClaudes(call, server)) return "certain";
  const named = ["toolCallId", "title", "name"].some((key) => textOf(call, key)?.includes(server) === true);
  return named ? "alike" : "foreign";
}

/**
 * Its id begins with the name in its registry, and its title names tool and server; but the title is the argument
 * `command` where the model gives one, and the rest of the id is its provider's.
 */
function isGeminis(call: Fields, server: string): boolean {
  const id = textOf(call, "toolCallId") ?? "";
  const start = `mcp_${server}_`;
  if (!id.startsWith(start)) return false;
  const tool = findHostTool(/^[a-z_]+?(?=__|-\d)/.exec(id.slice(start.length))?.[0] ?? "");
  return tool !== undefined && textOf(call, "title") === `${tool} (${server} MCP Server)`;
}

/** It reports the full name of the tool and, separately, the server. */
function isClaudes(call: Fields, server: string): boolean {
  const meta = recordAt(call, "_meta", "claudeCode");
  const start = `mcp__${server}__`;
  const name = textOf(meta, "toolName") ?? "";
  return (
    name.startsWith(start) &&
    findHostTool(name.slice(start.length)) !== undefined &&
    textOf(recordOf(meta, "mcpServer"), "name") === server
  );
}
