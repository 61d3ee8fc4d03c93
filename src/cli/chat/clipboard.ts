/** System clipboard through its command-line program. A terminal can take text too, but never confirms it. */
import { spawn } from "node:child_process";
import type { Environment } from "../config/paths.ts";

/** Timeout of the clipboard program. */
const COPY_TIMEOUT_MS = 2_000;

/** True when a program took the text. */
export async function copyToClipboard(text: string, env: Environment): Promise<boolean> {
  // Over SSH this clipboard is not the user's.
  if (env["SSH_CONNECTION"] !== undefined || env["SSH_TTY"] !== undefined) return false;
  const { findProgram } = await import("../../agents/index.ts");
  for (const [program, ...args] of programsFor(env)) {
    const resolved =
      program === undefined ? undefined : findProgram(program, { PATH: env["PATH"], cwd: process.cwd() });
    if (resolved?.ok === true && (await feed(resolved.path, args, text))) return true;
  }
  return false;
}

function programsFor(env: Environment): readonly (readonly string[])[] {
  if (process.platform === "darwin") return [["pbcopy"]];
  if (process.platform === "win32") return [["clip.exe"]];
  return [
    ...(env["WAYLAND_DISPLAY"] === undefined ? [] : [["wl-copy"]]),
    ...(env["DISPLAY"] === undefined
      ? []
      : [
          ["xclip", "-selection", "clipboard"],
          ["xsel", "--clipboard", "--input"],
        ]),
  ];
}

function feed(program: string, args: readonly string[], text: string): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program, [...args], { stdio: ["pipe", "ignore", "ignore"] });
    const late = setTimeout(() => child.kill("SIGKILL"), COPY_TIMEOUT_MS);
    child.on("error", () => resolve(false));
    child.on("exit", (code) => {
      clearTimeout(late);
      resolve(code === 0);
    });
    // It may exit before reading everything; its exit code reports that.
    child.stdin.on("error", () => {});
    child.stdin.end(text);
  });
}
