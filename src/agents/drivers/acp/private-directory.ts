/** Owner-only folder for files that an agent's program reads at its start. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** Followed by the pid of its creator, by which others tell whether it is in use. */
export const OWN_FOLDER_PREFIX = "roundtable-agent-";

export class PrivateDirectory {
  #folder: string | null = null;

  /** Created on first use, and again when it was removed meanwhile. Throws when the disk is full. */
  get path(): string {
    if (this.#folder === null || !existsSync(this.#folder)) {
      this.#folder = mkdtempSync(path.join(tmpdir(), `${OWN_FOLDER_PREFIX}${process.pid}-`));
    }
    return this.#folder;
  }

  write(name: string, text: string): string {
    const file = path.join(this.path, name);
    writeFileSync(file, text, { mode: 0o600 });
    return file;
  }

  remove(): void {
    if (this.#folder !== null) rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = null;
  }
}
