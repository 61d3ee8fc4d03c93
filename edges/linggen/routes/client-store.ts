/** What linggen's clients store here: projects that they added, and settings. On the port without a token a file of its own. */
import { join } from "node:path";
import * as z from "zod";
import { Json } from "../../../src/protocol/index.ts";
import { type CompatDeps, createJsonStore, type JsonStore } from "../../../src/server/index.ts";

const Stored = z.object({
  projects: z.array(z.object({ path: z.string(), addedTs: z.number() })),
  settings: z.record(z.string(), Json),
});

export type ClientStore = JsonStore<z.infer<typeof Stored>>;

export function openClientStore({ dataDir, isOpenPort = false }: CompatDeps): ClientStore {
  const name = isOpenPort ? "compat-linggen.json" : "linggen.json";
  const path = dataDir === undefined ? undefined : join(dataDir, name);
  return createJsonStore({ path, schema: Stored, initial: { projects: [], settings: {} } });
}
