/** The user's editor at a line of a file. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { FileEditor } from "../../tui/index.ts";
import type { Environment } from "../config/paths.ts";

type Form = (file: string, line: number | undefined) => string[];

const plus: Form = (file, line) => (line === undefined ? [file] : [`+${line}`, file]);
const colon: Form = (file, line) => [line === undefined ? file : `${file}:${line}`];
const goTo: Form = (file, line) => (line === undefined ? [file] : ["-g", `${file}:${line}`]);
const option: Form = (file, line) => (line === undefined ? [file] : ["--line", String(line), file]);

/** How an editor is given a line, and whether it has a window of its own. */
const EDITORS: Readonly<Record<string, readonly [form: Form, hasWindow: boolean]>> = {
  ...named(["vi", "vim", "nvim", "nano", "micro", "kak", "joe", "ne", "emacs", "emacsclient"], plus, false),
  ...named(["hx", "helix"], colon, false),
  ...named(["code", "code-insiders", "codium", "cursor", "windsurf"], goTo, true),
  ...named(["zed", "zeditor", "subl", "sublime_text"], colon, true),
  ...named(["gvim", "mvim", "gedit"], plus, true),
  ...named(["idea", "webstorm", "pycharm", "goland", "rubymine", "clion", "kate"], option, true),
};

function named(names: readonly string[], form: Form, hasWindow: boolean): Record<string, readonly [Form, boolean]> {
  return Object.fromEntries(names.map((name) => [name, [form, hasWindow] as const]));
}

const FALLBACK = process.platform === "win32" ? "notepad" : "vi";
/** An editor that cannot be started ends sooner. */
const STARTED_MS = 300;

/** An unknown editor gets the file alone, and the terminal. */
export function createFileEditor(env: Environment): (file: string, line: number | undefined) => FileEditor {
  return (file, line) => {
    const command = env["VISUAL"] || env["EDITOR"] || FALLBACK;
    const [form, hasOwn] = EDITORS[programOf(command)] ?? [(one: string) => [one], false];
    const hasWindow = hasOwn || hasGraphicEmacs(command, env);
    return {
      needsTerminal: !hasWindow,
      async open() {
        if (!existsSync(file)) throw new Error(`There is no file ${file}.`);
        await run(command, form(file, line), { cwd: path.dirname(file), hasWindow });
      },
    };
  };
}

/** "env FOO=1 /usr/bin/nvim -p" is nvim. */
function programOf(command: string): string {
  const args = command.trim().split(/\s+/);
  const program = args.find((one) => one !== "env" && !/^\w+=/.test(one)) ?? "";
  return (program.split(/[/\\]/).at(-1) ?? "").replaceAll(/^["']|["']$|\.(?:exe|cmd)$/g, "").toLowerCase();
}

/** Emacs opens a window where it can, and its client only when told to. */
function hasGraphicEmacs(command: string, env: Environment): boolean {
  const isTerminal = /\s(?:-nw|-t|--tty|--no-window-system)(?:\s|$)/.test(command);
  if (programOf(command) === "emacsclient")
    return !isTerminal && /\s(?:-c|-n|--create-frame|--no-wait)(?:\s|$)/.test(command);
  const hasDisplay = env["DISPLAY"] !== undefined || env["WAYLAND_DISPLAY"] !== undefined;
  return programOf(command) === "emacs" && hasDisplay && !isTerminal;
}

interface RunOptions {
  readonly cwd: string;
  readonly hasWindow: boolean;
}

/** A shell parses the variable, as git does; file and line are passed separately. */
async function run(command: string, args: readonly string[], { cwd, hasWindow }: RunOptions): Promise<void> {
  const isWindows = process.platform === "win32";
  const [program, given] = isWindows
    ? ["cmd.exe", ["/d", "/s", "/c", `${command} ${args.map((arg) => `"${arg}"`).join(" ")}`]]
    : ["/bin/sh", ["-c", `trap : INT QUIT; ${command} "$@"`, "sh", ...args]];
  const child = spawn(program, given, {
    cwd,
    stdio: hasWindow ? "ignore" : "inherit",
    detached: hasWindow && !isWindows,
    windowsVerbatimArguments: isWindows,
  });
  const ended = once(child, "exit").then(([code]) => (code === null ? 1 : Number(code)));
  const code = await (hasWindow ? Promise.race([ended, sleep(STARTED_MS, 0, { ref: false })]) : ended);
  child.unref();
  if (code !== 0) throw new Error(`The editor "${command}" ended with exit code ${code}. Set VISUAL or EDITOR.`);
}
