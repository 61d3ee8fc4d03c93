/** Packs the product as npm would publish it and unpacks it in a temporary directory. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

export interface Product {
  /** `bin/roundtable.js` of the packed product. */
  readonly program: string;
  /** Bundle of the rooms, for programs that measure one of them. */
  readonly rooms: string;
  readonly scratch: string;
  remove(): void;
}

export function packProduct(): Product {
  const scratch = mkdtempSync(path.join(tmpdir(), "roundtable-bench-"));
  execFileSync("npm", ["pack", "--silent", "--pack-destination", scratch], { stdio: ["ignore", "ignore", "inherit"] });
  const tarball = readdirSync(scratch).find((name) => name.endsWith(".tgz"));
  if (!tarball) throw new Error(`npm pack made no tarball in ${scratch}.`);
  execFileSync("tar", ["-xzf", path.join(scratch, tarball), "-C", scratch]);
  const root = path.join(scratch, "package");
  return {
    program: path.join(root, "bin/roundtable.js"),
    rooms: path.join(root, "dist/rooms.js"),
    scratch,
    remove: () => rmSync(scratch, { recursive: true, force: true }),
  };
}
