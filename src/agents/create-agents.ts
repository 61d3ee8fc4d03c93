/**
 * The agents of one host: the factory that seats its members, and the end of what dead hosts of its data directory left.
 * Promise: whatever a member of this factory starts carries the mark of the data directory, the host and the member, so
 * the next host finds it after a crash.
 */
import { createAgent } from "./create-agent.ts";
import type { McpServers } from "./mcp/server-config.ts";
import type { AgentFactory } from "./port.ts";
import { createProcessRecords, recordsOfSession } from "./process/process-records.ts";
import { chooseProcessTable } from "./process/process-table.ts";
import { endStrays, type Stray } from "./process/strays.ts";
import { sweepSocketPlaces } from "./table-tools/sweep-places.ts";

export interface Agents {
  readonly factory: AgentFactory;
  /** Takes three seconds at most. Rejects when the system does not tell of its processes. */
  readonly endStrays: () => Promise<{ ended: Stray[]; left: Stray[] }>;
}

export interface AgentsOptions {
  readonly dataDir: string;
  /** Tool servers of the configuration that holds in a directory. May throw. */
  readonly mcpServersFor?: (cwd: string) => McpServers;
}

export function createAgents({ dataDir, mcpServersFor }: AgentsOptions): Agents {
  const table = chooseProcessTable();
  const records = createProcessRecords({ dataDir, table });
  return {
    factory(spec, seat) {
      // Codex members of all sessions share a process, which is found by the records they have in common.
      const own = spec.kind === "codex" ? records : recordsOfSession(records, seat.sessionId);
      const servers = mcpServersFor === undefined ? {} : { mcpServers: () => mcpServersFor(seat.cwd) };
      return createAgent(spec, { ...seat, records: own, marker: records.marker(spec.name), ...servers });
    },
    endStrays() {
      void sweepSocketPlaces();
      return endStrays(dataDir, table);
    },
  };
}
