/** Directories of a mirrored session, and the journal of what was acknowledged. */
import { mkdirSync } from "node:fs";
import path from "node:path";

/** One line of the journal. */
export type Promised =
  | { readonly session: string }
  | { readonly dir: string }
  /** An acknowledged message of ours. */
  | { readonly said: string }
  /** A file of the other program, with all its bytes. */
  | { readonly file: string; readonly bytes: string };

export interface LifeDirectories {
  readonly dataDir: string;
  readonly project: string;
  readonly promises: string;
}

export function directoriesIn(root: string): LifeDirectories {
  return {
    dataDir: path.join(root, "data"),
    project: path.join(root, "project"),
    promises: path.join(root, "promises.jsonl"),
  };
}

export function prepareDirectories(root: string): LifeDirectories {
  const directories = directoriesIn(root);
  for (const dir of [directories.dataDir, path.join(directories.project, ".git")]) mkdirSync(dir, { recursive: true });
  return directories;
}
