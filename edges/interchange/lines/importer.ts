/** Imports sessions exported as JSON lines. */
import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import type { Importer } from "../../../src/edge/index.ts";
import { importLines } from "./import-lines.ts";
import { readExportHeader } from "./survey-file.ts";

/** Limit of files examined per directory. */
const FILES_MAX = 2_000;

export const sessionLinesImporter: Importer = {
  name: "roundtable",
  async find(source) {
    const items = [];
    for (const file of await filesAt(source)) {
      // An unreadable file is reported elsewhere.
      const header = await readExportHeader(file).catch(() => undefined);
      if (header === undefined) continue;
      items.push({
        format: "roundtable",
        path: file,
        name: header.title === "" ? header.sessionId : header.title,
        messages: header.messages,
        remark: header.redacted === true ? "exported events, redacted" : "exported events",
      });
    }
    return items;
  },
  async run(item, { dataDir, defaults }) {
    return await importLines({ dataDir, file: item.path, members: defaults.members });
  },
};

async function filesAt(source: string): Promise<string[]> {
  const facts = await stat(source).catch(() => undefined);
  if (facts?.isFile() === true) return [source];
  if (facts?.isDirectory() !== true) return [];
  const names = (await readdir(source)).filter((name) => name.endsWith(".jsonl")).sort();
  return names.slice(0, FILES_MAX).map((name) => path.join(source, name));
}
