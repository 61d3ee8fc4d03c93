/** Tool servers configured for a directory. Headers are secrets and are never shown. */
import type { McpServers } from "../../agents/index.ts";
import { withoutCredentials } from "../../kit/url-credentials.ts";
import type { Setting } from "./environment.ts";
import { loadConfig, type Config } from "./load-config.ts";
import type { Environment } from "./paths.ts";
import type { ToolServerConfig } from "./schema.ts";

/** Throws when the configuration is invalid. Only overrides of tool servers are used. */
export function mcpServersFor(cwd: string, env: Environment, overrides: readonly Setting[] = []): McpServers {
  const own = overrides.filter(({ path }) => path.split(".")[0] === "mcpServers");
  const { mcpServers = {} } = loadConfig({ cwd, env, overrides: own }).config;
  return Object.fromEntries(Object.entries(mcpServers).flatMap(([name, server]) => asServer(name, server)));
}

function asServer(name: string, config: ToolServerConfig): [string, McpServers[string]][] {
  const { command, args, env, url, headers, type, disabled } = config;
  if (disabled === true) return [];
  if (command !== undefined) {
    const given = Array.isArray(env) ? { env } : env === undefined ? {} : { values: env };
    const program = typeof command === "string" ? [command] : command;
    return [[name, { command: program, ...(args === undefined ? {} : { args }), ...given }]];
  }
  // Validated by the schema, so it has one of the two.
  return url === undefined ? [] : [[name, { url, headers, ...(type === "sse" ? { isSse: true } : {}) }]];
}

/** One-line description. */
export function howReached({ command, args = [], url = "" }: ToolServerConfig): string {
  if (command === undefined) return url;
  return [...(typeof command === "string" ? [command] : command), ...args].join(" ");
}

/** A copy for display, without values of headers and variables. */
export function withoutSecrets(config: Config): Config {
  const { mcpServers } = config;
  const servers = mcpServers === undefined ? {} : { mcpServers: eachWithoutValues(mcpServers) };
  return { ...config, agents: eachWithoutValues(config.agents), ...servers };
}

function eachWithoutValues<One>(group: Record<string, One>): Record<string, One> {
  return Object.fromEntries(Object.entries(group).map(([name, one]) => [name, withoutValues(one)]));
}

export function withoutValues<Server>(server: Server): Server {
  if (typeof server !== "object" || server === null || Array.isArray(server)) return server;
  const addresses = ADDRESS_KEYS.flatMap((key) => {
    const address: unknown = Reflect.get(server, key);
    return typeof address === "string" ? [[key, withoutCredentials(address)] as const] : [];
  });
  const hidden = SECRET_KEYS.flatMap((key) => {
    const values: unknown = Reflect.get(server, key);
    if (typeof values !== "object" || values === null || Array.isArray(values)) return [];
    return [[key, Object.fromEntries(Object.keys(values).map((name) => [name, "•••"]))] as const];
  });
  return { ...server, ...Object.fromEntries([...addresses, ...hidden]) };
}

const ADDRESS_KEYS = ["baseUrl", "url"] as const;
const SECRET_KEYS = ["headers", "env"] as const;
