/**
 * Programs that run another one named in their arguments, with their options. An option missing from the table makes
 * the line opaque: the next word might be its value.
 */
import { opaque, unallowed, type Finding } from "./finding.ts";
import { optionTable, type OptionTable } from "./options.ts";

export interface Wrapper {
  /** Does not change what the inner command may do; otherwise a rule must allow the wrapper too. */
  readonly isTransparent: boolean;
  readonly options: OptionTable;
  /** Operands of its own before the inner program. */
  readonly operands: number;
  /** Reads `NAME=value` before the inner program. */
  readonly hasAssignments: boolean;
  /** Adds arguments that are not in the line. */
  readonly addsArguments: boolean;
  /** Options with which it only prints. */
  readonly prints: string;
  /** Starts a shell without a command. */
  readonly isShellAlone: boolean;
  /** Options by which the inner command is another one, or acts elsewhere, and what they do. */
  readonly altering: Readonly<Record<string, Finding>>;
}

function wrapper(spec: string, rest: Partial<Wrapper> = {}): Wrapper {
  return {
    isTransparent: false,
    operands: 0,
    hasAssignments: false,
    addsArguments: false,
    prints: "",
    isShellAlone: false,
    altering: {},
    ...rest,
    options: optionTable(spec),
  };
}

const plain = (spec: string, rest: Partial<Wrapper> = {}) => wrapper(spec, { ...rest, isTransparent: true });

const TIMEOUT = plain("k: s: v f p --kill-after= --signal= --foreground --preserve-status --verbose", { operands: 1 });
const RUN = wrapper("");
const ELSEWHERE = unallowed("it runs in another directory");
const PACKAGE_RUNNER = wrapper(
  "y q p: --yes --no --quiet --silent --package= --no-install --prefer-offline --offline --ignore-existing --bun",
);

