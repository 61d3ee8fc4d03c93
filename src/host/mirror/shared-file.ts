/** A small JSON file that other programs change too: read, changed and replaced under its lock, or left alone. */
import { mkdir, open, rename, unlink } from "node:fs/promises";
import path from "node:path";
import { kingdom } from "../../wires/index.ts";
import { withFileLock } from "./flock.ts";
import { ignoreMissing } from "./thread-directory.ts";
import { readTreeFile } from "./tree-file.ts";

export type Change = (data: kingdom.JsonObject) => kingdom.JsonObject;

/** changed: also when nothing had to be. damaged: it is not a JSON object, and stays as it is. */
export type Outcome = "changed" | "no-lock" | "damaged";

export async function changeSharedFile(file: string, change: Change, program?: string): Promise<Outcome> {
  await mkdir(path.dirname(file), { recursive: true });
  const done = await withFileLock(file, () => changeFile(file, change), program);
  return done?.result ?? "no-lock";
}

async function changeFile(file: string, change: Change): Promise<Outcome> {
  const text = await readTreeFile(file);
  const data = kingdom.decodeJsonFile(text ?? "");
  if (data === undefined) return "damaged";
  const changed = kingdom.encodeJsonFile(change(data));
  if (changed !== text) await replaceFile(file, changed);
  return "changed";
}

/** Old or new, never half: `<name>.<pid>.tmp` beside it, then renamed. */
export async function replaceFile(file: string, text: string): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`;
  await unlink(temporary).catch(ignoreMissing);
  const handle = await open(temporary, "wx");
  try {
    await handle.writeFile(text);
    await handle.datasync();
  } finally {
    await handle.close();
  }
  await rename(temporary, file);
}
