/**
 * Reads out of an approval request what the call is about, whichever agent asks.
 * Promise: what cannot be read for certain makes the call one that rules may refuse but never allow.
 */
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
import type { PendingCall, Subject } from "./pending-call.ts";
import { asFields, parseFields, stringsIn, canonicalJson, type CallFields as Fields } from "./call-fields.ts";
import { realPath, type RealPath } from "./real-path.ts";

const PATHS_MAX = 200;

/** By who asks, never by how it looks: a model can write a command that looks like a call of the built-in agent. */
export function describePendingCall(
  request: { tool: string; call: string },
  { kind, cwd }: { kind: AgentKind | undefined; cwd: string },
): PendingCall {
  return kind === "openai" ? describeOwnCall(request) : describeCall(request, cwd);
}

export function describeCall({ tool, call }: { tool: string; call: string }, cwd: string): PendingCall {
  const fields = parseFields(call);
  const name = tool.toLowerCase();
  if (SHELLS.has(name)) return describeCommand(tool, call, fields, cwd);
  if (!EDITORS.has(name)) return { ...whole(tool, { kind: "call", text: call }), cwd };
  return { ...(fields === null ? unread(tool, call) : describePaths(tool, fields, call, cwd)), cwd };
}

/**
 * Of the built-in agent, which binds a call to the path that it has planned for. Only for calls that it spelled itself:
 * in another agent's call the same fields may be words of its model.
 */
export function describeOwnCall({ tool, call }: { tool: string; call: string }): PendingCall {
  const fields = parseFields(call);
  const own = fields === null ? null : readOwn(fields);
  if (own === null) return whole(tool, { kind: "call", text: call });
  const { args, cwd } = own;
  // A foreign tool that goes by the name of a shell is none.
  if (tool === "shell") return describeCommand(tool, canonicalJson(args), args, cwd);
  if (own.path === undefined) return { ...whole(tool, { kind: "call", text: canonicalJson(args) }), cwd };
  const written = args["path"];
  const aliases = typeof written === "string" && written !== own.path ? { aliases: [written] } : {};
  return { tool, changesFiles: true, subjects: [{ kind: "path", text: own.path, ...aliases }], isWhole: true, cwd };
}

function describeCommand(tool: string, call: string, args: Fields | null, cwd: string): PendingCall {
  if (args === null) return { ...whole(tool, { kind: "command", text: unwrapCommand(call) }), cwd };
  const command = args["command"];
  const isCommand = typeof command === "string";
  const isWhole = isCommand && Object.keys(args).every((key) => BESIDE_COMMAND.has(key));
  // Without a command that is known as one, the whole of it is, so that rules about shells still refuse it.
  const subject: Subject = { kind: "command", text: isCommand ? unwrapCommand(command) : call };
  const subjects = [subject, ...(isWhole ? [] : exactly(args))];
  return { tool, changesFiles: false, subjects, isWhole, cwd: directoryIn(args, cwd) };
}

const DIRECTORY_KEYS = ["cwd", "workdir", "directory", "dir_path"];

function directoryIn(args: Fields, cwd: string): string {
  const named = DIRECTORY_KEYS.map((key) => args[key]).find((value) => typeof value === "string");
  return typeof named === "string" ? path.resolve(cwd, named) : cwd;
}

/** Of a call with more to it than its subjects tell, only exactly the same one is the same. */
function exactly(args: Fields): Subject[] {
  return [{ kind: "call", text: canonicalJson(args) }];
}

function whole(tool: string, subject: Subject): PendingCall {
  return { tool, changesFiles: false, subjects: [subject], isWhole: true };
}

/** Changes files, and nobody knows which. */
function unread(tool: string, call: string): PendingCall {
  return { tool, changesFiles: true, subjects: [{ kind: "call", text: call }], isWhole: false };
}

function describePaths(tool: string, args: Fields, call: string, cwd: string): PendingCall {
  const { names, isWhole } = pathsIn(args);
  const real = names.map((name) => realPath(cwd, name));
  const isCertain = real.every((one) => one !== null && !one.isDangling) && names.length <= PATHS_MAX;
  const isAll = isWhole && isCertain && names.length > 0 && !MORE_THAN_EDITORS.has(tool.toLowerCase());
  const others = isAll ? [] : stringsIn(args, BESIDE_PATH).filter((one) => !names.includes(one));
  const named = names.map((name, at) => pathSubject(name, real[at] ?? null));
  const further = others.map((name) => pathSubject(name, realPath(cwd, name)));
  const subjects = merged([...named, ...further]);
  if (names.length === 0) return { ...unread(tool, call), subjects: [...subjects, { kind: "call", text: call }] };
  return { tool, changesFiles: true, subjects: [...subjects, ...(isAll ? [] : exactly(args))], isWhole: isAll };
}

