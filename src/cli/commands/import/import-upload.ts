/** Imports a session file that a page has sent, with the formats of `roundtable import`. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { RoundtableError } from "../../../protocol/index.ts";
import type { ImportFile, SessionDefaults } from "../../../server/index.ts";
import { embedded } from "../../edges.ts";
import { loadImporters } from "./importers.ts";

const NAME_CHARS_MAX = 120;

export interface UploadImportOptions {
  readonly dataDir: string;
  readonly defaults: SessionDefaults;
}

/** One at a time: an import reads a whole conversation into memory. */
export function createUploadImport({ dataDir, defaults }: UploadImportOptions): ImportFile {
  let last: Promise<unknown> = Promise.resolve();
  return async (file) => {
    const next = last.then(() => importUpload(file, { dataDir, defaults }));
    last = next.catch(() => {});
    return await next;
  };
}

async function importUpload(
  { name, bytes }: Parameters<ImportFile>[0],
  { dataDir, defaults }: UploadImportOptions,
): ReturnType<ImportFile> {
  const directory = await mkdtemp(path.join(tmpdir(), "roundtable-import-"));
  try {
    const file = path.join(directory, safeName(name));
    await writeFile(file, bytes, { mode: 0o600 });
    const importers = await loadImporters();
    const match = (await Promise.all(importers.map(async (one) => await one.find(file)))).flat()[0];
    const importer = importers.find((one) => one.name === match?.format);
    if (match === undefined || importer === undefined) {
      throw new RoundtableError("bad_command", `${safeName(name)} is not a session file of a known format.`, {
        hint: `Known formats: ${importers.map((one) => one.name).join(", ")}.`,
      });
    }
    const { createAgents } = await import("../../../agents/index.ts");
    const { factory: agentFactory } = createAgents({ dataDir, embedded });
    const { sessionId, isNew, added, warnings } = await importer
      .run(match, { dataDir, defaults, agentFactory })
      .catch(explainBusy);
    return { sessionId, isNew, added, warnings: [...warnings] };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Recently viewed sessions stay open on the server for a while. */
function explainBusy(error: unknown): never {
  if (!(error instanceof RoundtableError) || error.code !== "busy") throw error;
  throw new RoundtableError("busy", "This conversation was imported before, and its session is open.", {
    cause: error,
    hint: "To add what is new, close it in every screen and import the file again.",
  });
}

/** The name selects the formats that examine the file; it cannot escape the directory. */
function safeName(name: string): string {
  const plain = (name.split(/[/\\]/).at(-1) ?? "").replaceAll(/[^\w.-]/g, "_").slice(-NAME_CHARS_MAX);
  return /^\.*$/.test(plain) ? "session.jsonl" : plain;
}
