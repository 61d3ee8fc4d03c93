/** The commands that recorded agents offer, and which of them would be told to compact. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { createAcpDialect } from "../../../src/agents/drivers/acp/parse.ts";

const FILE = path.join(import.meta.dirname, "..", "traces", "compaction", "acp-commands.json");
/** By agent, without their descriptions. */
const recorded = JSON.parse(readFileSync(FILE, "utf8")) as Record<string, object[]>;

/** The prompt that would be sent to an agent that has offered this, or why none. */
function asked(availableCommands: readonly object[]): string {
  const update = { sessionUpdate: "available_commands_update", availableCommands };
  const dialect = createAcpDialect({ member: "it", cwd: "/p", isWritable: true, mcpServers: [], canSteer: false });
  let state = dialect.begin({ nativeSessionId: undefined }).state;
  for (const message of [
    { id: 1, result: { protocolVersion: 1, agentCapabilities: {} } },
    { id: 2, result: { sessionId: "s" } },
    { method: "session/update", params: { sessionId: "s", update } },
  ]) {
    state = dialect.parse(state, JSON.stringify({ jsonrpc: "2.0", ...message })).state;
  }
  const { write = [], events = [] } = dialect.encodeCompact?.(state, "the names") ?? { state };
  const over = events.find((event) => event.type === "turn_over");
  if (over !== undefined) return over.error?.message ?? over.outcome;
  const { params } = JSON.parse(write[0] ?? "{}") as { params: { prompt: { text: string }[] } };
  return params.prompt[0]?.text ?? "";
}

test("finds the compaction command of recorded agents, with focus text where it takes any", () => {
  expect(Object.fromEntries(Object.entries(recorded).map(([agent, offer]) => [agent, asked(offer)]))).toEqual({
    "acp-claude": "/compact the names",
    "acp-codex": "/compact",
    "acp-pi": "/compact the names",
    "acp-gemini": "it offers no command for that.",
    "acp-opencode": "it offers no command for that.",
  });
});
