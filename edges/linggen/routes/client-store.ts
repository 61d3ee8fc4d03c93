/** Data of linggen's clients: added projects and settings. The port without a token has its own file. */
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
