import { expect, test } from "vitest";
import type { DialectEvent } from "../../../process/dialect.ts";
import { createAcpDialect } from "../parse.ts";

/** Outcome of a command that this agent reports as completed. */
function completed(agent: string, more: object, status = "completed"): DialectEvent | undefined {
  const dialect = createAcpDialect({ member: "m", cwd: "/p", isWritable: true, mcpServers: [], canSteer: false });
  const events: DialectEvent[] = [];
  let { state } = dialect.begin({ nativeSessionId: undefined });
  const hear = (message: object) => {
    const step = dialect.parse(state, JSON.stringify(message));
    ({ state } = step);
    events.push(...(step.events ?? []));
  };
  hear({ id: 1, result: { protocolVersion: 1, agentInfo: { name: agent } } });
  hear({ id: 2, result: { sessionId: "s" } });
  ({ state } = dialect.encodeTurn(state, { kind: "turn", turnId: "t", text: "hi", attachments: [] }));
  const call = { toolCallId: "run_shell_command-1", title: "touch x", kind: "execute" };
  for (const update of [
    { sessionUpdate: "tool_call", status: "in_progress", ...call },
    { sessionUpdate: "tool_call_update", status, ...call, ...more },
  ]) {
    hear({ method: "session/update", params: { sessionId: "s", update } });
  }
  return events.find(({ type }) => type === "tool_result");
}

const text = (content: string) => ({ content: [{ type: "content", content: { type: "text", text: content } }] });

test("Gemini CLI reports every command as completed: the exit code decides", () => {
  const gemini = (content: string) => completed("gemini-cli", text(content));
  expect(gemini("Output: (empty)\nExit Code: 1\nProcess Group PGID: 7")).toMatchObject({
    ok: false,
    error: { code: "tool_error", message: "exit code 1" },
    result: "",
  });
  expect(gemini("Output: a\nb\nProcess Group PGID: 7")).toEqual(expect.objectContaining({ ok: true, result: "a\nb" }));
  expect(gemini("Output: a\nb\nProcess Group PGID: 7")).not.toHaveProperty("isOutcomeKnown");
  expect(gemini("Output: Exit Code: 0\nExit Code: 2\nProcess Group PGID: 7")).toMatchObject({ ok: false });
  expect(gemini("Output: x\nSignal: 9\nBackground PIDs: 1, 2\nProcess Group PGID: 7")).toMatchObject({ ok: false });
});

test("without an exit code the outcome is unknown for agents that report failures as completed or report nothing", () => {
  expect(completed("gemini-cli", {})).toMatchObject({ ok: true, isOutcomeKnown: false });
  expect(completed("gemini-cli", text("hello"))).toMatchObject({ isOutcomeKnown: false });
  expect(completed("Copilot", text("hello"))).toMatchObject({ isOutcomeKnown: false });
  expect(completed("somebody", {})).toMatchObject({ isOutcomeKnown: false });
  expect(completed("somebody", text("hello"))).not.toHaveProperty("isOutcomeKnown");
});

test("an exit code is found wherever an agent puts it", () => {
  expect(completed("OpenCode", { rawOutput: { output: "", metadata: { exit: 3 } } })).toMatchObject({ ok: false });
  expect(completed("codex-acp", { rawOutput: { exit_code: 1 } })).toMatchObject({ ok: false });
  expect(completed("codex-acp", { _meta: { terminal_exit: { exit_code: 1 } } })).toMatchObject({ ok: false });
  const fine = completed("codex-acp", { _meta: { terminal_exit: { exit_code: 0 } } });
  expect([fine, fine !== undefined && "isOutcomeKnown" in fine]).toMatchObject([{ ok: true }, false]);
  expect(completed("somebody", text("no"), "failed")).toMatchObject({ ok: false, error: { message: "no" } });
});
