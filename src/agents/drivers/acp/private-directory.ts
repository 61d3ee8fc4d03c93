/** A folder for what an agent's program has to read at its start; only its owner may look into it. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** Then the id of the process that made it, so that others can tell whether it is still used. */
export const OWN_FOLDER_PREFIX = "roundtable-agent-";

export class PrivateDirectory {
  #folder: string | null = null;

  /** Made when it is first asked for, or was removed meanwhile. Throws when the system has no room for it. */
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
