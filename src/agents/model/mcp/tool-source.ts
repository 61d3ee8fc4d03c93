/** Tools of foreign servers behind the same door as ours. They are never free: the user or a rule lets each call through. */
import type { Json } from "../../../protocol/index.ts";
import type { McpTool, McpTools } from "./tools.ts";
import { NO_SUBJECT, ToolError, type ReadCall, type Tool } from "../tools/tool.ts";
import type { ToolSource } from "../tools/toolbox.ts";

const DEADLINE_MS = 300_000;

export function mcpToolSource(mcp: McpTools): ToolSource {
  return { name: "mcp", tools: () => mcp.tools().map(toModelTool) };
}

function toModelTool(mcpTool: McpTool): Tool {
  return {
    name: mcpTool.name,
    description: mcpTool.description,
    parameters: mcpTool.inputSchema,
    kind: "other",
    gate: "asks",
    isParallel: false,
    deadlineMs: DEADLINE_MS,
    read: (args) => readCall(mcpTool, args),
  };
}

/** The server checks the arguments; what is wrong with them comes back as its answer. */
function readCall(mcpTool: McpTool, args: Json): ReadCall {
  if (typeof args !== "object" || args === null || Array.isArray(args)) {
    return { ok: false, message: `${mcpTool.name} was not run: its arguments are no object.` };
  }
  const { server, tool } = mcpTool;
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
              return await mcpTool.call({ args, signal, deadlineMs: DEADLINE_MS, onProgress: (text) => output(text) });
            } catch (error) {
              throw new ToolError("tool_error", error instanceof Error ? error.message : String(error), {
                cause: error,
              });
            }
          },
        }),
    },
  };
}