/** By where it leads; a link to nowhere keeps its name, as nobody knows what becomes of it. */
function pathSubject(name: string, real: RealPath | null): Subject {
  if (real === null) return { kind: "path", text: name };
  const text = real.isDangling ? name : real.name;
  const aliases = [...new Set([real.name, real.written])].filter((one) => one !== text);
  return { kind: "path", text, ...(aliases.length === 0 ? {} : { aliases }) };
}

function merged(subjects: readonly Subject[]): Subject[] {
  const byText = new Map<string, Subject>();
  for (const one of subjects) {
    const aliases = [...(byText.get(one.text)?.aliases ?? []), ...(one.aliases ?? [])];
    byText.set(one.text, { kind: one.kind, text: one.text, ...(aliases.length === 0 ? {} : { aliases }) });
  }
  return [...byText.values()];
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
  const isListed = named.length > 0 || (args["args"] === undefined && typeof args["diff"] === "string");
  const isWhole = isListed && parts.every((part) => part.isWhole) && isUnderstood(args) && isUnderstood(inner ?? {});
  return { names: [...new Set([...named, ...listed])], isWhole };
}

/** What a change is told by that is read for its paths, or made of parts that are looked at one by one. */
const READ_KEYS: ReadonlySet<string> = new Set([...PATH_KEYS, "args", "paths", "changes"]);

/** A key that nobody knows may name another file. */
function isUnderstood(args: Fields): boolean {
  return Object.entries(args).every(([key, value]) => {
    if (key === "edits") return Array.isArray(value) && value.every((edit) => isOnlyText(asFields(edit)));
    if (READ_KEYS.has(key)) return isReadable(key, value);
    return BESIDE_PATH.has(key) && (typeof value !== "object" || value === null);
  });
}

/** In another form than it is read in, it may name files that are not seen. */
function isReadable(key: string, value: Json): boolean {
  if (key === "args") return asFields(value) !== null;
  if (key === "changes") return Array.isArray(value);
  if (key === "paths") return Array.isArray(value) && value.every((one) => typeof one === "string");
  return typeof value === "string";
}

function isOnlyText(edit: Fields | null): boolean {
  return (
    edit !== null && Object.entries(edit).every(([key, value]) => BESIDE_PATH.has(key) && typeof value !== "object")
  );
}

function namedPaths(args: Fields): Paths {
  const names = PATH_KEYS.flatMap((key) => (typeof args[key] === "string" ? [args[key]] : []));
  // opencode names all files of a patch in one text.
  const splitNames = names.flatMap((name) => (name.includes(", ") ? name.split(", ") : []));
  const isJoined = typeof args["filepath"] === "string" && (splitNames.length > 0 || args["files"] !== undefined);
  return { names: isJoined ? [...names, ...splitNames] : names, isWhole: !isJoined };
}

const CHANGE_KEYS: ReadonlySet<string> = new Set(["path", "kind", "diff"]);
const KIND_KEYS: ReadonlySet<string> = new Set(["type", "move_path"]);

function hasOnly(fields: Fields | null, keys: ReadonlySet<string>): boolean {
  return fields !== null && Object.keys(fields).every((key) => keys.has(key));
}

function changedPaths(args: Fields): Paths {
  const changes = args["changes"];
  if (!Array.isArray(changes)) return { names: [], isWhole: true };
  let isKnown = true;
  const listed = changes.map((change) => {
    const fields = asFields(change);
    const kind = asFields(fields?.["kind"]);
    isKnown &&= hasOnly(fields, CHANGE_KEYS) && (kind === null || hasOnly(kind, KIND_KEYS));
    const moved = kind?.["move_path"];
    return [fields?.["path"], ...(typeof moved === "string" ? [moved] : [])];
  });
  const names = listed.flat().filter((name): name is string => typeof name === "string");
  const isWhole = isKnown && args["grantRoot"] === undefined && names.length >= changes.length && names.length > 0;
  return { names, isWhole };
}

function textsIn(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];
}

/** The call as the built-in agent spells it, with the path that its plan is bound to. */
interface Own {
  readonly args: Fields;
  readonly cwd: string;
  readonly path?: string;
}

function readOwn(fields: Fields): Own | null {
  const args = asFields(fields["args"]);
  const { cwd } = fields;
  const isOwn = args !== null && ["member", "tool"].every((key) => typeof fields[key] === "string");
  if (!isOwn || typeof cwd !== "string") return null;
  const bound = asFields(fields["bound"])?.["path"];
  return { args, cwd, ...(typeof bound === "string" ? { path: bound } : {}) };
}

// Some agents write every command as `bash -lc '…'`; what is asked about and remembered is the command inside.
const WRAPPED = /^(?:\/(?:usr\/)?bin\/)?(?:bash|sh|zsh) -l?c (?:'([^']*)'|"([^"$`\\!]*)"|([\w./:=@%+,-]+))$/;

/** Only where that is certain; any other as it is. */
export function unwrapCommand(command: string): string {
  const match = WRAPPED.exec(command);
  return match?.[1] ?? match?.[2] ?? match?.[3] ?? command;
}
