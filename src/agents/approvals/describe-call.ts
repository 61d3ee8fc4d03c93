/**
 * Reads out of an approval request what the call is about, whichever agent asks.
 * Promise: what cannot be read for certain makes the call one that rules may refuse but never allow.
 */
import { lstatSync, realpathSync } from "node:fs";
import path from "node:path";
import {
  BESIDE_COMMAND,
  BESIDE_PATH,
  EDITORS,
  MORE_THAN_EDITORS,
  PATH_KEYS,
  SHELLS,
  type AgentKind,
  type Json,
} from "../../protocol/index.ts";
import { isInside } from "../embedded/tools/inside.ts";
import type { AskedCall, Subject } from "./asked-call.ts";
import { asFields, parseFields, type CallFields as Fields } from "./call-fields.ts";
import { canonicalJson } from "./canonical-json.ts";
import { unwrapCommand } from "./simple-command.ts";

const PATHS_MAX = 200;
const LEVELS_MAX = 256;

/** By who asks, never by how it looks: a model can write a command that looks like a call of the built-in agent. */
export function describeAsked(
  request: { tool: string; call: string },
  { kind, cwd }: { kind: AgentKind | undefined; cwd: string },
): AskedCall {
  return kind === "openai" ? describeOwnCall(request) : describeCall(request, cwd);
}

export function describeCall({ tool, call }: { tool: string; call: string }, cwd: string): AskedCall {
  const fields = parseFields(call);
  const name = tool.toLowerCase();
  if (SHELLS.has(name)) return describeCommand(tool, call, fields);
  const described = EDITORS.has(name) && fields !== null ? describePaths(tool, fields, cwd) : null;
  return described ?? whole(tool, { kind: "call", text: call });
}

/**
 * Of the built-in agent, which binds a call to the path that it has planned for. Only for calls that it spelled itself:
 * in another agent's call the same fields may be words of its model.
 */
export function describeOwnCall({ tool, call }: { tool: string; call: string }): AskedCall {
  const fields = parseFields(call);
  const own = fields === null ? null : readOwn(fields);
  if (own === null) return whole(tool, { kind: "call", text: call });
  // A foreign tool that goes by the name of a shell is none.
  if (tool === "shell") return describeCommand(tool, canonicalJson(own.args), own.args);
  if (own.path === undefined) return whole(tool, { kind: "call", text: canonicalJson(own.args) });
  return { tool, changesFiles: true, subjects: [{ kind: "path", text: own.path }], isWhole: true };
}

function describeCommand(tool: string, call: string, args: Fields | null): AskedCall {
  if (args === null) return whole(tool, { kind: "command", text: unwrapCommand(call) });
  const command = args["command"];
  const isCommand = typeof command === "string";
  const isWhole = isCommand && Object.keys(args).every((key) => BESIDE_COMMAND.has(key));
  // Without a command that is known as one, the whole of it is, so that rules about shells still refuse it.
  const subject: Subject = { kind: "command", text: isCommand ? unwrapCommand(command) : call };
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
  const texts = new Set(names.map((name, at) => real[at] ?? name));
  const subjects = [...texts].map((text): Subject => ({ kind: "path", text }));
  return { tool, changesFiles: true, subjects: [...subjects, ...(isAll ? [] : exactly(args))], isWhole: isAll };
}

interface Paths {
  readonly names: readonly string[];
  /** Whether they are all that the call is about. */
  readonly isWhole: boolean;
}

/**
 * Every path that is named counts, wherever it stands: one that only one of two places names would otherwise hide the
 * other. What an agent merely lists is all of it only with the diff that goes with it and nothing else beside it.
 */
function pathsIn(args: Fields): Paths {
  const inner = asFields(args["args"]);
  const parts = [args, ...(inner === null ? [] : [inner])].flatMap((part) => [namedPaths(part), changedPaths(part)]);
  const named = parts.flatMap(({ names }) => names);
  const listed = [...textsIn(args["paths"]), ...textsIn(inner?.["paths"])];
  const isTold = named.length > 0 || (args["args"] === undefined && typeof args["diff"] === "string");
  const isWhole = isTold && parts.every((part) => part.isWhole) && isUnderstood(args) && isUnderstood(inner ?? {});
  return { names: [...new Set([...named, ...listed])], isWhole };
}

/** What a change is told by that is read for its paths, or made of parts that are looked at one by one. */
const READ_KEYS: ReadonlySet<string> = new Set([...PATH_KEYS, "args", "paths", "changes", "files", "grantRoot"]);

/** A key that nobody knows may name another file. */
function isUnderstood(args: Fields): boolean {
  return Object.entries(args).every(([key, value]) => {
    if (key === "edits") return Array.isArray(value) && value.every((edit) => isOnlyText(asFields(edit)));
    return READ_KEYS.has(key) || (BESIDE_PATH.has(key) && (typeof value !== "object" || value === null));
  });
}

function isOnlyText(edit: Fields | null): boolean {
  return (
    edit !== null && Object.entries(edit).every(([key, value]) => BESIDE_PATH.has(key) && typeof value !== "object")
  );
}

function namedPaths(args: Fields): Paths {
  const names = PATH_KEYS.flatMap((key) => (typeof args[key] === "string" ? [args[key]] : []));
  // opencode names all files of a patch in one text.
  const pieces = names.flatMap((name) => (name.includes(", ") ? name.split(", ") : []));
  const isJoined = typeof args["filepath"] === "string" && (pieces.length > 0 || args["files"] !== undefined);
  return { names: isJoined ? [...names, ...pieces] : names, isWhole: !isJoined };
}

function changedPaths(args: Fields): Paths {
  const changes = args["changes"];
  if (!Array.isArray(changes)) return { names: [], isWhole: true };
  const listed = changes.map((change) => {
    const fields = asFields(change);
    const kind = asFields(fields?.["kind"]);
    const moved = kind?.["move_path"];
    return [fields?.["path"], ...(typeof moved === "string" ? [moved] : [])];
  });
  const names = listed.flat().filter((name): name is string => typeof name === "string");
  const isWhole = args["grantRoot"] === undefined && names.length >= changes.length && names.length > 0;
  return { names, isWhole };
}

function textsIn(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];
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
