/**
 * Extracts what a call is about from an approval request of any agent.
 * If anything cannot be read for certain, rules may deny the call but never allow it.
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
import { realPath, withHome, type RealPath } from "./real-path.ts";

const PATHS_MAX = 200;

/** By agent kind, never by shape: a model can write a command that looks like a call of the built-in agent. */
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
  return { ...(fields === undefined ? unread(tool, call) : describePaths(tool, fields, call, cwd)), cwd };
}

/**
 * Path that the built-in agent has bound its plan to. Only for calls it spelled itself: in calls of other agents the
 * same fields may be the model's text.
 */
export function describeOwnCall({ tool, call }: { tool: string; call: string }): PendingCall {
  const fields = parseFields(call);
  const own = fields === undefined ? undefined : readOwn(fields);
  if (own === undefined) return whole(tool, { kind: "call", text: call });
  const { args, cwd } = own;
  // A foreign tool named like a shell is not a shell.
  if (tool === "shell") return describeCommand(tool, canonicalJson(args), args, cwd);
  if (own.path === undefined) return { ...whole(tool, { kind: "call", text: canonicalJson(args) }), cwd };
  const written = args["path"];
  const aliases = typeof written === "string" && written !== own.path ? { aliases: [written] } : {};
  return { tool, changesFiles: true, subjects: [{ kind: "path", text: own.path, ...aliases }], isWhole: true, cwd };
}

function describeCommand(tool: string, call: string, args: Fields | undefined, cwd: string): PendingCall {
  if (args === undefined) return { ...whole(tool, { kind: "command", text: unwrapCommand(call) }), cwd };
  const command = args["command"];
  const isCommand = typeof command === "string";
  const isWhole = isCommand && Object.keys(args).every((key) => BESIDE_COMMAND.has(key));
  // Without a recognised command the whole call counts as one, so that shell rules can still deny it.
  const subject: Subject = { kind: "command", text: isCommand ? unwrapCommand(command) : call };
  const subjects = [subject, ...(isWhole ? [] : [...variables(args), ...exactly(args)])];
  return { tool, changesFiles: false, subjects, isWhole, cwd, ...elsewhere(args, cwd) };
}

/** Variables that the call sets for its command, as the line that would. */
function variables(args: Fields): Subject[] {
  const given = Object.entries(args).flatMap(([key, value]) => (/^env/i.test(key) ? [value] : []));
  const names = given.flatMap((value) => {
    if (!Array.isArray(value)) return Object.keys(asFields(value) ?? {});
    return value.flatMap((one) => (typeof one === "string" ? one.split("=", 1) : [asFields(one)?.["name"]]));
  });
  const known = names.filter((name): name is string => typeof name === "string" && /^[A-Za-z_]\w*$/.test(name));
  return known.length === 0 ? [] : [{ kind: "command", text: `export ${known.map((name) => `${name}=1`).join(" ")}` }];
}

const DIRECTORY_KEYS = new Set(["cwd", "workdir", "directory", "dir_path"]);

/** A further text may name a directory too. */
function elsewhere(args: Fields, cwd: string): Pick<PendingCall, "elsewhere"> {
  const beside = Object.entries(args).filter(([key, value]) => !BESIDE_COMMAND.has(key) && typeof value === "string");
  const [named, ...others] = beside;
  if (named === undefined) return {};
  const [key, value] = named;
  const isKnown = others.length === 0 && DIRECTORY_KEYS.has(key) && typeof value === "string";
  const directory = isKnown ? path.resolve(cwd, withHome(value)) : undefined;
  return directory === path.resolve(cwd) ? {} : { elsewhere: { directory } };
}

/** A call with more than its subjects is remembered only exactly as it is. */
function exactly(args: Fields): Subject[] {
  return [{ kind: "call", text: canonicalJson(args) }];
}

function whole(tool: string, subject: Subject): PendingCall {
  return { tool, changesFiles: false, subjects: [subject], isWhole: true };
}

/** Changes unknown files. */
function unread(tool: string, call: string): PendingCall {
  return { tool, changesFiles: true, subjects: [{ kind: "call", text: call }], isWhole: false };
}

function describePaths(tool: string, args: Fields, call: string, cwd: string): PendingCall {
  const { names, isWhole } = pathsIn(args);
  const real = names.map((name) => realPath(cwd, name));
  const isCertain = real.every((one) => one !== undefined && !one.isDangling) && names.length <= PATHS_MAX;
  const isAll = isWhole && isCertain && names.length > 0 && !MORE_THAN_EDITORS.has(tool.toLowerCase());
  const others = isAll ? [] : stringsIn(args, BESIDE_PATH).filter((one) => !names.includes(one));
  const named = names.map((name, at) => pathSubject(name, real[at]));
  const further = others.map((name) => pathSubject(name, realPath(cwd, name)));
  const subjects = merged([...named, ...further]);
  if (names.length === 0) return { ...unread(tool, call), subjects: [...subjects, { kind: "call", text: call }] };
  return { tool, changesFiles: true, subjects: [...subjects, ...(isAll ? [] : exactly(args))], isWhole: isAll };
}

