/** `config.json`, read only: its own parser refuses keys it does not know, so nothing of ours is ever written there. */
import { decodeJsonFile, isObject } from "./json-file.ts";
import type { Backend } from "./stream-lines.ts";

const BUILT_IN: Readonly<Record<string, Backend>> = { claude: "claude_code", codex: "codex" };

/** Recipients of a message to all in kingdom's programs: the configured members, else every agent. */
export function councilOf(config: string | undefined): readonly string[] {
  const data = config === undefined ? undefined : decodeJsonFile(config);
  const council = data?.["council"];
  const named = isObject(council) && Array.isArray(council["members"]) ? council["members"] : [];
  const members = named.filter((name) => typeof name === "string");
  if (members.length > 0) return members;
  const agents = data?.["agents"];
  return [...new Set([...Object.keys(BUILT_IN), ...(isObject(agents) ? Object.keys(agents) : [])])];
}

/** Stream format that kingdom's screen expects for a member; unknown names are parsed as Claude's. */
export function backendOf(config: string | undefined, member: string): Backend {
  const agents = config === undefined ? undefined : decodeJsonFile(config)?.["agents"];
  const agent = isObject(agents) && Object.hasOwn(agents, member) ? agents[member] : undefined;
  const backend = isObject(agent) ? agent["backend"] : undefined;
  if (backend === "claude_code" || backend === "codex" || backend === "cursor") return backend;
  return (Object.hasOwn(BUILT_IN, member) ? BUILT_IN[member] : undefined) ?? "claude_code";
}
