/** The system's clipboard, where a program for it is at hand. A terminal may take text too, but never says whether it did. */
import { spawn } from "node:child_process";
import type { Environment } from "../config/paths.ts";

/** A clipboard program that does not take the text within this time is given up. */
const COPY_TIMEOUT_MS = 2_000;

/** True when a program took the text. */
export async function copyToClipboard(text: string, env: Environment): Promise<boolean> {
  // Over a remote connection the clipboard here is not the one in front of the user.
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
    // It may end before it has read everything; its exit code says so.
    child.stdin.on("error", () => {});
    child.stdin.end(text);
  });
}
