/** Our extension on disk, in a directory of this member alone, for as long as it sits at the table. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

export interface ExtensionFile {
  /** Where things of this member may lie. Only after `write`. */
  readonly directory: () => string;
  /** Throws when the disk does not take it. */
  write(source: string): void;
  /** Its path, for a program that is about to start. Pi says so itself when it could not be written. */
  path(source: string): string;
  remove(): void;
}

export function createExtensionFile(): ExtensionFile {
  let directory: string | null = null;
  const fileIn = (folder: string): string => path.join(folder, "roundtable.cjs");
  const write = (source: string): void => {
    // Somebody may have tidied it away meanwhile.
    if (directory === null || !existsSync(directory)) directory = mkdtempSync(path.join(tmpdir(), "roundtable-pi-"));
    rmSync(fileIn(directory), { force: true });
    writeFileSync(fileIn(directory), source, { mode: 0o600, flag: "wx" });
  };
  return {
    directory: () => directory ?? tmpdir(),
    write,
    path(source) {
      try {
        write(source);
      } catch {
        // Pi starts without it, and no turn is sent to a Pi that nobody guards.
      }
      return fileIn(directory ?? tmpdir());
    },
    remove() {
      if (directory === null) return;
      try {
        rmSync(directory, { recursive: true, force: true });
      } catch {
        // It holds no secret beyond this process; the system tidies its temporary directory.
      }
      directory = null;
    },
  };
}
