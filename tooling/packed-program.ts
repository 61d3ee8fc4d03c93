/**
 * The program as it is packed, in a folder of its own under node_modules for each state of the sources, so that packing
 * again does not take files away from a server that still runs.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { keepMade, madePlace } from "./made-of-sources.ts";

const BIN = join("bin", "roundtable.js");
const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");

/** Packed when the sources have changed since, which takes some seconds; `onPack` hears of it first. */
export async function packedProgram(onPack = () => {}): Promise<string> {
  const place = madePlace("roundtable-program", [
    "src",
    "edges",
    "bin",
    "tooling",
    "package.json",
    "package-lock.json",
  ]);
  if (!existsSync(place)) {
    onPack();
    await makeOnce(place, () => keepMade(place, packProgram));
  }
  return join(place, BIN);
}

function packProgram(mine: string): void {
  mkdirSync(join(mine, "bin"), { recursive: true });
  for (const file of ["package.json", BIN]) copyFileSync(join(root, file), join(mine, file));
  execFileSync(process.execPath, [join(root, "tooling", "build.ts"), join(mine, "dist")], { stdio: "pipe" });
}

const MAKING_MS_MAX = 120_000;
const POLL_MS = 50;

/** Of several processes that need it at once one makes it and the others wait, unless that one was killed. */
export async function makeOnce(place: string, make: () => void | Promise<void>): Promise<void> {
  const mark = `${place}.making`;
  if (!claim(place, mark)) return;
  try {
    await make();
  } finally {
    rmSync(mark, { recursive: true, force: true });
  }
}

/** False once it is there. */
function claim(place: string, mark: string): boolean {
  mkdirSync(dirname(place), { recursive: true });
  for (let waitedMs = 0; waitedMs < MAKING_MS_MAX; waitedMs += POLL_MS) {
    if (existsSync(place)) return false;
    try {
      mkdirSync(mark);
      return true;
    } catch {
      // Another process is packing.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, POLL_MS);
    }
  }
  return true;
}
