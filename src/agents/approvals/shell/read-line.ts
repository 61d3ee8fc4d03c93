/**
 * What a shell line does, as far as known before it runs: commands with their wrappers, files written by redirections,
 * and why it is not fully known. Rules are judged by this alone.
 */
import { ADDED, literalArg, type Arg } from "./arg.ts";
import { assignmentName, findAssignment, findLateText } from "./assignments.ts";
import { opaque, shown, type Finding } from "./finding.ts";
import { findCalculated, findOpaque, isDescriptor } from "./opaque-programs.ts";
import { readOptions } from "./options.ts";
import { parseLine, type SimpleCommand } from "./parse-line.ts";
import { isHarmlessOption } from "./shell-options.ts";
import { programName, SHELL_OPTIONS, SHELL_PROGRAMS, SYSTEM_BIN, WRAPPERS, type Wrapper } from "./wrappers.ts";
import path from "node:path";
import { changedFiles } from "./changed-files.ts";

/** A program with arguments: a command, or a wrapper around one. */
export interface Layer {
  readonly name: string;
  readonly args: readonly Arg[];
  /** Index of the inner command in `args`; undefined for the command itself. */
  readonly inner?: number;
  /** A wrapper that needs no rule of its own. */
  readonly isTransparent: boolean;
}

/** Outermost wrapper first, the command itself last. */
export type Layers = readonly Layer[];

export interface ReadLine {
  readonly commands: readonly Layers[];
  readonly writes: readonly Arg[];
  /** Values of variables that commands are given. */
  readonly given: readonly Arg[];
  readonly findings: readonly Finding[];
}

const LAYERS_MAX = 16;
const REPARSED_MAX = 8;

let last: { line: string; read: ReadLine } | undefined;

export function readLine(line: string): ReadLine {
  // Cached: one line is judged by several rules and again when it is asked about.
  if (last?.line !== line) last = { line, read: new Reader().read(line) };
  return last.read;
}

class Reader {
  readonly #commands: Layers[] = [];
  readonly #writes: Arg[] = [];
  readonly #given: Arg[] = [];
  readonly #findings: Finding[] = [];
  #parsed = 0;

  read(line: string): ReadLine {
    this.#parse(line);
    const made = findGeneratedProgram(this.#commands, this.#writes);
    if (made !== undefined) this.#findings.push(opaque(`it runs ${shown(made)}, which it writes itself`));
    return { commands: this.#commands, writes: this.#writes, given: this.#given, findings: this.#findings };
  }

  #parse(line: string): void {
    if (this.#parsed++ > REPARSED_MAX) {
      this.#findings.push(opaque("its command lines are nested too deeply"));
      return;
    }
    const { commands, writes, given, findings } = parseLine(line);
    this.#writes.push(...writes);
    this.#given.push(...given);
    this.#findings.push(...findings);
    for (const command of commands) this.#unwrap(command.args, command, []);
  }

  /** Peels wrappers and keeps every layer. */
  #unwrap(args: readonly Arg[], { input }: Pick<SimpleCommand, "input">, outer: readonly Layer[]): void {
    const [program] = args;
    const text = program?.text;
    if (text === undefined || !/^[!-~]+$/.test(text) || /^[=^!]/.test(text) || program?.isHome === true) {
      const isHome = program?.isHome === true && text !== undefined;
      if (!isHome) this.#findings.push(opaque("a program is only known at run time"));
      this.#commands.push([...outer, { name: isHome ? programName(text) : "", args, isTransparent: false }]);
      return;
    }
    const name = programName(text);
    if (outer.length >= LAYERS_MAX) {
      this.#findings.push(opaque("its commands are nested too deeply"));
      return;
    }
    const calculated = findCalculated(name, args);
    if (calculated !== undefined) this.#findings.push(calculated);
    const layer = { name, args, isTransparent: false };
    const end = (): void => void this.#commands.push([...outer, layer]);
    const inner = (from: number, wrapper: Pick<Wrapper, "isTransparent">, rest: readonly Arg[]) => {
      const isTransparent = wrapper.isTransparent && isOfSystem(text);
      this.#unwrap(rest, { input: undefined }, [...outer, { name, args, inner: from, isTransparent }]);
    };
    if (SHELL_PROGRAMS.has(name)) return this.#shell(layer, outer, input);
    if (name === "find" || name === "fd" || name === "fdfind") {
      for (const { from, rest } of commandsOfFind(name, args)) inner(from, { isTransparent: false }, rest);
      return end();
    }
    const wrapped = this.#wrapped(name, args);
    if (wrapped !== undefined) return inner(wrapped.from, wrapped.wrapper, wrapped.rest);
    if (name === "export") for (const arg of args) this.#isAssignment(arg);
    const finding = findOpaque(name, args);
    if (finding !== undefined) this.#findings.push(finding);
    const subcommand = /^git-(.+)$/.exec(name)?.[1];
    if (subcommand !== undefined) {
      const asGit = [literalArg("git"), literalArg(subcommand), ...args.slice(1)];
      this.#commands.push([...outer, { name: "git", args: asGit, isTransparent: false }]);
    }
    return end();
  }

