/** What a call that waits for approval does, read out of the text it is written as: a command, a change of files, or a tool with its arguments. */
import { EDITORS, MORE_THAN_EDITORS, PATH_KEYS, SHELLS, type Json, type UiRequestBody } from "../../protocol/index.ts";
import { argumentFields, type ArgumentField } from "./argument-fields.ts";

export interface DescribedCall {
  readonly kind: "command" | "edit" | "tool";
  readonly tool: string;
  /** What happens to the files: "edit", "delete" or "move". */
  readonly verb: string;
  /** The agent's own words, where they say more than what is read out of the call. */
  readonly title?: string;
  /** Why, where the agent says so. */
  readonly reason?: string;
  readonly command?: { readonly line: string; readonly directory?: string };
  readonly files: readonly string[];
  readonly fields: readonly ArgumentField[];
}

type Fields = Readonly<Record<string, Json>>;
type Approval = Extract<UiRequestBody, { method: "approval" }>;

interface Read {
  readonly tool: string;
  readonly args: Fields;
  readonly files: readonly string[];
  readonly directory?: string;
  /** Then the title only repeats the call, and the path is the one that was looked at. */
  readonly isBuiltIn?: true;
}

export function describeCall(member: string, request: Approval): DescribedCall {
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
  const read = readBuiltIn(member, tool, fields) ?? readAcp(request, fields) ?? { tool, args: fields, files: [] };
  const shownTitle = read.isBuiltIn === true ? {} : ownTitle;
  if (SHELLS.has(name)) return { ...shownTitle, ...describeCommand(read) };
  const hasOwnFiles = read.isBuiltIn === true && read.files.length > 0;
  const files = hasOwnFiles ? read.files : [...new Set([...read.files, ...filesIn(read.args)])];
  if (!EDITORS.has(name) || files.length === 0) {
    return { ...shownTitle, ...ofTool(read.tool), fields: argumentFields(read.args) };
  }
  const hasDiff = request.diff !== undefined && request.diff !== "";
  const others = without(read.args, (key) => PATH_KEYS.includes(key) || (hasDiff && CONTENT_KEYS.has(key)));
  const verb = MORE_THAN_EDITORS.has(name) ? name : "edit";
  return { ...shownTitle, ...ofTool(read.tool), kind: "edit", verb, files, fields: argumentFields(others) };
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

/** The built-in agent binds its call to who makes it, where, and what it has seen. */
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

function isKnownBound([key, value]: readonly [string, Json]): boolean {
  if (key === "before") return value === null || typeof value === "string";
  return typeof value === "string" && (key === "path" || key === "server" || key === "tool");
}

/** What an ACP agent tells of a call, with the title and the diff that the request has too. */
function readAcp(request: Approval, fields: Fields): Read | undefined {
  const { title, args, paths, diff, ...others } = fields;
  const matchesRequest = title === request.title && (diff === undefined || diff === request.diff);
  const files = Array.isArray(paths) ? paths.filter((one) => typeof one === "string") : [];
  const isKnown = matchesRequest && Object.keys(others).length === 0 && (paths === undefined || files.length > 0);
  if (!isKnown || !(args === undefined || isFields(args))) return undefined;
  return { tool: request.tool, args: args ?? {}, files };
}

/** What a diff shows better. */
const CONTENT_KEYS: ReadonlySet<string> = new Set([
  "content",
  "old_string",
  "new_string",
  "oldString",
  "newString",
  "oldText",
  "newText",
  "old_str",
  "new_str",
  "old_text",
  "new_text",
  "new_source",
  "file_text",
  "edits",
  "changes",
]);

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

/** Undefined for what is no JSON object, as most commands are not. */
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
