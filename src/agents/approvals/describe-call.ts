/**
 * Reads out of an approval request what the call is about, whichever agent asks.
 * Promise: what cannot be read for certain makes the call one that rules may refuse but never allow.
 */
import { lstatSync, realpathSync } from "node:fs";
import path from "node:path";
import { canonicalJson } from "./canonical-json.ts";
import type { Json } from "../../protocol/index.ts";
import { isInside } from "../embedded/tools/inside.ts";
import type { AskedCall, Subject } from "./asked-call.ts";
import { unwrapCommand } from "./simple-command.ts";

/** The tools of the agents we drive, by what they do; compared in lower case. */
const SHELLS = new Set([
  "shell",
  "bash",
  "powershell",
  "execute",
  "terminal",
  "run_shell_command",
  "run_terminal_cmd",
  "exec_command",
]);
const EDITORS = new Set([
  "edit",
  "write",
  "multiedit",
  "notebookedit",
  "apply_patch",
  "replace",
  "write_file",
  "edit_file",
  "delete",
  "move",
]);
/** They do more to a path than to change what is in the file, or do it to a second one. */
const MORE_THAN_EDITORS = new Set(["delete", "move"]);
/** Beside a command these change nothing of what it does. */
const BESIDE_COMMAND = new Set(["command", "description", "timeout", "timeout_seconds", "timeoutSeconds"]);
const PATH_KEYS = ["path", "file_path", "filePath", "notebook_path", "absolute_path", "target_file"];
const CALL_CHARS_MAX = 256 * 1024;
const PATHS_MAX = 200;
const LEVELS_MAX = 256;

type Fields = Readonly<Record<string, Json>>;

export function describeCall({ tool, call }: { tool: string; call: string }, cwd: string): AskedCall {
  const fields = parseFields(call);
  const own = fields === null ? null : readOwn(fields);
  if (own !== null) return describeOwn(tool, own);
  const name = tool.toLowerCase();
  if (SHELLS.has(name)) return describeCommand(tool, call, fields);
  const described = EDITORS.has(name) && fields !== null ? describePaths(tool, fields, cwd) : null;
  return described ?? whole(tool, { kind: "call", text: call });
}

/** Of the built-in agent: a foreign tool that goes by the name of a shell is none. */
function describeOwn(tool: string, { args, path: changed }: Own): AskedCall {
  if (tool === "shell") return describeCommand(tool, "", args);
  if (changed === undefined) return whole(tool, { kind: "call", text: canonicalJson(args) });
  return { tool, changesFiles: true, subjects: [{ kind: "path", text: changed }], isWhole: true };
}

function describeCommand(tool: string, call: string, args: Fields | null): AskedCall {
  if (args === null) return whole(tool, { kind: "command", text: unwrapCommand(call) });
  const command = args["command"];
  if (typeof command !== "string") return whole(tool, { kind: "call", text: canonicalJson(args) });
  const isWhole = Object.keys(args).every((key) => BESIDE_COMMAND.has(key));
  const subject: Subject = { kind: "command", text: unwrapCommand(command) };
  return { tool, changesFiles: false, subjects: [subject, ...(isWhole ? [] : exactly(args))], isWhole };
}

/** Of a call with more to it than its subjects tell, only exactly the same one is the same. */
function exactly(args: Fields): Subject[] {
  return [{ kind: "call", text: canonicalJson(args) }];
}

function whole(tool: string, subject: Subject): AskedCall {
  return { tool, changesFiles: false, subjects: [subject], isWhole: true };
}

/** Null when no path is named. */
function describePaths(tool: string, args: Fields, cwd: string): AskedCall | null {
  const { names, isWhole } = pathsIn(args);
  if (names.length === 0 || names.length > PATHS_MAX) return null;
  const real = names.map((name) => realName(cwd, name));
  const isAll = isWhole && !real.includes(null) && !MORE_THAN_EDITORS.has(tool.toLowerCase());
  const subjects = names.map((name, at): Subject => ({ kind: "path", text: real[at] ?? name }));
  return { tool, changesFiles: true, subjects: [...subjects, ...(isAll ? [] : exactly(args))], isWhole: isAll };
}

function pathsIn(args: Fields): { names: string[]; isWhole: boolean } {
  const inner = asFields(args["args"]);
  if (inner !== null) return pathsIn(inner);
  const direct = PATH_KEYS.flatMap((key) => (typeof args[key] === "string" ? [args[key]] : []));
  const changes = args["changes"];
  if (!Array.isArray(changes)) return { names: direct, isWhole: true };
  const listed = changes.map((change) => {
    const fields = asFields(change);
    const kind = asFields(fields?.["kind"]);
    const moved = kind?.["move_path"];
    return [fields?.["path"], ...(typeof moved === "string" ? [moved] : [])];
  });
  const names = listed.flat().filter((name): name is string => typeof name === "string");
  const isWhole = args["grantRoot"] === undefined && names.length >= changes.length && names.length > 0;
  return { names: [...direct, ...names], isWhole };
}

/** The call as the built-in agent spells it, with the path that its plan is bound to. */
interface Own {
  readonly args: Fields;
  readonly path?: string;
}

function readOwn(fields: Fields): Own | null {
  const args = asFields(fields["args"]);
  const isOwn = args !== null && ["cwd", "member", "tool"].every((key) => typeof fields[key] === "string");
  if (!isOwn) return null;
  const bound = asFields(fields["bound"])?.["path"];
  return { args, ...(typeof bound === "string" ? { path: bound } : {}) };
}

/** From the session's directory, links resolved; absolute when it is outside; null when that cannot be told. */
function realName(cwd: string, name: string): string | null {
  if (name === "" || name.includes("\0")) return null;
  try {
    const root = realpathSync(cwd);
    const real = resolveLinks(path.resolve(cwd, name));
    if (real === null) return null;
    const shown = isInside(root, real) ? path.relative(root, real) : real;
    return shown.split(path.sep).join("/");
  } catch {
    // Not readable for us: nobody can say where it leads.
    return null;
  }
}

function resolveLinks(full: string): string | null {
  const rest: string[] = [];
  let at = full;
  for (let level = 0; level < LEVELS_MAX; level++) {
    try {
      return path.join(realpathSync(at), ...rest);
    } catch (thrown) {
      if (!(thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT")) return null;
    }
    // A link to nowhere is made real by writing to it, wherever it leads.
    if (path.dirname(at) === at || lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink() === true) return null;
    rest.unshift(path.basename(at));
    at = path.dirname(at);
  }
  return null;
}

function parseFields(call: string): Fields | null {
  if (!call.startsWith("{") || call.length > CALL_CHARS_MAX) return null;
  try {
    return asFields(JSON.parse(call) as Json);
  } catch {
    // A command that begins with a brace.
    return null;
  }
}

function asFields(value: Json | undefined): Fields | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;
}
