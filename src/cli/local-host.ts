/** A host in this process, with the agents of this version. Its members' programs are marked and swept up after a crash. */
import type { Host } from "../host/index.ts";
import { noteLine } from "./failure.ts";
import { note } from "./stdout.ts";
import { readVersion } from "./version.ts";

export async function createLocalHost(dataDir: string): Promise<Host> {
  const [{ createHost }, { createAgents }] = await Promise.all([
    import("../host/index.ts"),
    import("../agents/index.ts"),
  ]);
  const { factory, endStrays } = createAgents({ dataDir });
  const warn = (sentence: string) => note(noteLine(sentence));
  return await createHost({ dataDir, agentFactory: factory, endStrays, warn, version: readVersion() });
}
