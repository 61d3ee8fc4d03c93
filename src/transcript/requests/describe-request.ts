/**
 * A request in plain fields for every view: who asks, for what, why, the choices with their keys, what happens at the
 * timeout, and the outcome. Nothing that would run is left out; the raw JSON and its hash are in the details.
 */

import {
  safeDefault,
  type UiRequestBody,
  EDIT_TEXT_KEYS,
  EDITORS,
  MORE_THAN_EDITORS,
  PATH_KEYS,
  SHELLS,
  type AgentKind,
  type Json,
} from "../../protocol/index.ts";
import { countChanges } from "../format/units.ts";
import { type ArgumentField, argumentFields } from "./argument-fields.ts";
import type { RequestAnswer, RequestOutcome, RequestState } from "../messages.ts";
import { choiceOf, choicesOf, type RequestChoice } from "./choices.ts";
import { requestOutcome } from "./outcome.ts";

export interface DescribedRequest {
  readonly kind: DescribedCall["kind"] | "question";
  /** "qwen asks to run a command", "qwen asks to edit src/colors.rs". */
  readonly heading: string;
  /** One line without the member: "$ cargo test", "edit src/colors.rs +1 −0". Long commands are not truncated. */
  readonly what: string;
  /** The agent's own text, if it says more than the heading. */
  readonly title?: string;
  /** Reason given by the agent. */
  readonly reason?: string;
  readonly message?: string;
  readonly command?: { readonly line: string; readonly directory?: string };
  readonly files: readonly string[];
  readonly diff?: { readonly text: string; readonly added: number; readonly removed: number };
  /** Remaining arguments of the tool. */
  readonly fields: readonly ArgumentField[];
  /** Roundtable's own remarks: files that are not where their names say, and why no rule has answered it. */
  readonly notes: readonly ArgumentField[];
  /** Each with its own choices; empty for a request that is answered as a whole. */
  readonly questions: readonly { readonly text: string; readonly choices: readonly Omit<RequestChoice, "keys">[] }[];
  readonly choices: readonly RequestChoice[];
  /** What happens at the timeout: "denied in 4:12". */
  readonly atLimit: "denied" | "answered no" | "skipped";
  readonly outcome: RequestOutcome;
  /** The call exactly as it is written and hashed. */
  readonly details: readonly ArgumentField[];
}

export interface RequestRecord {
  readonly member: string;
  readonly request: UiRequestBody;
  /** Absent for an open request. */
  readonly state?: RequestState;
  readonly answer?: RequestAnswer | undefined;
}

export function describeRequest(record: RequestRecord): DescribedRequest {
  const { member, request } = record;
  const outcome = requestOutcome(request, record.state ?? "open", record.answer);
  if (request.method === "approval") return { ...describeApproval(member, request), outcome };
  return {
    kind: "question",
    heading: `${member} asks you`,
    what: request.title,
    title: request.title,
    ...(request.method === "confirm" ? { message: request.message } : {}),
    files: [],
    fields: [],
    notes: [],
    questions: request.method === "question" ? request.questions.map(describeQuestion) : [],
    choices: choicesOf(request),
    atLimit: safeDefault(request.method) === false ? "answered no" : "skipped",
    outcome,
    details: [],
  };
}

type Approval = Extract<UiRequestBody, { method: "approval" }>;

function describeApproval(member: string, request: Approval): Omit<DescribedRequest, "outcome"> {
  const call = describeCall(member, request);
  const { kind, verb, tool, title, reason, command, files } = call;
  const diff =
    request.diff === undefined || request.diff === ""
      ? undefined
      : { text: request.diff, ...countChanges(request.diff) };
  const counts = diff === undefined ? "" : ` +${diff.added} −${diff.removed}`;
  const named = files.length === 1 ? files[0] : `${files.length} files`;
  const heading = { command: "run a command", edit: `${verb} ${named}`, tool: `use ${tool}` }[kind];
  const what = { command: `$ ${command?.line}`, edit: `${verb} ${files.join(", ")}${counts}`, tool }[kind];
  return {
    kind,
    heading: `${member} asks to ${heading}`,
    what,
    // A command or a file says more than the agent's own title.
    ...(title === undefined || kind !== "tool" ? {} : { title }),
    ...(reason === undefined ? {} : { reason }),
    ...(command === undefined ? {} : { command }),
    files,
    ...(diff === undefined ? {} : { diff }),
    fields: call.fields,
    notes: [...linksOf(request), ...becauseOf(request)],
    questions: [],
    choices: choicesOf(request),
    atLimit: "denied",
    details: [
      ...(title === undefined || kind === "tool" ? [] : [{ name: "Title", text: title }]),
      ...wholeCall(member, request),
    ],
  };
}

