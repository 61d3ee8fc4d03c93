/** Moves files that nobody has allowed to a directory where they govern nothing. */
import { cpSync, mkdirSync, renameSync, rmSync } from "node:fs";
import path from "node:path";

/** Undefined when it was moved, otherwise why not. Links are moved as links. */
export function move(from: string, to: string): string | undefined {
  try {
    mkdirSync(path.dirname(to), { recursive: true, mode: 0o700 });
    try {
      renameSync(from, to);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
      cpSync(from, to, { recursive: true, verbatimSymlinks: true });
      rmSync(from, { recursive: true });
    }
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
