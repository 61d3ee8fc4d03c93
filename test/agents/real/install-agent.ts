/**
 * Puts a pinned agent program into a cache folder, with npm and nothing else. A folder carries the version in its name
 * and gets that name when everything is in it, so a cut installation is never taken for a whole one.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import type { Pin } from "./pins.ts";

const INSTALL_MS = 10 * 60_000;
const INSTALL = ["install", "--no-audit", "--no-fund", "--no-save"];

/** The home of root is closed to the user without rights who runs some of the trials. */
export function usualCacheDir(env: Readonly<Record<string, string | undefined>> = process.env): string {
  const own = process.getuid?.() === 0 ? "/var/cache" : path.join(homedir(), ".cache");
  const base = env["XDG_CACHE_HOME"] || own;
  return path.join(base, "roundtable", "test-agents");
}

export interface Installed {
  readonly command: string[];
  readonly version: string;
}

/** The pinned version, or the older one where that cannot be installed. When neither can, the reason is the pinned one's. */
export function installForHere(pin: Pin, cacheDir: string): Installed {
  try {
    return { command: installAgent(pin, cacheDir), version: pin.version };
  } catch (error) {
    const older =
      pin.olderVersion === undefined ? undefined : tryOlder({ ...pin, version: pin.olderVersion }, cacheDir);
    if (older === undefined) throw error;
    return older;
  }
}

function tryOlder(older: Pin, cacheDir: string): Installed | undefined {
  try {
    return { command: installAgent(older, cacheDir), version: older.version };
  } catch {
    // What is wrong with the pinned version says more.
    return undefined;
  }
}

/** The program's command line. */
export function installAgent(pin: Pin, cacheDir: string): string[] {
  const folder = path.join(cacheDir, `${pin.name}-${pin.version}`);
  if (!existsSync(folder)) makeWhole(folder, (unfinished) => fetchPackage(pin, unfinished));
  const file =
    pin.how === "unpack"
      ? path.join(folder, "package", pin.program)
      : path.join(folder, "node_modules", ".bin", pin.program);
  if (!existsSync(file)) throw new Error(`${pin.npmPackage}@${pin.version} has no program at ${file}.`);
  return pin.how === "unpack" ? [process.execPath, file] : [file];
}

function makeWhole(folder: string, fill: (unfinished: string) => void): void {
  mkdirSync(path.dirname(folder), { recursive: true });
  const unfinished = mkdtempSync(`${folder}.unfinished-`);
  try {
    fill(unfinished);
    // Some trials are run by a user without rights.
    chmodSync(unfinished, 0o755);
    renameSync(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

function fetchPackage(pin: Pin, folder: string): void {
  const what = `${pin.npmPackage}@${pin.version}`;
  if (pin.how === "install") {
    npm([...INSTALL, "--prefix", folder, what], folder);
    return;
  }
  if (pin.beside !== undefined) npm([...INSTALL, "--prefix", folder, ...pin.beside], folder);
  npm(["pack", "--pack-destination", folder, what], folder);
  const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz"));
  if (tarball === undefined) throw new Error(`npm pack ${what} brought nothing.`);
  execFileSync("tar", ["-xzf", path.join(folder, tarball), "-C", folder]);
}

function npm(args: readonly string[], cwd: string): void {
  execFileSync("npm", [...args], { cwd, stdio: ["ignore", "ignore", "pipe"], timeout: INSTALL_MS });
}
