/** The program as it is packed: tests start it hundreds of times, and packed it starts twice as fast as from its sources. */
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { keepMade, madePlace } from "../tooling/made-of-sources.ts";

const BIN = join("bin", "roundtable.js");
const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");

/** Packed when the sources have changed since, which takes some seconds. */
export function packedProgram(): string {
  const place = madePlace("roundtable-program", ["src", "bin", "tooling", "package.json", "package-lock.json"]);
  if (!existsSync(place)) {
    keepMade(place, (mine) => {
      mkdirSync(join(mine, "bin"), { recursive: true });
      for (const file of ["package.json", BIN]) copyFileSync(join(root, file), join(mine, file));
      execFileSync(process.execPath, [join(root, "tooling", "build.ts"), join(mine, "dist")], { stdio: "pipe" });
    });
  }
  return join(place, BIN);
}