export const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map([
  [
    "env",
    plain("i 0 v u: C: --ignore-environment --null --debug --unset= --chdir= --ignore-signal? --default-signal?", {
      hasAssignments: true,
      altering: { C: ELSEWHERE, chdir: ELSEWHERE },
    }),
  ],
  ["cross-env", plain("", { hasAssignments: true })],
  ["time", plain("p v f: --portability --verbose --format=")],
  ["nice", plain("n: 0 1 2 3 4 5 6 7 8 9 --adjustment=")],
  ["ionice", plain("c: n: t --class= --classdata= --ignore")],
  ["nohup", plain("")],
  ["command", plain("p v V", { prints: "vV" })],
  ["builtin", plain("")],
  // Some programs are another one under another name: `exec -a git-rm git`.
  ["exec", plain("c l a:", { altering: { a: opaque("exec -a gives a program another name") } })],
  ["noglob", plain("")],
  ["nocorrect", plain("")],
  ["-", plain("")],
  ["and", plain("")],
  ["or", plain("")],
  ["not", plain("")],
  ["repeat", plain("", { operands: 1 })],
  ["timeout", TIMEOUT],
  ["gtimeout", TIMEOUT],
  ["stdbuf", plain("i: o: e: --input= --output= --error=")],
  ["setsid", plain("c f w --ctty --fork --wait")],
  ["taskset", plain("a c --all-tasks --cpu-list", { operands: 1 })],
  ["chrt", plain("a b f i m o r v R --batch --fifo --idle --other --rr --verbose", { operands: 1 })],
  ["caffeinate", plain("d i m s u t: w:")],
  ["unbuffer", plain("p")],
  ["fakeroot", plain("u --unknown-is-real")],
  ["dbus-run-session", plain("")],
  ["xvfb-run", plain("a l n: w: --auto-servernum --listen-tcp --server-num= --wait=")],
  ["linux32", plain("")],
  ["linux64", plain("")],
  [
    "sudo",
    wrapper(
      "A b B E H i k K n N P S s u: g: h: C: D: p: R: r: T: t: U: --askpass --background --bell --preserve-env? --set-home --login --reset-timestamp --remove-timestamp --non-interactive --preserve-groups --prompt= --stdin --shell --user= --group= --host= --chdir= --chroot= --command-timeout= --role= --type= --other-user=",
      { hasAssignments: true, isShellAlone: true },
    ),
  ],
  ["doas", wrapper("n s u: L", { isShellAlone: true })],
  ["pkexec", wrapper("--user= --disable-internal-agent --keep-cwd", { isShellAlone: true })],
  [
    "xargs",
    wrapper(
      "0 o p r t x a: d: E: e? I: i? J: L: l? n: P: R: S: s: --null --open-tty --interactive --no-run-if-empty --verbose --exit --arg-file= --delimiter= --eof? --replace? --max-lines? --max-args= --max-procs= --max-chars= --show-limits --process-slot-var=",
      { addsArguments: true },
    ),
  ],
  ["busybox", wrapper("")],
  ["toybox", wrapper("")],
  ["chroot", wrapper("u: g: G: n --userspec= --groups= --skip-chdir", { operands: 1, isShellAlone: true })],
  [
    "unshare",
    wrapper("m? u? i? n? p? U? C? T? f r c --mount? --uts? --ipc? --net? --pid? --user? --fork --map-root-user", {
      isShellAlone: true,
    }),
  ],
  ["nsenter", wrapper("t: a F m? u? i? n? p? U? C? --target= --all --no-fork", { isShellAlone: true })],
  ["strace", wrapper("c C d D f h i k q r t T v V w x y z e: E: s: S: u: p: a: b: I: P: X: --follow-forks")],
  ["ltrace", wrapper("c C f h i L r S t T V e: l: n: s: u: p: a: x:")],
  [
    "flock",
    wrapper(
      "s x e u n w: E: o F v --shared --exclusive --unlock --nonblock --nb --timeout= --wait= --close --no-fork",
      {
        operands: 1,
      },
    ),
  ],
  ["ssh-agent", wrapper("c s D d k a: E: P: t:")],
  ["rlwrap", wrapper("c r")],
  ["rtk", wrapper("")],
  ["dotenv", wrapper("e: c --")],
  ...["npx", "bunx", "pnpx", "uvx"].map((name) => [name, PACKAGE_RUNNER] as const),
  ...[
    "npm exec",
    "npm x",
    "pnpm exec",
    "pnpm dlx",
    "yarn exec",
    "yarn dlx",
    "bun x",
    "uv run",
    "poetry run",
    "pipenv run",
    "hatch run",
    "rye run",
    "pipx run",
    "conda run",
    "rustup run",
    "bundle exec",
    "mise exec",
    "direnv exec",
    "asdf exec",
    "opam exec",
  ].map((name) => [name, name === "rustup run" || name === "direnv exec" ? { ...RUN, operands: 1 } : RUN] as const),
]);

/** Shells that this grammar covers. */
export const SHELL_PROGRAMS: ReadonlySet<string> = new Set([
  "sh",
  "bash",
  "dash",
  "ash",
  "ksh",
  "mksh",
  "zsh",
  "rbash",
]);

/** Options of those shells; any other, such as another start-up file, may run anything. */
export const SHELL_OPTIONS = optionTable(
  "c l i e x u v n p r s a b f h m t B C E H P T o: O: --login --norc --noprofile --posix --restricted --verbose --noediting --no-rcs --no-globalrcs",
);

/** System directories of programs. */
export const SYSTEM_BIN = /^(?:\/usr(?:\/local)?)?\/s?bin\/|^\/opt\/homebrew\/bin\//;

/** Name of a program in tables and deny rules: without directory, version (`npx a@1`) and Windows suffix, lower case. */
export function programName(text: string): string {
  const base = text.split(/[/\\]/).at(-1) ?? text;
  return base
    .toLowerCase()
    .replace(/(?<=.)@[^@]*$/, "")
    .replace(/\.(?:exe|cmd|bat|com)$/, "");
}
