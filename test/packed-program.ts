/**
 * The program as it is packed, and programs of the tests: they are started hundreds of times, and packed they start twice
 * as fast as from their sources.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { keepMade, madePlace } from "../tooling/made-of-sources.ts";
import { patient } from "./patience.ts";

const BIN = join("bin", "roundtable.js");
const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");

/** Packed when the sources have changed since, which takes some seconds. */
export function packedProgram(): string {
  const place = madePlace("roundtable-program", ["src", "bin", "tooling", "package.json", "package-lock.json"]);
  if (isOursToMake(place)) {
    try {
      keepMade(place, packProgram);
    } finally {
      rmSync(markOf(place), { recursive: true, force: true });
    }
  }
  return join(place, BIN);
}

function packProgram(mine: string): void {
  mkdirSync(join(mine, "bin"), { recursive: true });
  for (const file of ["package.json", BIN]) copyFileSync(join(root, file), join(mine, file));
  execFileSync(process.execPath, [join(root, "tooling", "build.ts"), join(mine, "dist")], { stdio: "pipe" });
}

const MAKING_MS_MAX = patient(30_000);
const LOOK_MS = 50;
const markOf = (place: string) => `${place}.making`;

/** False once it is there. Of several that need it at once one makes it and the others wait, unless that one was killed. */
function isOursToMake(place: string): boolean {
  mkdirSync(dirname(place), { recursive: true });
  for (let waitedMs = 0; waitedMs < MAKING_MS_MAX; waitedMs += LOOK_MS) {
    if (existsSync(place)) return false;
    try {
      mkdirSync(markOf(place));
      return true;
    } catch {
      // Somebody is at it.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_MS);
    }
  }
  return true;
}

/** What tests start again and again, by the name it is packed under. */
const testPrograms = {
  "served-table": "test/client/programs/served-table.ts",
  "streaming-table": "test/crash/programs/streaming-table.ts",
  table: "test/host/programs/table.ts",
  "append-program": "test/log/append-program.ts",
  "mcp-server": "test/agents/fakes/mcp-server.ts",
};

/** Packed, all of them together, when the sources have changed since, which takes a second. */
export async function packedTestProgram(name: keyof typeof testPrograms): Promise<string> {
  const rooms = ["agents/fakes", "client", "crash", "host", "log"].map((room) => join("test", room));
  const place = madePlace("roundtable-test-programs", ["src", "test/packed-program.ts", ...rooms, "package-lock.json"]);
  if (isOursToMake(place)) {
    try {
      const made = `${place}.${process.pid}.packed`;
      await packTestPrograms(made);
      keepMade(place, (mine) => renameSync(made, mine));
    } finally {
      rmSync(markOf(place), { recursive: true, force: true });
    }
  }
  return join(place, `${name}.js`);
}

async function packTestPrograms(directory: string): Promise<void> {
  const { build } = await import("rolldown");
  await build({
    cwd: root,
    // A host starts the index by its name beside itself.
    input: { ...testPrograms, "search-index": "src/host/search/program.ts" },
    platform: "node",
    external: [/^node:/],
    resolve: { mainFields: ["module", "main"] },
    // As in the product: nothing of ours does anything when it is loaded, except the programs themselves.
    treeshake: { moduleSideEffects: [{ test: /\/src\/(?!.*\/program\.ts$)/, sideEffects: false }] },
    output: { dir: directory, format: "esm", entryFileNames: "[name].js", chunkFileNames: "[name]-[hash].js" },
  });
}
