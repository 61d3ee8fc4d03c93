/**
 * The page for programs that run from a checkout. Packing takes a second, and tests start many programs: what was packed
 * of the same sources is kept under node_modules and used again.
 */
import { readFileSync, writeFileSync } from "node:fs";
import type { WebFile } from "./bundle-web.ts";
import { keepMade, madePlace } from "./made-of-sources.ts";

/** What the page is made of; a file that is no part of it only has it packed once more. */
const SOURCES = ["src/web", "src/client", "src/transcript", "src/protocol", "src/kit", "tooling", "package-lock.json"];

export async function pageOfCheckout(): Promise<WebFile[]> {
  const file = madePlace("roundtable-page", SOURCES);
  try {
    return JSON.parse(readFileSync(file, "utf8")) as WebFile[];
  } catch {
    // Not packed yet, or half a file of a program that was killed.
  }
  // The packer itself takes a while to load.
  const { bundleWeb } = await import("./bundle-web.ts");
  const files = await bundleWeb({ minify: false });
  try {
    keepMade(file, (mine) => writeFileSync(mine, JSON.stringify(files)));
  } catch {
    // A checkout that cannot be written to is packed every time.
  }
  return files;
}
