/** Variables by which a line runs code that it does not show, and harmless ones. */
import type { SyntaxNode } from "unbash";
import { type Arg } from "./arg.ts";
import { opaque, shown, unallowed, type Finding } from "./finding.ts";

const HARMLESS = new Set(
  `CI NODE_ENV NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE COLUMNS LINES LANG LANGUAGE TZ TERM DEBUG LOG_LEVEL RUST_LOG
  RUST_BACKTRACE VERBOSE PORT HOST CARGO_TERM_COLOR PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONHASHSEED TEST UPDATE
  UPDATE_SNAPSHOTS GOOS GOARCH CGO_ENABLED GITHUB_ACTIONS HUSKY SEED TORTURE`.split(/\s+/),
);

/** Their values select, load or start programs and libraries. */
const CODE =
  /^(?:PATH|CDPATH|f?path|cdpath|module_path|(?:READ)?NULLCMD|IFS|ENV|BASH_ENV|BASH_FUNC_.*|BASHOPTS|SHELLOPTS|PROMPT_COMMAND|PS[0-4]|SHELL|LD_.*|DYLD_.*|GIT_.*|.*PAGER|.*EDITOR|VISUAL|BROWSER|LESS.*|MANOPT|NODE_(?:OPTIONS|PATH)|PYTHON(?:STARTUP|PATH|HOME|INSPECT|BREAKPOINT|WARNINGS|USERBASE)|PERL.*|RUBY.*|GEM_.*|BUNDLE_.*|npm_.*|NPM_CONFIG_.*|RIPGREP_.*|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|MAVEN_OPTS|GRADLE_OPTS|RUSTC.*|RUSTFLAGS|CARGO_(?!TERM_COLOR).*|GO(?:FLAGS|ROOT|PATH|PROXY|ENV|TOOLCHAIN)|CC|CXX|LD|AR|MAKEFLAGS|MFLAGS|MAKEFILES|.*_WRAPPER|SSH_.*|HOME|XDG_.*|ZDOTDIR|FPATH|HIST.*|OPENSSL_.*|GCONV_PATH|TERMINFO.*|.*_ASKPASS|.*_COMMAND)$/;

/** A shell evaluates what they are set to as arithmetic, and in a subscript there it runs commands: `a[$(rm x)]`. */
const INTEGERS =
  /^(?:SECONDS|S?RANDOM|OPTIND|LINENO|HISTCMD|HISTSIZE|SAVEHIST|COLUMNS|LINES|SHLVL|E?[UG]ID|TMOUT|MAILCHECK|KEYTIMEOUT|FUNCNEST|PERIOD|ERRNO|EPOCH\w*|LISTMAX|LOGCHECK|DIRSTACKSIZE|TTYIDLE|BAUD|TRY_BLOCK_\w+)$/;

/** Such variables may be exported already, and programs read them. */
const UPPER_CASE = /^[A-Z\d_]+$/;

/** `isBefore`: set for one command only. A shell variable set anywhere affects what follows. `value`: as far as known. */
export function findAssignment(name: string, isBefore: boolean, value?: string): Finding | undefined {
  if (INTEGERS.test(name) && !/^\d+$/.test(value ?? "")) return opaque(`${shown(name)} is evaluated as it is set`);
  if (HARMLESS.has(name) || /^LC_\w+$/.test(name)) return undefined;
  if (CODE.test(name)) return opaque(`it sets ${shown(name)}, which can run other programs`);
  const isRead = isBefore || UPPER_CASE.test(name) || name.endsWith("_proxy");
  return isRead ? unallowed(`it sets ${shown(name)} for a command`) : undefined;
}

/** Variables that are set otherwise than by an assignment; in arithmetic, those that may be. */
export function variablesSetBy(node: SyntaxNode): readonly string[] {
  switch (node.type) {
    case "For":
    case "Select":
      return [node.name.value];
    case "Coproc":
      return node.name === undefined ? [] : [node.name.value];
    case "Redirect":
    case "HereDoc":
    case "HereString":
      return node.descriptor?.type === "FileDescriptorVariable" ? [node.descriptor.name] : [];
    case "ParameterExpansion":
      return node.operation?.type === "Default" && node.operation.operator.endsWith("=") ? [node.parameter] : [];
    case "ArithmeticWord":
      return (node.value.match(/[A-Za-z_]\w*/g) ?? []).filter((name) => CODE.test(name));
    default:
      return [];
  }
}

/** A shell that uses the variable in arithmetic, or in a prompt, runs such text. */
export function findLateText(name: string, value: string | undefined): Finding | undefined {
  return /\$[({]|`/.test(value ?? "") ? opaque(`${shown(name)} is set to text that can run`) : undefined;
}

/** Names that a command sets to what it reads or prints, such as `read n`. */
export function namesSetBy(args: readonly Arg[]): readonly string[] {
  const texts = args.flatMap(({ text }) => text ?? []);
  const isSetting =
    texts.some((one) => one === "read" || one === "getopts") || (texts.includes("printf") && texts.includes("-v"));
  return isSetting ? texts.filter((one) => /^[A-Za-z_]\w*$/.test(one)) : [];
}

/** For words that a builtin or `env` reads as `NAME=value`. Undefined: it is not an assignment. */
export function assignmentName({ text, start }: Arg): string | undefined {
  return /^([A-Za-z_]\w*)(?:\[[^\]]*\])?\+?=/.exec(text ?? start)?.[1];
}
