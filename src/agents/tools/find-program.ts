/** Finds a program on PATH by its absolute path, without ever taking one from the checkout the session is about. */
import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import { checkoutTest } from "../process/launch/checkout.ts";

/** A relative PATH entry, or one inside the checkout (node_modules/.bin), would let a cloned repository choose what runs. */
export async function findProgram(name: string, { path, cwd }: { path: string; cwd: string }): Promise<string | null> {
  const isInCheckout = checkoutTest(cwd);
  const fileName = process.platform === "win32" ? `${name}.exe` : name;
  for (const directory of path.split(delimiter)) {
    if (!isAbsolute(directory)) continue;
    const candidate = join(directory, fileName);
    const program = await runnable(candidate);
    if (program !== null && !isInCheckout(candidate)) return program;
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
