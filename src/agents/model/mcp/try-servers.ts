/** Connects to every MCP server once, in parallel, and reports the result. Leaves nothing running. */
import { systemClock } from "../../../kit/clock.ts";
import { unrecorded } from "../../drivers/acp/acp-process-agent.ts";
import type { Environment, McpServer, McpServers } from "./server-config.ts";

export interface TriedServer {
  readonly name: string;
  /** Program and arguments, or an address without what may be a secret in it. */
  readonly reachedBy: string;
  readonly outcome: { readonly ok: true; readonly tools: number } | { readonly ok: false; readonly why: string };
}

export async function tryServers(
  servers: McpServers,
  { cwd, env }: { readonly cwd: string; readonly env: Environment },
): Promise<TriedServer[]> {
  const { McpConnection } = await import("./connection.ts");
  const context = { member: "config", cwd, records: unrecorded(cwd), env, clock: systemClock };
  const tries = Object.entries(servers).map(async ([name, server]): Promise<TriedServer> => {
    const connection = new McpConnection({ name, server, ...context });
    try {
      await connection.connect();
      const { state, tools, toolsLeftOut } = connection;
      const why = state.is === "failed" ? state.why : "it was not connected";
      const outcome =
        state.is === "ready" ? { ok: true as const, tools: tools.length + toolsLeftOut } : { ok: false as const, why };
      return { name, reachedBy: reachedBy(server), outcome };
    } finally {
      await connection.close();
    }
  });
  return Promise.all(tries);
}

function reachedBy(server: McpServer): string {
  if ("command" in server) return [...server.command, ...(server.args ?? [])].join(" ");
  const { origin, pathname } = new URL(server.url);
  return `${origin}${pathname}`;
}
