/**
 * Simple commands of a shell line at any depth, by the grammar of bash.
 * Never throws; an incomplete parse is reported as a finding, with what was read before it.
 */
import {
  forEachChild,
  parse,
  type Assignment,
  type Command,
  type SyntaxNode,
  type Redirection,
  type ArithmeticWord,
  type ParameterExpansionPart,
  type Word,
} from "unbash";
import { readArg, type Arg } from "./arg.ts";
import { findAssignment, findLateText, namesSetBy, variablesSetBy } from "./assignments.ts";
import { opaque, shown, unallowed, type Finding } from "./finding.ts";
import { findQuoteInExpansion, findReadOtherwise } from "./other-shells.ts";

export interface SimpleCommand {
  /** Program and arguments; never empty. */
  readonly args: readonly Arg[];
  /** Its standard input, where the line itself contains it. */
  readonly input: string | undefined;
}

export interface ParsedLine {
  readonly commands: readonly SimpleCommand[];
  /** Files written by redirections. */
  readonly writes: readonly Arg[];
  /** Values of variables that commands are given. */
  readonly given: readonly Arg[];
  readonly findings: readonly Finding[];
}

const LINE_CHARS_MAX = 16 * 1024;
const NODES_MAX = 20_000;
const LEVELS_MAX = 256;
/** Control characters, unusual spaces, invisible and bidi characters, lone surrogates; not what makes an emoji one. */
const ODD =
  /(?![\t\n])\p{Cc}|(?! )[\p{Zs}\p{Zl}\p{Zp}]|\p{Cf}|\p{Cs}|(?!(?<=\p{Extended_Pictographic})\uFE0F)[\p{DI}\u2800]/u;

export function parseLine(line: string): ParsedLine {
  if (line.length > LINE_CHARS_MAX) {
    const isTooLong = opaque(`it is longer than ${LINE_CHARS_MAX / 1024} KB`);
    const beginning = new Walk();
    beginning.run(line.slice(0, LINE_CHARS_MAX));
    return { ...beginning.result(), findings: [isTooLong] };
  }
  const walk = new Walk();
  if (ODD.test(line)) walk.findings.push(opaque("it has characters that look different from what the shell reads"));
  walk.run(line);
  return walk.result();
}

interface Step {
  readonly node: SyntaxNode;
  readonly level: number;
  /** In `${…}`, not in a command there. */
  readonly isInExpansion: boolean;
}

class Walk {
  readonly commands: SimpleCommand[] = [];
  readonly writes: Arg[] = [];
  readonly given: Arg[] = [];
  readonly findings: Finding[] = [];
  /** Variables that the line sets to something that is not plainly a number. */
  readonly #unclear = new Set<string>();
  readonly #calculated = new Set<string>();
  /** To dash, the second line of `[[ … ]]` is a command. */
  #isTestOverLines = false;

  run(line: string): void {
    this.#isTestOverLines = /\[\[(?=\s)(?:(?!\s\]\])[\s\S])*?\n/.test(line);
    try {
      this.#walk(parse(line));
    } catch {
      // Too deep for the parser's recursion.
      this.findings.push(opaque("it cannot be parsed as a shell command"));
    }
  }

  result(): ParsedLine {
    const late = [...this.#calculated].find((name) => this.#unclear.has(name) || SET_BY_SHELL.test(name));
    const findings = late === undefined ? [] : [opaque(`${late} is evaluated only at run time`)];
    const { commands, writes, given } = this;
    return { commands, writes, given, findings: [...this.findings, ...findings] };
  }

  /** With an explicit stack: a tree can be deeper than the call stack. */
  #walk(script: SyntaxNode): void {
    const first = { node: script, level: 0, isInExpansion: false };
    const steps: Step[] = [first];
    for (let count = 0; steps.length > 0; count++) {
      const { node, level, isInExpansion } = steps.pop() ?? first;
      if (count >= NODES_MAX || level > LEVELS_MAX) {
        this.findings.push(opaque("it has too many parts"));
        return;
      }
      this.#visit(node);
      const finding = isInExpansion ? findQuoteInExpansion(node) : undefined;
      if (finding !== undefined) this.findings.push(finding);
      const isWithin = node.type === "ParameterExpansion" || (isInExpansion && node.type !== "Script");
      const children: Step[] = [];
      forEachChild(node, (child) => void children.push({ node: child, level: level + 1, isInExpansion: isWithin }));
      steps.push(...children.toReversed());
    }
  }

