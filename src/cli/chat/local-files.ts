/** Local files for attachments, and path completion. */
import { readdir } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import type { ScreenOptions } from "../../tui/index.ts";
import { readAttachable } from "../ask/attached-files.ts";

export function createLocalFiles(defaultCwd: () => Promise<string>): ScreenOptions["files"] {
  const resolve = async (given: string, cwd: string | undefined) =>
    path.resolve(cwd ?? (await defaultCwd()), given.replace(/^~(?=\/|$)/, homedir()));
  return {
    read: async (given, cwd) => await readAttachable(await resolve(given, cwd)),
    complete: async (prefix, { cwd, limit }) => {
      const cut = prefix.lastIndexOf("/") + 1;
      const [folder, name] = [prefix.slice(0, cut), prefix.slice(cut)];
      if (prefix === "~") return ["~/"];
      const entries = await readdir(await resolve(folder === "" ? "." : folder, cwd), { withFileTypes: true });
      return entries
        .filter((entry) => entry.name.startsWith(name) && (name.startsWith(".") || !entry.name.startsWith(".")))
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
        .slice(0, limit)
        .map((entry) => `${folder}${entry.name}${entry.isDirectory() ? "/" : ""}`);
    },
  };
}
