/**
 * Built-in agent with the tools of configured MCP servers.
 * No turn waits for a server; missing tools are reported once with the reason; server processes end with the member.
 */
import { systemClock } from "../../../kit/clock.ts";
import type { MemberSpec, Json } from "../../../protocol/index.ts";
import { unrecorded } from "../../drivers/acp/acp-process-agent.ts";
import { createModelAgent, type ModelAgentDeps } from "../model-agent.ts";
import type { Agent, AgentEvent, AgentSetup } from "../../port.ts";
import { variablesOf } from "../../process/launch/environment.ts";
import { createMcpTools, type McpTool, type McpTools } from "./tools.ts";
import type { McpServers } from "./server-config.ts";
import { NO_SUBJECT, ToolError, type ReadCall, type Tool } from "../tools/tool.ts";
import type { ToolSource } from "../tools/toolbox.ts";

export function createModelAgentWithMcp(spec: MemberSpec, setup: AgentSetup, deps: ModelAgentDeps = {}): Agent {
  const { servers, error } = readServers(setup);
  if (error === undefined && Object.keys(servers).length === 0) return createModelAgent(spec, setup, deps);
  const { clock = systemClock, sources = [] } = deps;
  const env = variablesOf(setup.environment ?? { variables: deps.env ?? process.env });
  const records = setup.records ?? unrecorded(setup.cwd);
  const mcp = createMcpTools(servers, { member: spec.name, cwd: setup.cwd, records, env, clock });
  const agent = createModelAgent(spec, setup, { ...deps, sources: [...sources, mcpToolSource(mcp)] });
  let up: ((event: AgentEvent) => void) | undefined;
  let errors = error === undefined ? [] : [error];

  function reportNews(): void {
    for (const message of [...errors, ...mcp.news()]) up?.({ type: "warning", code: "mcp", message });
    errors = [];
  }

  return {
    capabilities: agent.capabilities,
    async start(listener) {
      up = listener;
      mcp.begin();
      await agent.start(listener);
    },
    send(input) {
      // Deferred, so that nothing comes up inside a call of the port.
      if (input.kind === "turn") queueMicrotask(reportNews);
      agent.send(input);
    },
    interrupt: () => agent.interrupt(),
    answer: (callId, result) => agent.answer(callId, result),
    compact: (focus, history) => agent.compact?.(focus, history),
    async close() {
      await agent.close();
      up = undefined;
      await mcp.close();
    },
  };
}

function readServers({ mcpServers }: AgentSetup): { servers: McpServers; error: string | undefined } {
  try {
    return { servers: mcpServers?.() ?? {}, error: undefined };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { servers: {}, error: `No MCP server is available: the configuration cannot be read: ${why}` };
  }
}

// MCP tools as tools of the agent. They always need approval, by the user or by a rule.
const DEADLINE_MS = 300_000;

function mcpToolSource(mcp: McpTools): ToolSource {
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

/** The server validates the arguments and answers with the error. */
function readCall(mcpTool: McpTool, args: Json): ReadCall {
  if (typeof args !== "object" || args === null || Array.isArray(args)) {
    return { ok: false, message: `${mcpTool.name} was not run: its arguments must be an object.` };
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