  #visit(node: SyntaxNode): void {
    for (const finding of [findLateEvaluation(node), findReadOtherwise(node)]) {
      if (finding !== undefined) this.findings.push(finding);
    }
    for (const name of arithmeticNames(node)) this.#calculated.add(name);
    for (const name of variablesSetBy(node)) {
      const finding = findAssignment(name, false);
      if (finding !== undefined) this.findings.push(finding);
    }
    switch (node.type) {
      case "Script":
        if (node.errors !== undefined && node.errors.length > 0) {
          this.findings.push(opaque("it cannot be parsed as a shell command"));
        }
        break;
      case "Command":
        this.#command(node);
        break;
      case "TestCommand":
        if (this.#isTestOverLines)
          this.findings.push(opaque("other shells read [[ … ]] over several lines differently"));
        break;
      case "Word":
        if (hasHiddenCommand(node)) this.findings.push(opaque(`${shown(node.text)} may run a command`));
        break;
      case "Redirect": {
        const { write, finding } = readRedirection(node);
        if (write !== undefined) this.writes.push(write);
        if (finding !== undefined) this.findings.push(finding);
        break;
      }
      case "Assignment":
        this.#assignment(node);
        break;
      case "For":
      case "Select":
        if (node.wordlist === undefined || !node.wordlist.every((word) => /^[-\d.{}]+$/.test(word.text))) {
          this.#unclear.add(node.name.value);
        }
        break;
      default:
    }
  }

  #command(command: Command): void {
    const { name, prefix, suffix } = command;
    if (name === undefined) return;
    for (const one of prefix.filter(({ type }) => type === "Assignment") as Assignment[]) {
      const finding = findAssignment(one.name, true, valueOf(one));
      if (finding !== undefined) this.findings.push(finding);
      if (one.value.type === "Word") this.given.push(readArg(one.value));
    }
    const args = suffix.flatMap((one) =>
      one.type === "Word" ? [readArg(one)] : one.type === "Assignment" ? [assignmentArg(one)] : [],
    );
    const all = [readArg(name), ...args];
    for (const set of namesSetBy(all)) this.#unclear.add(set);
    this.commands.push({ args: all, input: inputOf(command) });
  }

  #assignment(node: Assignment): void {
    const { name } = node;
    const text = valueOf(node);
    for (const finding of [findAssignment(name, false, text), findLateText(name, text)]) {
      if (finding !== undefined) this.findings.push(finding);
    }
    if (!isNumber(text)) this.#unclear.add(name);
  }
}

function valueOf({ value }: Assignment): string | undefined {
  return value.type === "Word" ? readArg(value).text : undefined;
}

/** `export A=b` and `dd of=x` alike: a word with `=`. */
function assignmentArg({ name, value, text, append, index }: Assignment): Arg {
  const start = `${name}${index === undefined ? "" : `[${index.text}]`}${append === true ? "+=" : "="}`;
  if (value.type !== "Word") return { text: undefined, start, source: text, isHome: false };
  const arg = readArg(value);
  const isKnown = arg.text !== undefined && !arg.isHome;
  return { text: isKnown ? start + arg.text : undefined, start: start + arg.start, source: text, isHome: false };
}

function inputOf({ redirects }: Command): string | undefined {
  for (const one of redirects) {
    if (one.type === "HereDoc" && one.body.parts === undefined) return one.body.text;
    if (one.type === "HereString" && one.target !== undefined) return readArg(one.target).text;
  }
  return undefined;
}

// Effect of a redirection beyond reading: a written file, or a connection.
interface Redirected {
  readonly write?: Arg;
  readonly finding?: Finding;
}

const NOWHERE = /^\/dev\/(?:null|stdin|stdout|stderr|tty|zero|fd\/\d+)$/;
const NETWORK = /^\/dev\/(?:tcp|udp)(?:\/|$)/;
const NETWORKS = ["/dev/tcp/", "/dev/udp/"];

function readRedirection(node: Redirection): Redirected {
  if (node.type !== "Redirect" || node.target === undefined) return {};
  const target = readArg(node.target);
  const { text, start } = target;
  if (NETWORK.test(text ?? start)) return { finding: opaque("it opens a network connection through a redirection") };
  if (node.operator === "<&") return {};
  if (node.operator === "<") {
    const isUnknown = text === undefined && NETWORKS.some((one) => one.startsWith(start));
    return isUnknown ? { finding: unallowed("it reads input that is only known at run time") } : {};
  }
  if (node.operator === ">&" && text !== undefined && /^(?:\d+-?|-)$/.test(text)) return {};
  return text !== undefined && NOWHERE.test(text) ? {} : { write: target };
}