/** Every argument as it was sent; the text itself where it is no object. */
function wholeCall(member: string, request: Approval): ArgumentField[] {
  const fields = readFields(request.call);
  if (fields === undefined) return [{ name: "Call", text: request.call }];
  const isLookalike = request.opts?.["lookalike"] === true;
  const isOurs = readBuiltIn(member, request.tool, fields) !== undefined || readAcp(request, fields) !== undefined;
  const whole = argumentFields(fields);
  return isLookalike || !isOurs ? whole : whole.map(({ name, text }) => ({ name: detailName(name), text }));
}

/** What Roundtable writes around the arguments of a call. */
const DETAIL_NAMES: Readonly<Record<string, string>> = {
  cwd: "Directory",
  member: "Member",
  tool: "Tool",
  title: "Title",
  paths: "Files",
  diff: "Diff",
  "bound.path": "File checked",
  "bound.before": "SHA-256 of the file checked",
  "bound.server": "Tool server",
  "bound.tool": "Tool of the server",
};

/** "args.command" is "Argument command". */
function detailName(name: string): string {
  if (name.startsWith("args.")) return `Argument ${name.slice("args.".length)}`;
  return Object.hasOwn(DETAIL_NAMES, name) ? (DETAIL_NAMES[name] ?? name) : name;
}

/** Why no rule has answered it, if one seemed to match. */
function becauseOf({ opts }: Approval): ArgumentField[] {
  const because = opts?.["because"];
  return typeof because === "string" ? [{ name: "Asked because", text: because }] : [];
}

/** Files that are not where their names say. */
function linksOf({ opts }: Approval): ArgumentField[] {
  const links = opts?.["links"];
  if (!Array.isArray(links)) return [];
  return links.flatMap((text) => (typeof text === "string" ? { name: "Link", text } : []));
}

function describeQuestion({ text, options }: Extract<UiRequestBody, { method: "question" }>["questions"][number]) {
  return { text, choices: options.map(choiceOf) };
}

/** Puts the member before the title, unless the agent has named it already. */
export function namedTitle(member: string, title: string): string {
  return title.startsWith(`${member}: `) ? title : `${member}: ${title}`;
}

/**
 * What a call that waits for approval would do, parsed from its text: a command, a change of files, or a tool with its
 * arguments.
 */
interface DescribedCall {
  readonly kind: "command" | "edit" | "tool";
  readonly tool: string;
  /** "edit", "write", "create", "delete" or "move". */
  readonly verb: string;
  /** The agent's own text, if it says more than the parsed call. */
  readonly title?: string;
  /** Reason given by the agent. */
  readonly reason?: string;
  readonly command?: { readonly line: string; readonly directory?: string };
  readonly files: readonly string[];
  readonly fields: readonly ArgumentField[];
}

type Fields = Readonly<Record<string, Json>>;

interface Read {
  readonly tool: string;
  readonly args: Fields;
  readonly files: readonly string[];
  readonly directory?: string;
  /** The title only repeats the call, and the path is the one that was checked. */
  readonly isBuiltIn?: true;
}

function describeCall(member: string, request: Approval): DescribedCall {
  const { reason = request.opts?.["reason"], ...call } = readCall(member, request);
  return typeof reason === "string" && reason.trim() !== "" ? { ...call, reason: reason.trim() } : call;
}

function readCall(member: string, request: Approval): DescribedCall {
  const { tool, call, title } = request;
  const fields = readFields(call);
  const name = tool.toLowerCase();
  const ownTitle = title === "" ? {} : { title };
  if (fields === undefined) {
    if (!SHELLS.has(name)) return { ...ownTitle, ...ofTool(tool), fields: [{ name: "", text: call }] };
    return { ...ownTitle, ...ofTool(tool), kind: "command", command: { line: call }, fields: [] };
  }
  const isLookalike = request.opts?.["lookalike"] === true;
  const spelled = isLookalike ? undefined : (readBuiltIn(member, tool, fields) ?? readAcp(request, fields));
  const read = spelled ?? { tool, args: fields, files: [] };
  const shownTitle = read.isBuiltIn === true ? {} : ownTitle;
  if (SHELLS.has(name)) return { ...shownTitle, ...describeCommand(read) };
  const hasOwnFiles = read.isBuiltIn === true && read.files.length > 0;
  const files = hasOwnFiles ? read.files : [...new Set([...read.files, ...filesIn(read.args)])];
  if (!EDITORS.has(name) || files.length === 0) {
    return { ...shownTitle, ...ofTool(read.tool), fields: argumentFields(read.args) };
  }
  const hasDiff = request.diff !== undefined && request.diff !== "";
  const others = without(read.args, (key) => PATH_KEYS.includes(key) || (hasDiff && CONTENT_KEYS.has(key)));
  const verb = MORE_THAN_EDITORS.has(name) ? name : files.length === 1 ? verbOf(request.diff ?? "") : "edit";
  return { ...shownTitle, ...ofTool(read.tool), kind: "edit", verb, files, fields: argumentFields(others) };
}

