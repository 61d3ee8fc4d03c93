/**
 * Programs that run code a line does not show as commands (text, options, files, remote machines), and builtins that
 * evaluate names.
 */
import { posix } from "node:path";
import type { Arg } from "./arg.ts";
import { opaque, shown, type Finding } from "./finding.ts";
import { assignmentName, findAssignment } from "./assignments.ts";
import { findStrangeOption } from "./shell-options.ts";

const ALWAYS = new Set(
  `eval source . trap alias unalias bind complete compgen enable fc hash mapfile readarray let emulate zmodload autoload
  ssh su runuser script watch parallel sem entr expect screen tmux at batch crontab gdb lldb systemd-run setarch run-parts
  firejail bwrap proot socat nc ncat netcat telnet nix-shell vi vim vim.basic vim.tiny nvim view vimdiff rvim ex ed red
  emacs emacsclient nano pico joe micro fish csh tcsh nu xonsh elvish pwsh powershell cmd osascript tclsh wish irb pry
  ghci sqlite3 psql mysql ftp sftp scapy r julia octave busctl start-stop-daemon daemonize aria2c debugfs m4 dc gnuplot
  groff troff nroff`.split(/\s+/),
);

/** First operand that makes a program opaque. */
const SUBCOMMANDS: ReadonlyMap<string, RegExp> = new Map([
  ["docker", /^(?:run|exec|compose|create|start|container)$/],
  ["podman", /^(?:run|exec|compose|create|start|container|unshare)$/],
  ["nerdctl", /^(?:run|exec|compose)$/],
  ["docker-compose", /./],
  ["kubectl", /^(?:exec|run|debug|cp|attach|plugin)$/],
  ["nix", /^(?:develop|shell|run|eval|repl)$/],
  ["deno", /^(?:eval|repl)$/],
  ["bun", /^repl$/],
  ["gh", /^(?:alias|ext|extensions?|exec)$/],
  ["vagrant", /^ssh$/],
  ["gcloud", /^ssh$/],
  ["machinectl", /^shell$/],
]);

interface Interpreter {
  /** Option letters that carry code. */
  readonly letters: string;
  readonly long: readonly string[];
  /** Option letters with a value, which is not the script. */
  readonly values: string;
  /** Runs a module by this option; counts as a script. */
  readonly module?: string;
}

const INTERPRETERS: readonly (readonly [RegExp, Interpreter])[] = [
  [/^(?:python|pypy)[\d.]*$/, { letters: "ci", long: [], values: "WXm", module: "m" }],
  [
    /^(?:node|nodejs)$/,
    {
      letters: "epir",
      long: ["eval", "print", "require", "import", "loader", "interactive", "experimental-loader"],
      values: "C",
    },
  ],
  [/^bun$/, { letters: "ep", long: ["eval", "print", "preload"], values: "" }],
  [/^perl[\d.]*$/, { letters: "eEMmdx", long: [], values: "I" }],
  [/^j?ruby[\d.]*$/, { letters: "erx", long: [], values: "ICE" }],
  [/^php[\d.]*$/, { letters: "raBREF", long: ["run", "process-code"], values: "cdz" }],
  [/^lua(?:jit)?[\d.]*$/, { letters: "eli", long: [], values: "" }],
  [/^rscript$/, { letters: "e", long: [], values: "" }],
];

/** `args` starts with the program. */
export function findOpaque(name: string, args: readonly Arg[]): Finding | undefined {
  if (ALWAYS.has(name)) return opaque(`${name} runs something that the line does not show`);
  const subcommand = SUBCOMMANDS.get(name);
  const operand = args.slice(1).find((arg) => arg.text === undefined || !arg.text.startsWith("-"));
  if (
    subcommand !== undefined &&
    operand !== undefined &&
    (operand.text === undefined || subcommand.test(operand.text))
  ) {
    return opaque(`${name} ${operand.text ?? operand.source} runs something that the line does not show`);
  }
  const [, interpreter] = INTERPRETERS.find(([pattern]) => pattern.test(name)) ?? [];
  if (interpreter !== undefined) return findCode(name, args, interpreter);
  if (/^[gmn]?awk$|^original-awk$/.test(name)) {
    return isSafeAwk(args) ? undefined : opaque(`${name} runs a program that cannot be checked`);
  }
  if (/^g?sed$/.test(name) && !isSafeSed(args)) return opaque(`${name} runs a script that cannot be checked`);
  if (PAGERS.has(name) && args.some(({ start }) => start.startsWith("+")))
    return opaque(`${name} runs a command given after a plus sign`);
  return findBuiltin(name, args);
}

