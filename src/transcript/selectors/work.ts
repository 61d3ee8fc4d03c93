/** The work of a turn, in the same text for every view: one line per call, and one line for all that is folded away. */
import { plural } from "../../kit/text/format.ts";
import { EDITORS, PATH_KEYS, SHELLS, type Json } from "../../protocol/index.ts";
import { countChanges, formatWorkTime, formatSize, type LineChanges } from "../format/units.ts";
import type { ToolBlock, TurnMessage } from "../messages.ts";
import { argumentFields } from "../requests/argument-fields.ts";
import { coveredMs, isDenied, toolApproval } from "./turn.ts";

/** What a call does: "read src/worker.ts 1–140", "$ npm test". A command has the verb "$". */
export interface ToolAction {
  readonly verb: string;
  /** The file, command, expression or address. */
  readonly target: string;
  /** What else tells calls apart: "1–140", "in src". */
  readonly detail?: string;
  readonly changes?: LineChanges;
}

export interface ToolStatus {
  readonly kind: "running" | "background" | "waits" | "ok" | "failed" | "denied" | "stopped";
  /** What came of it, without its time: "exit 2", "denied: use npm ci instead", "". */
  readonly text: string;
  /** Further facts, in order: "truncated, 64 kB of 9.1 MB", "allowed once". */
  readonly facts: readonly string[];
}

type Fields = Readonly<Record<string, Json>>;

const TARGET_CHARS_MAX = 4000;

export function toolAction(tool: ToolBlock, cwd = ""): ToolAction {
  const args = fieldsOf(tool.args);
  const name = tool.name.toLowerCase().replace(/^mcp__.+__/, "");
  const command = commandOf(tool, args, name);
  if (command !== undefined) return { verb: "$", target: command };
  const path = relative(first(args, PATH_KEYS) ?? "", cwd);
  if (tool.toolKind === "edit" || EDITORS.has(name)) return editAction(tool, args, name, path, cwd);
  if (tool.toolKind === "read" && path !== "") return { verb: "read", target: path, ...lines(args) };
  const pattern = first(args, ["pattern", "query", "regex", "expression", "glob_pattern", "search"]);
  if (tool.toolKind === "search" && pattern !== undefined) return searchAction(tool, pattern, path);
  const url = first(args, ["url", "uri"]);
  if (url !== undefined) return { verb: "fetch", target: url };
  return otherAction(tool, cwd);
}

function editAction(tool: ToolBlock, args: Fields, name: string, path: string, cwd: string): ToolAction {
  const changes = tool.diff === undefined || tool.diff === "" ? {} : { changes: countChanges(tool.diff) };
  const to = relative(first(args, ["to", "destination", "new_path", "newPath", "move_path"]) ?? "", cwd);
  if (to !== "" && path !== "") return { verb: "move", target: `${path} → ${to}`, ...changes };
  const target = path === "" ? changedFiles(args, tool.diff, cwd) : path;
  if (target === "") return { ...otherAction(tool, cwd), ...changes };
  if (name === "delete") return { verb: "delete", target, ...changes };
  const isNew =
    /^--- \/dev\/null$/m.test(tool.diff ?? "") || (tool.diff === undefined && /^(?:write|create)/.test(name));
  return { verb: isNew ? "write" : "edit", target, ...changes };
}

/** Of a patch, which has no path of its own. */
function changedFiles(args: Fields, diff: string | undefined, cwd: string): string {
  const changes = Array.isArray(args["changes"]) ? args["changes"] : [];
  const named = changes.flatMap((one) => first(fieldsOf(one), ["path"]) ?? []);
  const patched = [...(diff ?? "").matchAll(/^\+\+\+ (?:b\/)?(.+?)\t?$/gm)].map(([, file = ""]) => file);
  const files = [...new Set((named.length > 0 ? named : patched).map((file) => relative(file, cwd)))];
  return files.length > 2 ? `${files[0]} and ${files.length - 1} more files` : files.join(", ");
}

