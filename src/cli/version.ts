/** Version from package.json: one directory above `dist/`, two above this file in a checkout. */
import { readFileSync } from "node:fs";

export function readVersion(): string {
  const packageFile = import.meta.url.endsWith("/src/cli/version.ts") ? "../../package.json" : "../package.json";
  const about = JSON.parse(readFileSync(new URL(packageFile, import.meta.url), "utf8")) as { version: string };
  return about.version;
}