// Text that the shell evaluates a second time at run time: prompts, indirect names, subscripts, arithmetic. It can hide
// a command from the grammar.
const NUMBER = /^[-+]?(?:\d+|0[xX][\da-fA-F]+|\d+#\w+)$/;
const NAME = /^[A-Za-z_]\w*$/;
const COMPARES_NUMBERS = new Set(["-eq", "-ne", "-lt", "-le", "-gt", "-ge"]);

/** The parser takes `1<(rm x)` for a plain word, the shell for a number and a command. */
function hasHiddenCommand(word: Word): boolean {
  const children: SyntaxNode[] = [];
  forEachChild(word, (child) => void children.push(child));
  const plain =
    children.length === 0 ? [word.text] : children.flatMap((one) => (one.type === "Literal" ? one.text : []));
  return plain.some((one) => /[<>=]\(|`|\$[({]/.test(one.replaceAll(/\\[\s\S]/g, "")));
}

/** They print a number and nothing else. */
const COUNTS = /^\$\(\s*(?:date \+%[sNYmdHMSju]+|nproc|(?:[^;&|`$()]*\|\s*)?wc -[lcwm](?:\s*<\s*[\w./-]+)?)\s*\)$/;

function isNumber(text: string | undefined): boolean {
  return text !== undefined && NUMBER.test(text.trim());
}

/** Variables evaluated as arithmetic; assignments to them in the same line matter. */
function arithmeticNames(node: SyntaxNode): readonly string[] {
  if (node.type === "TestBinary" && COMPARES_NUMBERS.has(node.operator)) {
    return [node.left, node.right].flatMap(({ text }) => namesIn(text));
  }
  return node.type === "ArithmeticWord" ? namesIn(node.value) : [];
}

function namesIn(text: string): readonly string[] {
  return text.match(/[A-Za-z_]\w*|(?<=\$\{?)(?:\d+|[@*])/g) ?? [];
}

/** Set by the shell to text: parameters, the last argument, what was read or matched. */
const SET_BY_SHELL = /^(?:\d+|[@*_]|REPLY|OPTARG|BASH_\w+|MATCH|match)$/;

function findLateEvaluation(node: SyntaxNode): Finding | undefined {
  switch (node.type) {
    case "ParameterExpansion":
      return inExpansion(node);
    case "Slice":
      return [node.offset, node.length].every((word) => word === undefined || isPlainIndex(word))
        ? undefined
        : late("a slice");
    case "ArithmeticWord":
      return isPlainArithmetic(node) ? undefined : late(`arithmetic (${shown(node.value)})`);
    case "ArithmeticCommandExpansion":
      return COUNTS.test(node.text) ? undefined : late(`arithmetic with ${shown(node.text)}`);
    case "Assignment":
      return node.index === undefined || isPlainIndex(node.index) ? undefined : late("a subscript");
    case "TestUnary": {
      const { text } = readArg(node.operand);
      const isLate = (node.operator === "-v" || node.operator === "-R") && (text === undefined || text.includes("["));
      return isLate ? late(`test ${node.operator}`) : undefined;
    }
    case "TestBinary": {
      const isLate = COMPARES_NUMBERS.has(node.operator) && ![node.left, node.right].every(isNumberOrVariable);
      return isLate ? late(`a comparison with ${node.operator}`) : undefined;
    }
    default:
      return undefined;
  }
}

function inExpansion({ prefix, operation, index, text }: ParameterExpansionPart): Finding | undefined {
  if (operation?.type === "Transform" || operation?.type === "Unknown") return late(shown(text));
  const isKeys = index !== undefined && (index.value === "@" || index.value === "*");
  if (prefix === "!" && operation?.type !== "Names" && !isKeys) return late(shown(text));
  return index === undefined || isKeys || isPlainIndex(index) ? undefined : late("a subscript");
}

function isPlainIndex(word: Word): boolean {
  const { text } = readArg(word);
  return isNumber(text);
}

function isPlainArithmetic({ value, parts }: ArithmeticWord): boolean {
  if (parts === undefined) return isNumber(value) || NAME.test(value);
  return parts.every(
    (part) =>
      part.type === "SimpleExpansion" ||
      (part.type === "ParameterExpansion" && part.index === undefined && part.operation === undefined),
  );
}

function isNumberOrVariable(word: Word): boolean {
  const { text, source } = readArg(word);
  return isNumber(text) || /^"?\$(?:\w+|[#?$!]|\{#?\w+(?:\[[@*]\])?\})"?$/.test(source);
}

function late(what: string): Finding {
  return opaque(`${what} is evaluated only at run time`);
}
