/** A member that says and shows one given text in every way a member can, and a session on disk in which it did. */
import type { Agent, AgentEvent, AgentFactory } from "../../src/agents/index.ts";
import { NO_CAPABILITIES } from "../../src/protocol/index.ts";
import type { Home } from "../cli/program.ts";
import { connect, listen, openHost, until } from "../host/open-host.ts";
import { ECHO, SETTINGS } from "../host/scripted-agent.ts";

function hostileEvents(text: string): AgentEvent[] {
  const call = { nativeId: "call" };
  return [
    { type: "thinking_delta", text },
    { type: "thinking_done" },
    ...text.split("").map((piece) => ({ type: "text_delta" as const, text: piece })),
    { type: "tool_call_start", ...call, name: "shell", title: text, args: { command: text } },
    { type: "tool_output_delta", ...call, text },
    { type: "tool_result", ...call, ok: true, result: text },
    { type: "ui_notify", message: text, notifyType: "warn" },
    { type: "ui_status", key: "k", text },
    { type: "ui_widget", key: "k", content: [text], opts: {} },
    { type: "ui_set_title", title: text },
    { type: "plan_update", planId: "p", items: [{ text, status: "pending" }] },
    { type: "change_report", files: [{ path: text, status: "added", diff: text }], truncatedCount: 0 },
    { type: "text_done" },
  ];
}

function hostileAgent(text: string): AgentFactory {
  return () => {
    let up: (event: AgentEvent) => void = () => {};
    const agent: Agent = {
      capabilities: NO_CAPABILITIES,
      start: async (given) => {
        up = given;
      },
      send(input) {
        if (input.kind !== "turn") return;
        queueMicrotask(() => {
          for (const event of hostileEvents(text)) up(event);
          up({ type: "turn_done", turnId: input.turnId, outcome: "completed" });
        });
      },
      interrupt() {},
      answer() {},
      close: async () => {},
    };
    return agent;
  };
}

/** Resolves when the session is on disk and nobody holds it. */
export async function writeHostileSession(home: Home, text: string): Promise<void> {
  const host = await openHost(home.dataDir, { agentFactory: hostileAgent(text) });
  const client = await connect(host);
  const { sessionId } = await client.create({ cwd: home.project, title: text, settings: SETTINGS, members: [ECHO] });
  const received = await listen(client, sessionId);
  await client.command(sessionId, { type: "send", text, clientMessageId: "m" });
  await until("the member has answered", () => received.events.some(({ type }) => type === "turn_end"));
  client.close();
  await host.close();
}
