/**
 * Name of our MCP server as agents see it. Agents join it with tool names in ambiguous ways (`a_b` + `c` is `a` +
 * `b_c`), so the name contains a digest that no configuration can anticipate. It is stable per session and member, so
 * that resumed conversations find their tools.
 */
import { createHash } from "node:crypto";
import { hostToolSchemas } from "../../protocol/index.ts";

const STEM = "roundtable";
const DIGITS = 8;

export function hostServerName({ sessionId, member }: { sessionId: string; member: string }): string {
  const digest = createHash("sha256")
    .update(JSON.stringify([sessionId, member]))
    .digest("hex");
  return `${STEM}${digest.slice(0, DIGITS)}`;
}

const names: ReadonlySet<string> = new Set(hostToolSchemas().map(({ name }) => name));

/** Undefined when it is not a host tool. */
export function findHostTool(name: string): string | undefined {
  return names.has(name) ? name : undefined;
}

/**
 * Tool name without the prefix that agents add (`mcp_server_tool`, `mcp__server__tool`, `server_tool`); for display
 * only.
 */
export function bareToolName(name: string): string {
  const bare = JOINED.exec(name)?.[1];
  return bare === undefined || findHostTool(bare) === undefined ? name : bare;
}

const JOINED = new RegExp(`^(?:mcp_{1,2})?${STEM}[0-9a-f]{${DIGITS}}_{1,2}([a-z_]+)$`);
