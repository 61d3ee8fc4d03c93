/** `/save`: writes a new file in the project; never overwrites. */
import { mkdir, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";

export async function saveFile(cwd: string, name: string, text: string): Promise<string> {
  const file = path.resolve(cwd, name.replace(/^~(?=\/|$)/, homedir()));
  await mkdir(path.dirname(file), { recursive: true });
  try {
    await writeFile(file, text, { flag: "wx", mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    throw new Error(`${file} already exists; choose another name.`, { cause: error });
  }
  return file;
}
