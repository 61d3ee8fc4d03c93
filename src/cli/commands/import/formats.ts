/** What can be imported, one entry a format: the importers of the edges, and their session formats behind one importer. */
import type { Importable, Importer } from "../../../edge/index.ts";
import { edges, loadSessionFormats } from "../../edges.ts";
import { createSessionImporters } from "./external-sessions.ts";

const kingdomThreads: Importer = {
  name: "kingdom",
  find: (source) => findThreads(source, { includesParents: false }),
  findForDirectory: (cwd) => findThreads(cwd, { includesParents: true }),
  async run({ path }, { dataDir, defaults, agentFactory }) {
    const { importThread } = await import("../../../host/index.ts");
    const { cwd, settings, members } = defaults;
    // What is imported is not written back to where it came from.
    const { mirror: _, ...rest } = settings;
    return await importThread({ dataDir, threadDir: path, cwd, settings: rest, members, agentFactory });
  },
};

async function findThreads(source: string, options: { includesParents: boolean }): Promise<Importable[]> {
  const { listThreads } = await import("../../../host/index.ts");
  const threads = await listThreads(source, options);
  return threads.map(({ dir, id, branch, messages, members, isArchived, hasThreadFile }) => ({
    format: "kingdom",
    path: dir,
    name: `${branch}/${id}`,
    messages,
    remark: [
      members.join(","),
      ...(isArchived ? ["archived"] : []),
      ...(hasThreadFile ? [] : ["without thread.json"]),
    ].join(" · "),
  }));
}

export async function loadImporters(): Promise<readonly Importer[]> {
  const offers = edges.flatMap((edge) => edge.importers ?? []);
  const importers = await Promise.all(offers.map(({ load }) => load()));
  return [kingdomThreads, ...importers, ...createSessionImporters(await loadSessionFormats())];
}
