/**
 * The name under which an agent knows the table's tool server. Agents join it with the tool's name, each in its own way
 * and some so that `a_b` + `c` is `a` + `b_c`. A name that nobody could write into a configuration beforehand makes
 * certain that a tool under it is the table's; it is the same whenever the session is taken up again, so that what the
 * model has called before is still there.
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

/** Null for what is no tool of the table. */
export function findHostTool(name: string): string | null {
  return names.has(name) ? name : null;
}

/** The bare name of a tool as agents write it (`mcp_server_tool`, `mcp__server__tool`, `server_tool`); for showing only. */
export function bareToolName(name: string): string {
  const bare = JOINED.exec(name)?.[1];
  return bare === undefined || findHostTool(bare) === null ? name : bare;
}

const JOINED = new RegExp(`^(?:mcp_{1,2})?${STEM}[0-9a-f]{${DIGITS}}_{1,2}([a-z_]+)$`);
