/** Things that take a while to make of the sources: kept under node_modules, and used again while the sources are the same. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
/** Of older sources, which somebody may still run: after this time nobody does. */
const KEPT_MS = 24 * 3_600_000;

/** Where the thing of this name is, or would be, for the sources as they are now: files or folders of the checkout. */
export function madePlace(name: string, sources: readonly string[]): string {
  return join(root, "node_modules", ".cache", name, keyOf(sources));
}

/** Made beside its place and moved there whole, so that nobody finds half of it; who comes second uses what is there. */
export function keepMade(place: string, make: (mine: string) => void): void {
  const cache = dirname(place);
  mkdirSync(cache, { recursive: true });
  const mine = `${place}.${process.pid}`;
  make(mine);
  try {
    renameSync(mine, place);
  } catch (error) {
    rmSync(mine, { recursive: true, force: true });
    if (!existsSync(place)) throw error;
  }
  for (const name of readdirSync(cache)) {
    // Undefined when somebody else has just removed it.
    const madeMs = statSync(join(cache, name), { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
    if (name !== basename(place) && Date.now() - madeMs > KEPT_MS)
      rmSync(join(cache, name), { recursive: true, force: true });
  }
}

function keyOf(sources: readonly string[]): string {
  const hash = createHash("sha256");
  for (const source of sources) {
    const place = join(root, source);
    const names = statSync(place).isDirectory() ? readdirSync(place, { recursive: true }).map(String).sort() : [""];
    for (const name of names) {
      const found = statSync(join(place, name));
      if (!found.isDirectory()) hash.update(`${source}/${name} ${found.size} ${found.mtimeMs}\n`);
    }
  }
  return hash.digest("hex").slice(0, 32);
}