/** An argument with a plus is a command of theirs, which can run a program. */
const PAGERS: ReadonlySet<string> = new Set(["less", "more", "most"]);

/** Code by a name, or interactive. */
const NO_SCRIPT = /^data:|^inspect$/;

/** A script that is the standard input or another descriptor: `/dev/stdin`, or `0` after `cd /dev/fd`. */
export function isDescriptor(script: string): boolean {
  const name = posix.normalize(script);
  return name === "-" || /^\/(?:dev|proc)\//.test(name) || /^(?:.*\/)?(?:stdin|\d+)$/.test(name);
}

/** Modules of Python. */
const RUNS_ARGUMENTS = /^(?:-[a-zA-Z]*m)?(?:timeit|pdb|code|asyncio|runpy)$/;

function findCode(name: string, args: readonly Arg[], interpreter: Interpreter): Finding | undefined {
  const runsCode = opaque(`${name} runs code from the line or its input`);
  let isComplete = false;
  for (let at = 1; at < args.length; at++) {
    const { text, start } = args[at] ?? { text: undefined, start: "" };
    if (text === undefined) return start === "" || start.startsWith("-") ? runsCode : undefined;
    if (text === "-" || text === "--") return text === "--" && at + 1 < args.length ? undefined : runsCode;
    if (!text.startsWith("-")) return NO_SCRIPT.test(text) || isDescriptor(text) ? runsCode : undefined;
    const option = readOption(text, interpreter);
    if (option === "module" && RUNS_ARGUMENTS.test(text.length > 2 ? text : (args[at + 1]?.text ?? "")))
      return runsCode;
    if (option === "code") return runsCode;
    if (option === "module") return undefined;
    if (option === "value") at++;
    isComplete ||= option === "complete";
  }
  return isComplete ? undefined : runsCode;
}

function readOption(
  text: string,
  { letters, long, values, module }: Interpreter,
): "code" | "module" | "value" | "complete" | "flag" {
  // Does something without a script.
  if (/^--?(?:version|help|v|V|h|test|check)$/.test(text)) return "complete";
  if (text.startsWith("--")) {
    const [name = ""] = text.slice(2).split("=");
    return long.some((one) => one.startsWith(name) || name.startsWith(one)) ? "code" : "flag";
  }
  for (let at = 1; at < text.length; at++) {
    const letter = text.charAt(at);
    if (letter === module) return "module";
    if (letters.includes(letter)) return "code";
    if (values.includes(letter)) return at + 1 === text.length ? "value" : "flag";
  }
  return "flag";
}

// awk and sed programs in a line: only those that can do nothing but print are harmless.
function isSafeAwk(args: readonly Arg[]): boolean {
  for (let at = 1; at < args.length; at++) {
    const { text } = args[at] ?? { text: undefined };
    if (text === undefined) return false;
    if (/^-[Fv]$/.test(text)) {
      at++;
      if (args[at]?.text === undefined) return false;
    } else if (text.startsWith("-") && text !== "--") {
      if (!/^-[Fv]./.test(text)) return false;
    } else if (text !== "--") return isSafeAwkText(text);
  }
  return true;
}

/** No pipe, file, other program, or call by a computed name. */
function isSafeAwkText(text: string): boolean {
  // `$3 > 5` before a `print` is a comparison, after it a file name.
  return !/system|getline|@|close|fflush|\||extension|load|print[\s\S]*>/.test(text);
}

const SED_VALUES = new Set(["-e", "--expression", "-l", "--line-length"]);

function isSafeSed(args: readonly Arg[]): boolean {
  let hasScript = false;
  for (let at = 1; at < args.length; at++) {
    const { text } = args[at] ?? { text: undefined };
    if (text === undefined) return hasScript;
    const attached = /^(?:-[nErzsu]*e|--e[a-z]*=)([\s\S]+)$/.exec(text)?.[1];
    if (attached !== undefined) {
      if (!isSafeSedText(attached)) return false;
      hasScript = true;
    } else if (SED_VALUES.has(text) || /^-[nErzsu]+e$|^--e[a-z]*$/.test(text)) {
      const script = args[++at]?.text;
      if (script === undefined || (!/^-l|^--line/.test(text) && !isSafeSedText(script))) return false;
      hasScript ||= !/^-l|^--line/.test(text);
    } else if (/^-[a-zA-Z]*f|^--fi/.test(text)) return false;
    else if (!text.startsWith("-") && !hasScript) {
      if (!isSafeSedText(text)) return false;
      hasScript = true;
    }
  }
  return true;
}

