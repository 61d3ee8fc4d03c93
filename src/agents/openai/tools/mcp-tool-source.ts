/** Tools of foreign servers behind the same door as ours. They are never free: the user or a rule lets each call through. */
import type { Json } from "../../../protocol/index.ts";
import type { McpTool, McpTools } from "../../mcp/mcp-tools.ts";
import { NO_SUBJECT, ToolFault, type ReadCall, type Tool } from "./tool.ts";
import type { ToolSource } from "./toolbox.ts";

const DEADLINE_MS = 300_000;

export function mcpToolSource(mcp: McpTools): ToolSource {
  return { name: "mcp", tools: () => mcp.tools().map(foreignTool) };
}

function foreignTool(foreign: McpTool): Tool {
  return {
    name: foreign.name,
    description: foreign.description,
    parameters: foreign.inputSchema,
    kind: "other",
    gate: "asks",
    isParallel: false,
    deadlineMs: DEADLINE_MS,
    read: (args) => readForeign(foreign, args),
  };
}

/** The server checks the arguments; what is wrong with them comes back as its answer. */
function readForeign(foreign: McpTool, args: Json): ReadCall {
  if (typeof args !== "object" || args === null || Array.isArray(args)) {
    return { ok: false, message: `${foreign.name} was not run: its arguments are no object.` };
  }
  const { server, tool } = foreign;
  return {
    ok: true,
    call: {
      args,
      title: `${tool} of ${server}`,
      plan: ({ signal, output }) =>
        Promise.resolve({
          subject: NO_SUBJECT,
          bound: { server, tool },
          run: async () => {
            try {
              return await foreign.call({ args, signal, deadlineMs: DEADLINE_MS, onProgress: (text) => output(text) });
            } catch (error) {
              throw new ToolFault("tool_error", error instanceof Error ? error.message : String(error), {
                cause: error,
              });
            }
          },
        }),
    },
  };
}