/** Some agents do not say whether the file that they write is there. */
function verbOf(diff: string): "create" | "write" | "edit" {
  if (/^--- \/dev\/null$/m.test(diff)) return "create";
  return /^@@ -0,0 /m.test(diff) ? "write" : "edit";
}

function ofTool(tool: string) {
  const [, server, name] = /^mcp__(.+?)__(.+)$/.exec(tool) ?? [];
  return { kind: "tool", tool: server === undefined ? tool : `${server} · ${name}`, verb: "use", files: [] } as const;
}

const DIRECTORY_KEYS = ["cwd", "workdir"];

function describeCommand({ tool, args, directory }: Read): DescribedCall {
  const { command, description, ...rest } = args;
  if (typeof command !== "string") return { ...ofTool(tool), fields: argumentFields(args) };
  const isReason = typeof description === "string";
  const others = isReason || description === undefined ? rest : { description, ...rest };
  const key = DIRECTORY_KEYS.find((one) => typeof others[one] === "string");
  const own = key === undefined ? undefined : others[key];
  const workingDirectory = typeof own === "string" ? own : directory;
  return {
    ...ofTool(tool),
    kind: "command",
    ...(isReason ? { reason: description } : {}),
    command: { line: command, ...(workingDirectory === undefined ? {} : { directory: workingDirectory }) },
    fields: argumentFields(without(others, (one) => one === key)),
  };
}

/** The built-in agent binds its call to the member, the directory and what it has read. */
function readBuiltIn(member: string, tool: string, fields: Fields): Read | undefined {
  const { args, cwd, bound, ...others } = fields;
  const isOwn = others["member"] === member && others["tool"] === tool && Object.keys(others).length === 2;
  if (!isOwn || typeof cwd !== "string" || !isFields(args)) return undefined;
  if (bound !== undefined && !(isFields(bound) && Object.entries(bound).every(isKnownBound))) return undefined;
  const { path, server, tool: remote } = bound ?? {};
  return {
    tool: typeof server === "string" && typeof remote === "string" ? `${server} · ${remote}` : tool,
    args,
    files: typeof path === "string" ? [path] : [],
    directory: cwd,
    isBuiltIn: true,
  };
}

const ACP_KINDS: ReadonlySet<AgentKind | undefined> = new Set(["acp", "cursor", "opencode"] as const);

/**
 * True for a call that would be read as one of another kind of agent. A model writes all arguments of a tool; spelled
 * so, some of them would not be shown, or another tool's name.
 */
export function isSpelledByAnother(member: string, request: Approval, kind: AgentKind | undefined): boolean {
  const fields = readFields(request.call);
  if (fields === undefined) return false;
  if (readBuiltIn(member, request.tool, fields) !== undefined) return kind !== "openai";
  return readAcp(request, fields) !== undefined && !ACP_KINDS.has(kind);
}

function isKnownBound([key, value]: readonly [string, Json]): boolean {
  if (key === "before") return value === null || typeof value === "string";
  return typeof value === "string" && (key === "path" || key === "server" || key === "tool");
}

/** A call as described by an ACP agent, with the title and the diff of the request. */
function readAcp(request: Approval, fields: Fields): Read | undefined {
  const { title, args, paths, diff, ...others } = fields;
  const matchesRequest = title === request.title && (diff === undefined || diff === request.diff);
  const files = Array.isArray(paths) ? paths.filter((one) => typeof one === "string") : [];
  const isKnown = matchesRequest && Object.keys(others).length === 0 && (paths === undefined || files.length > 0);
  if (!isKnown || !(args === undefined || isFields(args))) return undefined;
  return { tool: request.tool, args: args ?? {}, files };
}

/** Shown by the diff. */
const CONTENT_KEYS: ReadonlySet<string> = new Set([...EDIT_TEXT_KEYS, "edits", "changes"]);

function filesIn(args: Fields): string[] {
  const named = PATH_KEYS.flatMap((key) => (typeof args[key] === "string" ? [args[key]] : []));
  const changes = Array.isArray(args["changes"]) ? args["changes"] : [];
  const changed = changes.flatMap((one) => {
    const { path, kind } = isFields(one) ? one : {};
    return [path, isFields(kind) ? kind["move_path"] : undefined].filter((name) => typeof name === "string");
  });
  return [...named, ...changed];
}

function without(args: Fields, isLeftOut: (key: string) => boolean): Fields {
  return Object.fromEntries(Object.entries(args).filter(([key]) => !isLeftOut(key)));
}

/** Undefined for anything but a JSON object, such as most commands. */
function readFields(call: string): Fields | undefined {
  if (!call.startsWith("{")) return undefined;
  try {
    const value = JSON.parse(call) as Json;
    return isFields(value) ? value : undefined;
  } catch {
    // A command that begins with a brace.
    return undefined;
  }
}

function isFields(value: Json | undefined): value is Record<string, Json> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