  /** Undefined: a command of its own. */
  #wrapped(name: string, args: readonly Arg[]): { from: number; wrapper: Wrapper; rest: readonly Arg[] } | undefined {
    const second = args[1]?.text;
    const two = second === undefined ? "" : `${name} ${second}`;
    const wrapper = WRAPPERS.get(two) ?? WRAPPERS.get(name);
    if (wrapper === undefined) return undefined;
    const { options, next, unknown } = readOptions(args, WRAPPERS.has(two) ? 2 : 1, wrapper.options);
    if (unknown !== undefined) {
      this.#findings.push(opaque(`${shown(unknown.source)} is not a known option of ${name}`));
      return undefined;
    }
    if (options.some((one) => one.name !== "" && wrapper.prints.includes(one.name))) return undefined;
    this.#findings.push(...options.flatMap((one) => wrapper.altering[one.name] ?? []));
    let from = next + wrapper.operands;
    if (name === "env" && args[from]?.text === "-") from++;
    while (wrapper.hasAssignments && from < args.length && this.#isAssignment(args[from])) from++;
    const [first] = args.slice(from);
    if (first === undefined) {
      if (wrapper.isShellAlone) this.#findings.push(opaque(`${name} starts a shell`));
      return undefined;
    }
    if (wrapper.operands > 0 && (first.text === "-c" || first.text === "--command")) {
      this.#findings.push(opaque(`${name} -c runs another command line`));
      return undefined;
    }
    const replaced = options.find((one) => one.name === "I" || one.name === "replace" || one.name === "i");
    const mark = replaced?.value?.text ?? "{}";
    const rest = args
      .slice(from)
      .map((arg) => (replaced !== undefined && arg.text?.includes(mark) === true ? ADDED : arg));
    return { from, wrapper, rest: wrapper.addsArguments ? [...rest, ADDED] : rest };
  }

