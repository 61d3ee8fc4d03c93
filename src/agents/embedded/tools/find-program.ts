/** Finds a program on PATH by its absolute path, without ever taking one from the directory the session is about. */
import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import { isInside } from "./inside.ts";

/** A relative PATH entry, or one inside `outside` (node_modules/.bin), would let a cloned repository choose what runs. */
export async function findProgram(
  name: string,
  { path, outside }: { path: string; outside: string },
): Promise<string | null> {
  const fileName = process.platform === "win32" ? `${name}.exe` : name;
  for (const directory of path.split(delimiter)) {
    if (!isAbsolute(directory)) continue;
    const found = await runnable(join(directory, fileName));
    if (found !== null && !isInside(outside, found) && !isInside(outside, directory)) return found;
  }
  return null;
}

async function runnable(candidate: string): Promise<string | null> {
  try {
    await access(candidate, constants.X_OK);
    const real = await realpath(candidate);
    return (await stat(real)).isFile() ? real : null;
  } catch {
    // Not there or not to be run: the next directory may have it.
    return null;
  }
}