function searchAction(tool: ToolBlock, pattern: string, path: string): ToolAction {
  const [, count = ""] =
    /^(?:Found )?([\d,]+ (?:match(?:es)?|files?|results?)(?: in [\d,]+ files?)?)\b/i.exec(tool.result ?? "") ?? [];
  const detail = [path === "" || path === "." ? "" : `in ${path}`, count].filter((part) => part !== "").join(" · ");
  return { verb: "search", target: oneLine(pattern), ...(detail === "" ? {} : { detail }) };
}

function otherAction({ title, name, args }: ToolBlock, cwd: string): ToolAction {
  if (title !== undefined && title !== "")
    return { verb: "", target: oneLine(title).replaceAll(`${cwd}/`, cwd === "" ? "/" : "") };
  const [, server, own] = /^mcp__(.+?)__(.+)$/.exec(name) ?? [];
  const texts = argumentFields(args).map(({ text }) => oneLine(text));
  return {
    verb: server === undefined ? name : `${server} · ${own}`,
    target: texts.join(" ").slice(0, TARGET_CHARS_MAX),
  };
}

/** The line that would run. Agents that send a list wrap it in a shell of their own. */
function commandOf({ toolKind, title }: ToolBlock, args: Fields, name: string): string | undefined {
  if (toolKind !== "execute" && !SHELLS.has(name)) return undefined;
  const { command, cmd = command } = args;
  if (typeof cmd === "string") return oneLine(cmd);
  if (!Array.isArray(cmd)) return title === undefined ? undefined : oneLine(title.replace(/^\$ /, ""));
  const argv = cmd.map(String);
  const isShell = argv.length === 3 && /^-l?c$/.test(argv[1] ?? "");
  return oneLine(isShell ? (argv[2] ?? "") : argv.join(" "));
}

function lines({ offset, limit, line, start_line: start = offset ?? line, end_line: end }: Fields): {
  detail?: string;
} {
  const from = typeof start === "number" ? Math.max(1, start) : 1;
  const to = typeof end === "number" ? end : typeof limit === "number" ? from + limit - 1 : undefined;
  if (to !== undefined) return { detail: `${from}–${to}` };
  return typeof start === "number" && from > 1 ? { detail: `from ${from}` } : {};
}

function first(args: Fields, keys: readonly string[]): string | undefined {
  return keys.map((key) => args[key]).find((value) => typeof value === "string" && value !== "") as string | undefined;
}

function fieldsOf(args: Json): Fields {
  return typeof args === "object" && args !== null && !Array.isArray(args) ? args : {};
}

function relative(path: string, cwd: string): string {
  if (cwd !== "" && path === cwd) return ".";
  return cwd !== "" && path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;
}

/** Its first lines, joined: a command may be a whole script. */
function oneLine(text: string): string {
  return text
    .slice(0, TARGET_CHARS_MAX)
    .trim()
    .replaceAll(/\s*\n\s*/g, " ");
}

/** A server that was started keeps running although its call is over. */
export function isInBackground({ args, state }: ToolBlock): boolean {
  const { run_in_background: flag, is_background: other = flag } = fieldsOf(args);
  return other === true && state === "success";
}

export function toolStatus(tool: ToolBlock): ToolStatus {
  const approval = toolApproval(tool);
  if (tool.state === "pending") {
    const isOpen = approval?.kind === "open";
    const allowed = isOpen || approval === undefined ? [] : [approval.text];
    return isOpen ? { kind: "waits", text: approval.text, facts: [] } : { kind: "running", text: "", facts: allowed };
  }
  if (isDenied(tool)) return { kind: "denied", text: approval?.text ?? "denied", facts: [] };
  const facts = [
    ...(tool.truncated === undefined ? [] : [truncation(tool.truncated)]),
    ...(approval === undefined ? [] : [approval.text]),
  ];
  if (tool.state === "interrupted") return { kind: "stopped", text: "stopped by you", facts };
  if (tool.state === "error") return { kind: "failed", text: failureReason(tool), facts };
  if (tool.state === "finished") return { kind: "ok", text: "no exit code reported", facts };
  return { kind: isInBackground(tool) ? "background" : "ok", text: "", facts };
}

function truncation({ shownBytes, totalBytes }: NonNullable<ToolBlock["truncated"]>): string {
  return `truncated, ${formatSize(shownBytes)} of ${formatSize(totalBytes)}`;
}