/** By real path; a dangling link keeps its name, since its target may appear later. */
function pathSubject(name: string, real: RealPath | undefined): Subject {
  if (real === undefined) return { kind: "path", text: name };
  const text = real.isDangling ? name : real.name;
  const aliases = [...new Set([real.name, real.written])].filter((one) => one !== text);
  const isLink = real.name !== real.written;
  return {
    kind: "path",
    text,
    ...(aliases.length === 0 ? {} : { aliases }),
    ...(isLink ? { link: { from: real.written, to: real.name } } : {}),
  };
}

function merged(subjects: readonly Subject[]): Subject[] {
  const byText = new Map<string, Subject>();
  for (const one of subjects) {
    const aliases = [...(byText.get(one.text)?.aliases ?? []), ...(one.aliases ?? [])];
    byText.set(one.text, { ...byText.get(one.text), ...one, ...(aliases.length === 0 ? {} : { aliases }) });
  }
  return [...byText.values()];
}

interface Paths {
  readonly names: readonly string[];
  /** Whether these are all paths of the call. */
  readonly isWhole: boolean;
}

/**
 * Every named path counts, wherever it appears; otherwise a path named in one place could hide another. A list of an
 * agent is complete only together with its diff and nothing else.
 */
function pathsIn(args: Fields): Paths {
  const inner = asFields(args["args"]);
  const parts = [args, ...(inner === undefined ? [] : [inner])].flatMap((part) => [
    namedPaths(part),
    changedPaths(part),
  ]);
  const named = parts.flatMap(({ names }) => names);
  const listed = [...textsIn(args["paths"]), ...textsIn(inner?.["paths"])];
  const isListed = named.length > 0 || (args["args"] === undefined && typeof args["diff"] === "string");
  const isWhole = isListed && parts.every((part) => part.isWhole) && isUnderstood(args) && isUnderstood(inner ?? {});
  return { names: [...new Set([...named, ...listed])], isWhole };
}

/** Keys that are read for paths, or whose parts are inspected one by one. */
const READ_KEYS: ReadonlySet<string> = new Set([...PATH_KEYS, "args", "paths", "changes"]);

/** An unknown key may name another file. */
function isUnderstood(args: Fields): boolean {
  return Object.entries(args).every(([key, value]) => {
    if (key === "edits") return Array.isArray(value) && value.every((edit) => isOnlyText(asFields(edit)));
    if (READ_KEYS.has(key)) return isReadable(key, value);
    return BESIDE_PATH.has(key) && (typeof value !== "object" || value === null);
  });
}

/** In an unexpected form it may name files that are not seen. */
function isReadable(key: string, value: Json): boolean {
  if (key === "args") return asFields(value) !== undefined;
  if (key === "changes") return Array.isArray(value);
  if (key === "paths") return Array.isArray(value) && value.every((one) => typeof one === "string");
  return typeof value === "string";
}

function isOnlyText(edit: Fields | undefined): boolean {
  return (
    edit !== undefined &&
    Object.entries(edit).every(([key, value]) => BESIDE_PATH.has(key) && typeof value !== "object")
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

function hasOnly(fields: Fields | undefined, keys: ReadonlySet<string>): boolean {
  return fields !== undefined && Object.keys(fields).every((key) => keys.has(key));
}

function changedPaths(args: Fields): Paths {
  const changes = args["changes"];
  if (!Array.isArray(changes)) return { names: [], isWhole: true };
  let isKnown = true;
  const listed = changes.map((change) => {
    const fields = asFields(change);
    const kind = asFields(fields?.["kind"]);
    isKnown &&= hasOnly(fields, CHANGE_KEYS) && (kind === undefined || hasOnly(kind, KIND_KEYS));
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

/** The call as the built-in agent spells it, with the path its plan is bound to. */
interface Own {
  readonly args: Fields;
  readonly cwd: string;
  readonly path?: string;
}

function readOwn(fields: Fields): Own | undefined {
  const args = asFields(fields["args"]);
  const { cwd } = fields;
  const isOwn = args !== undefined && ["member", "tool"].every((key) => typeof fields[key] === "string");
  if (!isOwn || typeof cwd !== "string") return undefined;
  const bound = asFields(fields["bound"])?.["path"];
  return { args, cwd, ...(typeof bound === "string" ? { path: bound } : {}) };
}

// Some agents wrap every command as `bash -lc '…'`; the inner command is what is judged and remembered.
const WRAPPED = /^(?:\/(?:usr\/)?bin\/)?(?:bash|sh|zsh) -l?c (?:'([^']*)'|"([^"$`\\!]*)"|([\w./:=@%+,-]+))$/;

/** Unwraps only where that is certain. */
export function unwrapCommand(command: string): string {
  const match = WRAPPED.exec(command);
  return match?.[1] ?? match?.[2] ?? match?.[3] ?? command;
}
