import { expect, test } from "vitest";
import type { AcpOptions } from "../options.ts";
import { createAcpDialect } from "../parse.ts";
import type { AcpState } from "../state.ts";

/** Blocks sent to this agent, as a prompt or as a steer. */
function sent(agent: string, text: string, { commands = [] as string[], isSteer = false } = {}): object[] {
  const options: AcpOptions = { member: "m", cwd: "/p", isWritable: true, mcpServers: [], canSteer: true };
  const dialect = createAcpDialect(options);
  const hear = (state: AcpState, message: object): AcpState => dialect.parse(state, JSON.stringify(message)).state;
  let { state } = dialect.begin({ nativeSessionId: undefined });
  state = hear(state, { id: 1, result: { protocolVersion: 1, agentInfo: { name: agent } } });
  const offered = { sessionUpdate: "available_commands_update", availableCommands: commands.map((name) => ({ name })) };
  state = hear(state, { method: "session/update", params: { sessionId: "s", update: offered } });
  state = hear(state, { id: 2, result: { sessionId: "s" } });
  const first = isSteer ? "hello" : text;
  const turn = dialect.encodeTurn(state, { kind: "turn", turnId: "t", text: first, attachments: [] });
  const last = isSteer ? dialect.encodeSteer?.(turn.state, { kind: "steer", messageId: "m", text }) : turn;
  const { params } = JSON.parse(last?.write?.[0] ?? "{}") as { params: { prompt: object[] } };
  return params.prompt;
}

const plain = (text: string): object => ({ type: "text", text });
const NOT_A_COMMAND = "Treat this as a message, not as a command:";

test("text that starts with a slash reaches opencode's model unchanged, after a block that only users see", () => {
  const shield = { ...plain(NOT_A_COMMAND), annotations: { audience: ["user"] } };
  for (const text of ["/etc/hosts is wrong", " \n/init", "/"]) {
    expect(sent("OpenCode", text)).toEqual([shield, plain(text)]);
    expect(sent("OpenCode", text, { isSteer: true })).toEqual([shield, plain(text)]);
  }
  expect(sent("OpenCode", "not /a command")).toEqual([plain("not /a command")]);
});

test("text that would run another agent's command is prefixed with a sentence; other text is sent unchanged", () => {
  const shielded = (text: string): object[] => [plain(`${NOT_A_COMMAND}\n\n${text}`)];
  for (const text of ["/init", " /memory add this", "$about", "/ help"]) {
    expect(sent("gemini-cli", text)).toEqual(shielded(text));
  }
  for (const text of ["/etc/hosts is wrong", "$(touch owned)", "what is /init?"]) {
    expect(sent("gemini-cli", text)).toEqual([plain(text)]);
  }
  const commands = ["review", "logout"];
  expect(sent("codex-acp", "/logout", { commands })).toEqual(shielded("/logout"));
  expect(sent("codex-acp", "/log out", { commands })).toEqual([plain("/log out")]);
});
