/**
 * The agents of one host: the factory that seats its members, and the end of what dead hosts of its data directory left.
 * Promise: whatever a member of this factory starts carries the mark of the data directory, the host and the member, so
 * the next host finds it after a crash.
 */
import { createAgent } from "./create-agent.ts";
import type { AgentFactory } from "./port.ts";
import { createProcessRecords } from "./process/process-records.ts";
import { chooseProcessTable } from "./process/process-table.ts";
import { endStrays, type Stray } from "./process/strays.ts";

export interface Agents {
  readonly factory: AgentFactory;
  /** Takes three seconds at most. Rejects when the system does not tell of its processes. */
  readonly endStrays: () => Promise<{ ended: Stray[]; left: Stray[] }>;
}

export function createAgents({ dataDir }: { dataDir: string }): Agents {
  const table = chooseProcessTable();
  const records = createProcessRecords({ dataDir, table });
  return {
    factory: (spec, seat) => createAgent(spec, { ...seat, records, marker: records.marker(spec.name) }),
    endStrays: () => endStrays(dataDir, table),
  };
}