/** Substitutions without `e` and `w`, and commands that edit the output. */
function isSafeSedText(text: string): boolean {
  // In brackets the delimiter is text to GNU sed, and an end to others: `s/[/]/;s/e;#/a/`.
  const bracketed = (end: string) =>
    String.raw`\[(?:\^|(?!\^))(?:\]|(?!\]))(?:\[:\w+:\]|\\[^\]\n]|(?!${end})(?!\[[.=:])[^\]\\\n])*\]`;
  const pattern = (end: string) => String.raw`(?:(?!${end})[^\\\n[]|\\[^\n]|${bracketed(end)})*`;
  const address = String.raw`(?:\d+|\$|\/${pattern(String.raw`\/`)}\/I?|\d+~\d+)`;
  const substitution = String.raw`[sy]([^\w\s\\;[])${pattern(String.raw`\1`)}\1(?:(?!\1)[^\\\n]|\\[^\n])*\1[gpiIm\d]*`;
  const command = String.raw`(?:${address}(?:,[+~]?${address})?)?\s*!?\s*(?:${substitution}|[pdqQnNgGhHxPDlz=]\s*\d*|[aic]\\?[^\n]*|[bt]\s*\w*|\{|:\s*\w+)`;
  const known = new RegExp(String.raw`^(?:\s*${command}\s*(?:[;\n}]|$)|[\s;}]+|\s*${address}\s*!?\s*\{)`);
  let rest = text;
  for (let count = 0; rest !== "" && count < 200; count++) {
    const [matched] = known.exec(rest) ?? [];
    if (matched === undefined || matched === "") return false;
    rest = rest.slice(matched.length);
  }
  return rest === "";
}

// Builtins that set variables by name, or take an operand that the shell evaluates.
const DECLARE = new Set(["export", "declare", "typeset", "local", "readonly"]);
const OPTIONS = new Set(["set", "shopt", "setopt", "unsetopt"]);
/** They make a shell read or forget names. */
const NAMING = new Set(["read", "unset", "getopts", "wait"]);

function findBuiltin(name: string, args: readonly Arg[]): Finding | undefined {
  const operands = args.slice(1);
  if (DECLARE.has(name)) return inDeclaration(name, operands);
  if (OPTIONS.has(name)) {
    const strange = findStrangeOption(name, operands);
    return strange === undefined ? undefined : opaque(`${name} ${shown(strange.source)} changes what the line means`);
  }
  if (name === "test" || name === "[") {
    return findEvaluated(name, operands, (before) => before === "-v" || before === "-R");
  }
  if (name === "printf") return findEvaluated(name, operands, (before) => before === "-v", "-v");
  if (NAMING.has(name)) {
    const finding = operands
      .map(({ text }) => (text === undefined ? undefined : findAssignment(text, false)))
      .find(Boolean);
    const isUnclear = operands.some(({ text }) => text === undefined || text.includes("["));
    return isUnclear ? late(name) : finding;
  }
  return undefined;
}

/** In zsh and ksh operands of these are arithmetic, which runs commands in a subscript: `printf %d 'a[$(rm x)]'`. */
const CALCULATING = new Set(
  "printf test [ exit return break continue shift repeat integer float ulimit wait".split(" "),
);

export function findCalculated(name: string, args: readonly Arg[]): Finding | undefined {
  return CALCULATING.has(name) && args.some(({ text, start }) => /\w\[[\s\S]*[$`]/.test(text ?? start))
    ? late(name)
    : undefined;
}

function inDeclaration(name: string, operands: readonly Arg[]): Finding | undefined {
  for (const arg of operands) {
    const { text, start } = arg;
    const named = assignmentName(arg);
    if (text === undefined && named === undefined) return late(name);
    if (/^[-+]\w*[ni]/.test(start) || /^\w+\[/.test(start)) return late(name);
    const finding = named === undefined ? undefined : findAssignment(named, false, text?.slice(named.length + 1));
    if (finding !== undefined) return finding;
  }
  return undefined;
}

/** The operand of these options, attached or not, is a name that is evaluated. */
function findEvaluated(
  name: string,
  operands: readonly Arg[],
  isBefore: (text: string | undefined) => boolean,
  attached?: string,
): Finding | undefined {
  for (const [at, arg] of operands.entries()) {
    const isNamed = at > 0 && isBefore(operands[at - 1]?.text);
    const isAttached = attached !== undefined && arg.text !== attached && arg.start.startsWith(attached);
    const { text } = arg;
    if ((isNamed || isAttached) && (text === undefined || text.includes("["))) return late(name);
    const finding = isNamed && text !== undefined && attached !== undefined ? findAssignment(text, false) : undefined;
    if (finding !== undefined) return finding;
  }
  return undefined;
}

function late(name: string): Finding {
  return opaque(`${name} evaluates a name only at run time`);
}
