/**
 * `.mcp.json`: tool servers shared with other programs. Unknown fields are ignored, and an invalid server does not
 * affect the others.
 */
import { getNodeValue } from "jsonc-parser";
import { Failure } from "../../kit/failure.ts";
import { plural } from "../../kit/text/format.ts";
import type { Setting } from "./environment.ts";
import { isGroup } from "./flat-settings.ts";
import { configFailure, issueFailure, nodeAt, parseJson, lineColumnAt } from "./read-config-file.ts";
import { ConfigFile, type ToolServerConfig } from "./schema.ts";

export interface SharedServers {
  readonly settings: readonly (Setting & { readonly value: ToolServerConfig })[];
  /** Why each of the others is invalid, with its location. */
  readonly problems: readonly string[];
}

/** Throws a Failure when the file as a whole is invalid. */
export function parseMcpJson(text: string, file: string): SharedServers {
  const tree = parseJson(text, file);
  if (tree === undefined) return { settings: [], problems: [] };
  const locate = (offset: number) => `${file}:${lineColumnAt(text, offset)}`;
  const root: unknown = getNodeValue(tree);
  const servers = isGroup(root) ? (root["mcpServers"] ?? {}) : root;
  if (!isGroup(servers)) {
    const what = isGroup(root) ? '"mcpServers"' : "the file";
    throw configFailure(`${locate(nodeAt(tree, ["mcpServers"]).offset)}: ${what} must be an object`);
  }
  const settings: (Setting & { value: ToolServerConfig })[] = [];
  const problems: string[] = [];
  for (const [name, server] of Object.entries(servers)) {
    const checked = ConfigFile.safeParse({ mcpServers: { [name]: knownPart(server) } });
    const value = checked.data?.mcpServers?.[name];
    if (value !== undefined) {
      const origin = locate(nodeAt(tree, ["mcpServers", name]).offset);
      settings.push({ path: `mcpServers.${name}`, value, origin });
    } else if (!checked.success) problems.push(issueFailure(checked.error.issues, tree, locate).message);
  }
  return { settings, problems };
}

const OF_A_PROGRAM = ["type", "command", "args", "env", "disabled"] as const;
const OF_AN_ADDRESS = ["type", "url", "headers", "disabled"] as const;
const OTHER_NAMES: Readonly<Record<string, string>> = {
  local: "stdio",
  streamableHttp: "http",
  streamable_http: "http",
};

/** Drops empty fields and those of another transport. */
function knownPart(server: unknown): unknown {
  if (!isGroup(server)) return server;
  const isGiven = (key: string) => server[key] !== undefined && server[key] !== null;
  const keys = [...(isGiven("command") ? OF_A_PROGRAM : []), ...(isGiven("url") ? OF_AN_ADDRESS : [])];
  const { type, enabled } = server;
  return {
    ...Object.fromEntries(keys.filter(isGiven).map((key) => [key, server[key]])),
    ...(isGiven("type") ? { type: OTHER_NAMES[String(type)] ?? type } : {}),
    ...(enabled === false ? { disabled: true } : {}),
  };
}

/** Warning that names the first and counts the others. */
export function formatLeftOutServers([first = "", ...others]: readonly string[]): string {
  if (others.length === 0) return `${first}; this tool server is skipped`;
  return `${first}; this tool server and ${plural(others.length, "other")} in the file are skipped`;
}

/** Warning for an invalid file; rethrows other errors. */
export function unusableFileMessage(error: unknown): string {
  if (error instanceof Failure) return `${error.message}; the file was ignored`;
  throw error;
}
