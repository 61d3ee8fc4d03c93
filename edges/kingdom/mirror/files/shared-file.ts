/** A small JSON file that other programs change too: read, changed and replaced under its lock, or left alone. */
import { mkdir } from "node:fs/promises";
import path from "node:path";
import * as kingdom from "../../format/kingdom.ts";
import { withFileLock } from "./file-lock.ts";
import { readTreeFile } from "./tree-file.ts";
import { replaceFile } from "./atomic-file.ts";

export type Change = (data: kingdom.JsonObject) => kingdom.JsonObject;

/** changed: also if there was nothing to change. damaged: not a JSON object; left alone. */
export type Outcome = "changed" | "no-lock" | "damaged";

export interface SharedChange {
  readonly file: string;
  readonly change: Change;
  /** Marks temporary files, so that leftovers of a crash are recognised. */
  readonly owner: string;
  /** The program that takes the lock. */
  readonly program?: string | undefined;
}

export async function changeSharedFile(request: SharedChange): Promise<Outcome> {
  const { file, program } = request;
  await mkdir(path.dirname(file), { recursive: true });
  const done = await withFileLock(file, () => changeFile(request), program);
  return done?.result ?? "no-lock";
}

async function changeFile({ file, change, owner }: SharedChange): Promise<Outcome> {
  const text = await readTreeFile(file);
  const data = kingdom.decodeJsonFile(text ?? "");
  if (data === undefined) return "damaged";
  const changed = kingdom.encodeJsonFile(change(data));
  if (changed !== text) await replaceFile(file, changed, owner);
  return "changed";
}
