/**
 * What a checkout says to agents, for a program that takes no settings from it: CLAUDE.md it finds by itself in the
 * directories it is told, AGENTS.md is told to it.
 */
import { existsSync, realpathSync } from "node:fs";
import path from "node:path";
import { checkoutDirectories } from "../../../kit/files/checkout-directories.ts";
import { notesText, readProjectNotes } from "../../tools/project-notes.ts";
import { checkoutRoot } from "../../process/launch/checkout.ts";

const LEVELS_MAX = 16;

/** From the session's directory up to the checkout's root, as seen from there. */
export function memoryDirectories(cwd: string): string[] {
  const real = realPath(cwd);
  const root = checkoutRoot(real);
  const levels = root === undefined ? 1 : checkoutDirectories(real).indexOf(root) + 1;
  const count = Math.min(Math.max(levels, 1), LEVELS_MAX);
  return Array.from({ length: count }, (_, level) => (level === 0 ? "." : Array<string>(level).fill("..").join("/")));
}

/** AGENTS.md where no CLAUDE.md lies beside it, as the program itself does it. Never rejects. */
export async function readAgentsNotes(cwd: string): Promise<string | null> {
  const real = realPath(cwd);
  const isAlone = (file: string): boolean =>
    path.basename(file) === "AGENTS.md" && !existsSync(path.join(real, path.dirname(file), "CLAUDE.md"));
  return notesText(await readProjectNotes(real, isAlone));
}

function realPath(cwd: string): string {
  try {
    return realpathSync(cwd);
  } catch {
    // Then the program will not start there either.
    return cwd;
  }
}
