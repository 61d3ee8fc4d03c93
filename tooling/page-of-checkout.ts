/**
 * The page for programs that run from a checkout. Packing takes a second, and tests start many programs: what was packed
 * of the same sources is kept under node_modules and used again.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { WebFile } from "./bundle-web.ts";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const cache = join(root, "node_modules", ".cache", "roundtable-page");
/** What the page is made of; a file that is no part of it only has it packed once more. */
const SOURCES = ["src/web", "src/client", "src/transcript", "src/protocol", "src/kit", "tooling", "package-lock.json"];
/** Of older sources; more than this are removed. */
const KEPT_MAX = 4;

export async function pageOfCheckout(): Promise<WebFile[]> {
  const file = join(cache, `${keyOf(SOURCES)}.json`);
  try {
    return JSON.parse(readFileSync(file, "utf8")) as WebFile[];
  } catch {
    // Not packed yet, or half a file of a program that was killed.
  }
  // The packer itself takes a while to load.
  const { bundleWeb } = await import("./bundle-web.ts");
  const files = await bundleWeb({ minify: false });
  try {
    keep(file, JSON.stringify(files));
  } catch {
    // A checkout that cannot be written to is packed every time.
  }
  return files;
}

function keep(file: string, text: string): void {
  mkdirSync(cache, { recursive: true });
  const mine = `${file}.${process.pid}`;
  writeFileSync(mine, text);
  renameSync(mine, file);
  const old = readdirSync(cache)
    .map((name) => ({ path: join(cache, name), at: statSync(join(cache, name)).mtimeMs }))
    .sort((a, b) => b.at - a.at);
  for (const { path } of old.slice(KEPT_MAX)) rmSync(path, { force: true });
}

function keyOf(sources: readonly string[]): string {
  const hash = createHash("sha256");
  for (const source of sources) {
    const place = join(root, source);
    const names = statSync(place).isDirectory() ? readdirSync(place, { recursive: true }).map(String).sort() : [""];
    for (const name of names) {
      const { size, mtimeMs, isDirectory } = describe(join(place, name));
      if (!isDirectory) hash.update(`${source}/${name} ${size} ${mtimeMs}\n`);
    }
  }
  return hash.digest("hex").slice(0, 32);
}

function describe(path: string): { size: number; mtimeMs: number; isDirectory: boolean } {
  const found = statSync(path);
  return { size: found.size, mtimeMs: found.mtimeMs, isDirectory: found.isDirectory() };
}
