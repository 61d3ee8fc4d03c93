/**
 * Whether a call that the agent asks leave for is one of the table's own tools. Titles and ids are partly written by
 * the model, by its provider and by other tool servers, so each agent is believed only where it builds the words itself
 * out of the name of the server, which nobody could know before.
 */
import { findHostTool } from "../../../host-tools/server-name.ts";
import { recordAt, recordOf, textOf, type Fields } from "../../../json-rpc/fields.ts";
import { isAgent } from "../agent-quirks.ts";
import type { AcpState } from "../state.ts";

/** "alike" names our server but may be anybody's: the user decides. */
export type Ownership = "certain" | "alike" | "foreign";

export function ownershipOf(state: AcpState, call: Fields, server: string | null): Ownership {
  if (server === null) return "foreign";
  if (isAgent(state, /^gemini-cli$/) && isGeminis(call, server)) return "certain";
  if (isAgent(state, /claude-agent-acp$/) && isClaudes(call, server)) return "certain";
  const named = ["toolCallId", "title", "name"].some((key) => textOf(call, key)?.includes(server) === true);
  return named ? "alike" : "foreign";
}

/**
 * Its id begins with the name in its registry, and its title names tool and server; but the title is the argument
 * `command` where the model gives one, and the rest of the id is its provider's.
 */
function isGeminis(call: Fields, server: string): boolean {
  const id = textOf(call, "toolCallId") ?? "";
  const start = `mcp_${server}_`;
  if (!id.startsWith(start)) return false;
  const tool = findHostTool(/^[a-z_]+?(?=__|-\d)/.exec(id.slice(start.length))?.[0] ?? "");
  return tool !== null && textOf(call, "title") === `${tool} (${server} MCP Server)`;
}

/** It tells the full name of the tool and, apart from it, the server. */
function isClaudes(call: Fields, server: string): boolean {
  const meta = recordAt(call, "_meta", "claudeCode");
  const start = `mcp__${server}__`;
  const name = textOf(meta, "toolName") ?? "";
  return (
    name.startsWith(start) &&
    findHostTool(name.slice(start.length)) !== null &&
    textOf(recordOf(meta, "mcpServer"), "name") === server
  );
}
