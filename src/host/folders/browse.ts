/** The folders in a folder, for choosing where a session works. */
import { existsSync } from "node:fs";
import { opendir, realpath } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { RoundtableError } from "../../protocol/index.ts";

export interface FolderListing {
  /** Absolute, with links resolved. */
  readonly path: string;
  /** Absent at the root. */
  readonly parent?: string;
  /** In order of their names; hidden ones are left out. */
  readonly folders: readonly { readonly name: string; readonly isRepository: boolean }[];
  /** There are more than are listed. */
  readonly hasMore: boolean;
}

const FOLDERS_MAX = 500;
const ENTRIES_MAX = 20_000;

/** As a user types it: `~` is their home. Throws "bad_command" unless it is absolute. */
export function absoluteFolder(given: string): string {
  const home = homedir();
  const wanted = given === "" || given === "~" ? home : given.replace(/^~(?=[/\\])/, home);
  if (path.isAbsolute(wanted)) return wanted;
  throw new RoundtableError("bad_command", "Type the full path of the folder, starting with / or ~.");
}

/** Rejects with "bad_command" unless it is a readable folder. */
export async function browseFolder(given: string): Promise<FolderListing> {
  const wanted = absoluteFolder(given);
  const names: string[] = [];
  let count = 0;
  try {
    const folder = await realpath(wanted);
    for await (const entry of await opendir(folder)) {
      count += 1;
      if (count > ENTRIES_MAX) break;
      if (entry.isDirectory() && !entry.name.startsWith(".")) names.push(entry.name);
    }
    const sorted = names.toSorted((a, b) => a.localeCompare(b));
    const parent = path.dirname(folder);
    return {
      path: folder,
      ...(parent === folder ? {} : { parent }),
      folders: sorted.slice(0, FOLDERS_MAX).map((name) => ({
        name,
        isRepository: existsSync(path.join(folder, name, ".git")),
      })),
      hasMore: sorted.length > FOLDERS_MAX || count > ENTRIES_MAX,
    };
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code === "ENOENT" ? "does not exist" : "cannot be read";
    throw new RoundtableError("bad_command", `The folder ${wanted.slice(0, 200)} ${reason}.`, { cause: error });
  }
}
