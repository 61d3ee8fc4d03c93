/** Edits a text in the user's editor, through a private temporary file. */
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Environment } from "../config/paths.ts";

const FALLBACK = process.platform === "win32" ? "notepad" : "vi";

/** Undefined when the editor failed; the text stays as it was. */
export async function editExternally(text: string, env: Environment): Promise<string | undefined> {
  const command = env["VISUAL"] || env["EDITOR"] || FALLBACK;
  const directory = await mkdtemp(path.join(tmpdir(), "roundtable-"));
  const file = path.join(directory, "message.md");
  try {
    await writeFile(file, text, { mode: 0o600 });
    const code = await runEditor(command, file);
    if (code !== 0) return undefined;
    return (await readFile(file, "utf8")).replace(/\n$/, "");
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/**
 * The variable may contain arguments (`code --wait`), so a shell parses it, as git does; the file is passed separately.
 * The shell receives Ctrl+C too: without a trap it would exit, and we would take the terminal from a running editor.
 * A trap, unlike an ignored signal, is not inherited by the editor.
 */
function runEditor(command: string, file: string): Promise<number> {
  const isWindows = process.platform === "win32";
  const [program, args] = isWindows
    ? ["cmd.exe", ["/d", "/s", "/c", `${command} "${file}"`]]
    : ["/bin/sh", ["-c", `trap : INT QUIT; ${command} "$1"`, "sh", file]];
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: "inherit", windowsVerbatimArguments: isWindows });
    child.on("error", (error) => reject(new Error(`the editor "${command}" could not be started: ${error.message}`)));
    child.on("exit", (code) => resolve(code ?? 1));
  });
}