/** Short enough for the row of its call; empty when the lines below say it. */
function failureReason({ error, result = "", output }: ToolBlock): string {
  const message = error?.message ?? "";
  const [, code] = /\bexit(?:ed)?(?: with)?(?: code| status)? (\d+)/i.exec(`${message}\n${result.slice(-200)}`) ?? [];
  if (code !== undefined) return `exit ${code}`;
  if (/\btimed? ?out\b|\btime limit\b/i.test(message)) return "time limit";
  return message === "" && result === "" && output === "" ? "failed" : "";
}

/** True when it adds nothing to the row of the call. */
const BARE_REASON = /^\(?(?:exit(?:ed with)? (?:code|status) \d+|timed out)\)?\.?$/i;

/** The lines that tell why a call failed, the newest last; the reason on its row is not among them. */
export function failureLines({ error, result = "", output }: ToolBlock): string[] {
  const printed = [result, output].find((text) => text.trim() !== "") ?? "";
  const message = error?.message ?? "";
  if (printed === "" && BARE_REASON.test(message.trim())) return [];
  const isReason = /^(?:\(?exit code|command failed)|\btimed? ?out\b/i.test(message.trim());
  const text =
    printed === "" || (!isReason && message !== "" && !printed.includes(message)) ? `${printed}\n${message}` : printed;
  return text
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "" && !/^\(exit code \d+\)$/.test(line));
}

const DOING: Record<NonNullable<ToolBlock["toolKind"]>, (count: number) => string> = {
  read: (count) => `read ${plural(count, "file")}`,
  search: (count) => `searched ${count === 1 ? "once" : `${count} times`}`,
  edit: (count) => `edited ${plural(count, "file")}`,
  execute: (count) => `ran ${plural(count, "command")}`,
  ask: (count) => `asked ${count === 1 ? "once" : `${count} times`}`,
  agent: (count) => `started ${plural(count, "agent")}`,
  other: (count) => `used ${plural(count, "tool")}`,
};

type Kind = keyof typeof DOING;

/** "read 6 files, ran 2 commands (1 failed), 1 call denied · 8 s"; empty without calls. */
export function formatWork(tools: readonly ToolBlock[]): string {
  const { true: denied = [], false: done = [] } = Object.groupBy(tools, (tool) => `${isDenied(tool)}`);
  const byKind = Map.groupBy(done, kindOf);
  const texts = [...byKind].map(([kind, calls]) => {
    const failed = calls.filter((tool) => toolStatus(tool).kind === "failed").length;
    return DOING[kind](countOf(kind, calls)) + (failed === 0 ? "" : ` (${failed} failed)`);
  });
  // Nothing was run, read or searched by these.
  if (denied.length > 0) texts.push(`${plural(denied.length, "call")} denied`);
  const ms = coveredMs(tools);
  if (texts.length === 0) return "";
  return `${texts.join(", ")}${ms < 50 ? "" : ` · ${formatWorkTime(ms < 1000 ? ms : Math.round(ms / 1000) * 1000)}`}`;
}

function kindOf({ toolKind, name }: ToolBlock): Kind {
  return toolKind ?? (SHELLS.has(name.toLowerCase()) ? "execute" : "other");
}

/** A file that was read twice is one file. */
function countOf(kind: Kind, calls: readonly ToolBlock[]): number {
  if (kind !== "read" && kind !== "edit") return calls.length;
  return new Set(calls.map((tool) => toolAction(tool).target)).size;
}

/** Edits are results: each has its own line in the turn and is never folded. */
export function isEdit(tool: ToolBlock): boolean {
  return tool.toolKind === "edit" || (tool.toolKind === undefined && EDITORS.has(tool.name.toLowerCase()));
}

/**
 * True for a call that the turn's work line stands for. While the turn is open, what did not go well stays in sight.
 */
export function isFoldedWork(tool: ToolBlock, { end }: Pick<TurnMessage, "end">): boolean {
  if (tool.state === "pending" || isEdit(tool)) return false;
  return end !== undefined || toolStatus(tool).kind === "ok";
}
