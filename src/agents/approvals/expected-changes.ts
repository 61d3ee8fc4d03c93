/**
 * Files that a call changes when it works. Where nothing may be changed, one that stays as it was shows that a write
 * was refused, also when neither the command nor the agent says so.
 */
import { accessSync, constants, lstatSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { parse, type AndOr, type PipelineNode, type Statement } from "unbash";
import { unwrapCommand } from "./describe-call.ts";
import { directoriesOf } from "./judge-command.ts";
import { isInside } from "../tools/inside.ts";
import { realPath, withHome } from "./real-path.ts";
import type { Arg } from "./shell/arg.ts";
import { readLine, type Layer } from "./shell/read-line.ts";

/** True when a change has not happened, given the output of the call. */
export type IsMissed = (printed: string) => boolean;

export interface ExpectingCall {
  /** Files of an edit, as named. */
  readonly paths: readonly string[];
  /** Line of a shell. */
  readonly command: string | undefined;
}

interface ExpectedChange {
  readonly file: string;
  /** Prefix of what it prints about a failure. */
  readonly speaker?: string;
}

const LINE_CHARS_MAX = 4096;
const FILES_MAX = 50;

/** Call it before the changes; only files of the directory and of the home count. Undefined when there are none. */
export function expectChanges({ paths, command }: ExpectingCall, cwd: string): IsMissed | undefined {
  const edited: ExpectedChange[] = paths.map((name) => ({ file: path.resolve(cwd, name) }));
  const lines = command === undefined || command.length > LINE_CHARS_MAX ? [] : changesOfLine(command, cwd);
  const expected = [...edited, ...lines]
    .filter(({ file }) => isClosed(cwd, file))
    .slice(0, FILES_MAX)
    .map(({ file, speaker }) => ({ file, speaker, before: stateOf(file) }));
  if (expected.length === 0) return undefined;
  return (printed) =>
    expected.some(({ file, speaker, before }) => {
      const isSilent = speaker === undefined || !printed.includes(`${speaker}: `);
      return isSilent && before !== undefined && stateOf(file) === before;
    });
}

/** Temporary directories are the agent's own, and agents keep their state in hidden directories of the home. */
function isClosed(cwd: string, file: string): boolean {
  const real = realPath(cwd, file);
  if (real === undefined || real.name === "") return false;
  if (!path.isAbsolute(real.name)) return true;
  const [first = "", ...rest] = path.relative(homedir(), real.name).split(path.sep);
  return isInside(homedir(), real.name) && (rest.length === 0 || !/^\.|^Library$/.test(first));
}

/** Undefined when it cannot be read. */
function stateOf(file: string): string | undefined {
  try {
    const stats = lstatSync(file, { throwIfNoEntry: false });
    return stats === undefined ? "missing" : `${stats.ino} ${stats.ctimeMs} ${stats.size}`;
  } catch {
    return undefined;
  }
}

/** Files that the line itself would change. */
export function targetsOfLine(line: string, cwd: string): string[] {
  return line.length > LINE_CHARS_MAX ? [] : changesOfLine(line, cwd).map(({ file }) => file);
}

/** Changes by commands that run in any case and would work here. */
function changesOfLine(line: string, cwd: string): ExpectedChange[] {
  const text = innerLine(line);
  const base = directoriesOf(readLine(text), cwd).findLast((directory) => directory !== undefined) ?? cwd;
  const resolve = (arg: Arg): string => path.resolve(base, arg.isHome ? withHome(arg.text ?? "") : (arg.text ?? ""));
  return certainCommands(text).flatMap((segment) => {
    const { commands, writes } = readLine(segment);
    const redirected = writes
      .filter(isKnown)
      .map((arg): ExpectedChange => ({ file: resolve(arg), speaker: arg.text ?? "" }));
    const changed = commands.flatMap((layers) => {
      const command = layers.at(-1);
      return command === undefined ? [] : changesOf(command, resolve);
    });
    return redirected.filter(({ file }) => mayWrite(file)).concat(changed);
  });
}

function isKnown({ text }: Arg): boolean {
  return text !== undefined && text !== "";
}

/** `bash -lc '…'`, as some agents wrap every command. */
function innerLine(line: string): string {
  const unwrapped = unwrapCommand(line);
  if (unwrapped !== line) return unwrapped;
  const [layers, ...others] = readLine(line).commands;
  const args = others.length === 0 && layers?.length === 1 ? (layers[0]?.args ?? []) : [];
  return args.length === 3 && /^-l?c$/.test(args[1]?.text ?? "") ? (args[2]?.text ?? line) : line;
}

const MAKES: ReadonlySet<string> = new Set(["touch", "tee", "truncate", "sponge", "ln", "cp", "install", "mv"]);
const MAKES_NEW: ReadonlySet<string> = new Set(["mkdir", "mkfifo"]);
const CHANGES_EXISTING: ReadonlySet<string> = new Set(["rm", "unlink", "rmdir", "shred", "chmod", "gzip"]);
/** The others are read, so they must exist. */
const COPIES: ReadonlySet<string> = new Set(["cp", "install", "mv"]);

/** By the last operand: the others may be values of options. */
function changesOf({ name, args }: Layer, resolve: (arg: Arg) => string): ExpectedChange[] {
  const rest = args.slice(1);
  if (name === "dd") return writtenByDd(rest, resolve);
  const operands = rest.filter(({ start }) => !start.startsWith("-"));
  const last = operands.at(-1);
  const isWhole = last !== undefined && operands.every(isKnown);
  if (!isWhole || (COPIES.has(name) && rest.some(({ start }) => /^-[a-zA-Z]*t|^--target/.test(start)))) return [];
  const file = resolve(last);
  const isThere = stateOf(file) !== "missing";
  const isRewritten = name === "sed" && rest.some(({ start }) => /^-[a-zA-Z]*i|^--in-p/.test(start));
  const isExpected =
    (MAKES.has(name) && (!COPIES.has(name) || (operands.length > 1 && isReady(operands.slice(0, -1).map(resolve))))) ||
    (MAKES_NEW.has(name) && !isThere) ||
    ((CHANGES_EXISTING.has(name) || isRewritten) && isThere);
  return isExpected && mayWrite(file) ? [{ file, speaker: name }] : [];
}

function writtenByDd(args: readonly Arg[], resolve: (arg: Arg) => string): ExpectedChange[] {
  return args.flatMap((arg) => {
    const [, name] = /^of=(.+)$/.exec(arg.text ?? "") ?? [];
    const file = name === undefined ? undefined : resolve({ ...arg, text: name });
    return file !== undefined && mayWrite(file) ? [{ file, speaker: "dd" }] : [];
  });
}

function isReady(sources: readonly string[]): boolean {
  return sources.every((file) => stateOf(file) !== "missing");
}

/** We are the same user: a file that we may not write was not protected by the guard. */
export function mayWrite(file: string): boolean {
  const isThere = stateOf(file) !== "missing";
  try {
    accessSync(isThere ? file : path.dirname(file), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Parts of the line that run whatever the others do. */
function certainCommands(line: string): string[] {
  try {
    const { commands, errors = [] } = parse(line);
    return errors.length > 0 ? [] : commands.flatMap((statement) => commandsIn(line, statement));
  } catch {
    // Too deep for the parser.
    return [];
  }
}

/** Commands that do not fail, so that the ones after them run; those before them change nothing that is expected. */
const GOES_ON = /^(?:cd|echo|printf|true|:|set|export|umask)\b/;

function commandsIn(line: string, node: Statement | PipelineNode | AndOr): string[] {
  switch (node.type) {
    case "Statement":
      return commandsIn(line, node.command);
    case "Command":
      return [line.slice(node.pos, node.end)];
    case "Pipeline":
      return node.commands.flatMap((command) => commandsIn(line, command));
    case "AndOr": {
      const stop = node.commands.findIndex(
        ({ pos, end }, at) => node.operators[at] !== "&&" || !GOES_ON.test(line.slice(pos, end)),
      );
      return node.commands.slice(0, stop + 1).flatMap((command) => commandsIn(line, command));
    }
    case "Subshell":
    case "BraceGroup":
      return node.body.commands.flatMap((statement) => commandsIn(line, statement));
    case "Redirected":
      return commandsIn(line, node.command);
    default:
      return [];
  }
}
