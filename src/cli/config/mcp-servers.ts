/** The tool servers that the configuration of a directory names. Their headers are secrets: they are shown nowhere. */
import type { McpServers } from "../../agents/index.ts";
import { loadConfig, type Config } from "./load-config.ts";
import type { Environment } from "./paths.ts";
import type { ToolServerConfig } from "./schema.ts";

/** Throws when the configuration is wrong. */
export function mcpServersFor(cwd: string, env: Environment): McpServers {
  const { mcpServers = {} } = loadConfig({ cwd, env }).config;
  return Object.fromEntries(Object.entries(mcpServers).flatMap(([name, server]) => asServer(name, server)));
}

function asServer(name: string, { command, env, url, headers }: ToolServerConfig): [string, McpServers[string]][] {
  if (command !== undefined) return [[name, { command, env }]];
  // The schema has let it through, so it has one of the two.
  return url === undefined ? [] : [[name, { url, headers }]];
}

/** The same for showing: values of headers are left out. */
export function withoutSecrets(config: Config): Config {
  if (config.mcpServers === undefined) return config;
  const shown = Object.entries(config.mcpServers).map(([name, server]) => [name, withoutHeaders(server)]);
  return { ...config, mcpServers: Object.fromEntries(shown) as Record<string, ToolServerConfig> };
}

export function withoutHeaders<Server>(server: Server): Server {
  if (typeof server !== "object" || server === null || !("headers" in server)) return server;
  const names = Object.keys(server.headers ?? {});
  return { ...server, headers: Object.fromEntries(names.map((header) => [header, "•••"])) };
}