  #isAssignment(arg: Arg | undefined): boolean {
    const name = arg === undefined ? undefined : assignmentName(arg);
    if (name === undefined) return false;
    const value = arg?.text?.slice(name.length + 1);
    if (value !== undefined) this.#given.push(literalArg(value));
    for (const finding of [findAssignment(name, true, value), findLateText(name, value)]) {
      if (finding !== undefined) this.#findings.push(finding);
    }
    return true;
  }

  /** `sh -c 'line'` is the line; a script is a program like any other; its standard input may be anything. */
  #shell(layer: Layer, outer: readonly Layer[], input: string | undefined): void {
    const { name, args } = layer;
    const { options, next, unknown } = readOptions(args.map(plusAsMinus), 1, SHELL_OPTIONS);
    const [operand, ...others] = args.slice(next);
    const isLine = options.some((one) => one.name === "c");
    const isInput =
      operand === undefined || options.some((one) => one.name === "s") || isDescriptor(operand.text ?? operand.start);
    const strange =
      unknown ?? options.find((one) => /^o$/i.test(one.name) && !isHarmlessOption(one.value?.text ?? ""))?.value;
    if (strange !== undefined) this.#findings.push(opaque(`${shown(strange.source)} is not a known option of ${name}`));
    else if (isLine && operand?.text !== undefined) {
      if (others.length > 0 && operand.text.includes("$")) this.#findings.push(opaque(`${name} -c is given arguments`));
      if (!isOfSystem(args[0]?.text ?? "")) this.#commands.push([...outer, layer]);
      else if (outer.length > 0) this.#commands.push([...outer, { ...layer, isTransparent: true }]);
      return this.#parse(operand.text);
    } else if (isLine || isInput || operand?.text === undefined) {
      this.#findings.push(opaque(`${name} runs a command line that is only known at run time`));
      if (input !== undefined) this.#parse(input);
    }
    this.#commands.push([...outer, layer]);
  }
}

function isOfSystem(program: string): boolean {
  return !program.includes("/") || SYSTEM_BIN.test(program);
}

function plusAsMinus(arg: Arg): Arg {
  return arg.text !== undefined && /^\+[a-zA-Z]/.test(arg.text) ? literalArg(`-${arg.text.slice(1)}`) : arg;
}

/** Each is a command with arguments that are not in the line. */
function commandsOfFind(name: string, args: readonly Arg[]): { from: number; rest: readonly Arg[] }[] {
  const starts =
    name === "find"
      ? /^-(?:exec|execdir|ok|okdir)$/
      : /^(?:-[a-wyzA-WYZ]*[xX]([\s\S]+)?|(?:--exec|--exec-batch)(?:=([\s\S]+))?)$/;
  return args.flatMap((arg, at) => {
    const match = at === 0 || arg.text === undefined ? null : starts.exec(arg.text);
    if (match === null) return [];
    const attached = [match[1] ?? match[2]].flatMap((one) => (one === undefined ? [] : [literalArg(one)]));
    const end = args.findIndex(
      (one, index) => index > at && (one.text === ";" || (name === "find" && one.text === "+")),
    );
    const rest = [...attached, ...args.slice(at + 1, end === -1 ? args.length : end)];
    const filled = rest.map((one) => (one.text?.includes("{") === true ? ADDED : one));
    return rest.length === 0 ? [] : [{ from: at + 1, rest: [...filled, ADDED] }];
  });
}

// Programs and scripts that a line creates and then runs: their content is unknown.
/** Name of one, as written. */
function findGeneratedProgram(commands: readonly Layers[], writes: readonly Arg[]): string | undefined {
  const layers = commands.flat();
  const changed = layers
    .filter(({ name }) => name !== "chmod")
    .flatMap((layer) => {
      const { files, isCertain } = changedFiles(layer);
      return isCertain ? files.map(({ name }) => name) : [];
    });
  const made = new Set([...writes.flatMap(({ text }) => text ?? []), ...changed].map(tidy));
  if (made.size === 0) return undefined;
  return layers.flatMap(({ args }) => run(args)).find((name) => made.has(tidy(name)));
}

/** What is run: the program, and its possible script. */
function run([program, ...args]: readonly Arg[]): string[] {
  const text = program?.text ?? "";
  const script = /^(?:[a-z]*sh|source|\.|python[\d.]*|node|deno|bun|perl|ruby|php|lua|make|awk)$/.test(
    path.basename(text),
  )
    ? args.flatMap((arg) => arg.text ?? [])
    : [];
  return [...(text.includes("/") ? [text] : []), ...script];
}

function tidy(name: string): string {
  return path.posix.normalize(name);
}
