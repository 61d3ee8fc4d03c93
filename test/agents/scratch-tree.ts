/** Directories made for one test, in the system's temporary place and gone after it. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

export async function scratchTree(files: Readonly<Record<string, string | Buffer>> = {}): Promise<string> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "scout-")));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  return root;
}
