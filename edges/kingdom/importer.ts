/** Thread files as sessions. */
import type { Importable, Importer } from "../../src/edge/index.ts";
import { importThread } from "./import-thread.ts";
import { listThreads } from "./list-threads.ts";

export const threadImporter: Importer = {
  name: "kingdom",
  find: (source) => findThreads(source, { includesParents: false }),
  findForDirectory: (cwd) => findThreads(cwd, { includesParents: true }),
  async run({ path }, { dataDir, defaults, agentFactory }) {
    const { cwd, settings, members } = defaults;
    // Imported threads are not written back to their source.
    const { mirror: _, ...rest } = settings;
    return await importThread({ dataDir, threadDir: path, cwd, settings: rest, members, agentFactory });
  },
};

async function findThreads(source: string, options: { includesParents: boolean }): Promise<Importable[]> {
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
