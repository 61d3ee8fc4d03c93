/**
 * Linggen's tool names, and the status lines that both of its clients parse: what a call does, did or failed to do,
 * then a colon and its subject.
 */
import type { Json } from "../../../src/protocol/index.ts";

export interface ToolFacts {
  readonly name: string;
  readonly args: Json;
  readonly title?: string | undefined;
  readonly toolKind?: string | undefined;
}

export interface ToolLine {
  /** Such as "Read" or "Bash"; the agent's own name where linggen has none. */
  readonly tool: string;
  /** Subject of the call, on one line. */
  readonly arg: string;
  /** The subject is not known yet; `arg` is the tool name. */
  readonly isBare: boolean;
}

interface ToolLabels {
  readonly doing: string;
  readonly done: string;
  readonly failed: string;
}

/** Without a prototype, since tool names may be anything. */
const TOOL_LABELS: ReadonlyMap<string, ToolLabels> = new Map(
  Object.entries({
    Read: { doing: "Reading file", done: "Read file", failed: "Read failed" },
    Write: { doing: "Writing file", done: "Wrote file", failed: "Write failed" },
    Edit: { doing: "Editing file", done: "Edited file", failed: "Edit failed" },
    Bash: { doing: "Running command", done: "Ran command", failed: "Command failed" },
    Grep: { doing: "Searching", done: "Searched", failed: "Search failed" },
    Glob: { doing: "Listing files", done: "Listed files", failed: "List files failed" },
    Delegate: { doing: "Delegating to subagent", done: "Delegated to subagent", failed: "Delegation failed" },
    WebFetch: { doing: "Fetching URL", done: "Fetched URL", failed: "Fetch failed" },
    WebSearch: { doing: "Searching web", done: "Searched web", failed: "Web search failed" },
  }),
);

/** Compared in lower case, letters only. */
const NAMES: readonly (readonly [tool: string, names: readonly string[]])[] = [
  ["Read", ["read", "readfile", "view", "cat", "readtextfile", "readmanyfiles"]],
  ["Write", ["write", "writefile", "create", "createfile", "writetextfile"]],
  ["Edit", ["edit", "multiedit", "editfile", "applypatch", "replace", "strreplace", "notebookedit", "patch"]],
  ["Bash", ["bash", "shell", "execute", "terminal", "runshellcommand", "runterminalcmd", "execcommand", "powershell"]],
  ["Grep", ["grep", "search", "searchtext", "searchfiles", "searchfilecontent", "codebasesearch"]],
  ["Glob", ["glob", "ls", "list", "listfiles", "listdirectory", "listdir", "findfiles", "find"]],
  ["Delegate", ["task", "agent", "delegate", "delegatetoagent", "spawn", "agentsmessage", "subagent", "spawnsubagent"]],
  ["WebFetch", ["webfetch", "fetch", "fetchurl"]],
  ["WebSearch", ["websearch", "googlewebsearch"]],
];
const TOOL_OF: ReadonlyMap<string, string> = new Map(NAMES.flatMap(([tool, names]) => names.map((one) => [one, tool])));
const TOOL_OF_KIND = new Map(Object.entries({ read: "Read", search: "Grep", edit: "Edit", execute: "Bash" }));

const ARG_KEYS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    Read: ["file_path", "path", "filePath", "target_file", "absolute_path", "file"],
    Write: ["file_path", "path", "filePath", "target_file", "file"],
    Edit: ["file_path", "path", "filePath", "notebook_path", "target_file", "file"],
    Bash: ["command", "cmd", "script"],
    Grep: ["pattern", "query", "regex", "text"],
    Glob: ["pattern", "glob", "path", "directory", "query"],
    Delegate: ["to", "agent", "agent_id", "name", "subagent_type", "description", "task"],
    WebFetch: ["url"],
    WebSearch: ["query", "q"],
  }),
);

const ARG_CHARS_MAX = 200;

export function toolLineOf({ name, args, title, toolKind }: ToolFacts): ToolLine {
  const known = TOOL_OF.get(name.toLowerCase().replaceAll(/[^a-z]/g, ""));
  const tool = known ?? TOOL_OF_KIND.get(toolKind ?? "") ?? name;
  const about = argOf(args, ARG_KEYS.get(tool) ?? []) ?? title;
  const isBare = about === undefined && TOOL_LABELS.has(tool);
  return { tool, arg: oneLine(about ?? (isBare ? name : ""), ARG_CHARS_MAX), isBare };
}

export function isWebTool(tool: string): boolean {
  return tool === "WebFetch" || tool === "WebSearch";
}

export function doingLine(line: ToolLine): string {
  return lineOf(line, "doing", "Calling tool");
}

/** For a call whose arguments may follow: clients replace this line with the one that names them. */
export function startingLine(line: ToolLine): string {
  return line.isBare ? `${TOOL_LABELS.get(line.tool)?.doing}...` : doingLine(line);
}

export function doneLine(line: ToolLine): string {
  return lineOf(line, "done", "Used tool");
}

export function failedLine(line: ToolLine): string {
  return lineOf(line, "failed", "Tool failed");
}

function lineOf({ tool, arg }: ToolLine, which: keyof ToolLabels, otherwise: string): string {
  const labels = TOOL_LABELS.get(tool);
  return labels === undefined ? `${otherwise}: ${tool}` : `${labels[which]}: ${arg}`;
}

/** The file of a call, as the agent named it; undefined for calls without a single file. */
export function fileOf({ tool, arg }: ToolLine): string | undefined {
  return (tool === "Read" || tool === "Write" || tool === "Edit") && arg !== "" ? arg : undefined;
}

function argOf(args: Json, keys: readonly string[]): string | undefined {
  if (typeof args === "string") return args;
  if (typeof args !== "object" || args === null || Array.isArray(args)) return undefined;
  for (const key of keys) {
    const value = Object.hasOwn(args, key) ? args[key] : undefined;
    if (typeof value === "string" && value !== "") return value;
    if (Array.isArray(value) && value.every((one) => typeof one === "string")) return value.join(" ");
  }
  return undefined;
}

function oneLine(text: string, charsMax: number): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  const letters = Array.from(line);
  return letters.length <= charsMax ? line : `${letters.slice(0, charsMax - 3).join("")}...`;
}
