import { expect, test } from "vitest";
import type { DialectEvent } from "../../../process/dialect.ts";
import type { AcpOptions } from "../options.ts";
import { createAcpDialect } from "../parse.ts";

type Chunk = readonly [text: string, messageId?: string];

/** Events when this agent sends these texts, thoughts (in brackets), calls ("!") and a title ("?"). */
function heard(agent: string, ...chunks: readonly Chunk[]): DialectEvent[] {
  const options: AcpOptions = { member: "m", cwd: "/p", isWritable: true, mcpServers: [], canSteer: false };
  const dialect = createAcpDialect(options);
  const events: DialectEvent[] = [];
  let { state } = dialect.begin({ nativeSessionId: undefined });
  const hear = (message: object): void => {
    const step = dialect.parse(state, JSON.stringify(message));
    events.push(...(step.events ?? []));
    ({ state } = step);
  };
  hear({ id: 1, result: { protocolVersion: 1, agentInfo: { name: agent } } });
  hear({ id: 2, result: { sessionId: "s" } });
  ({ state } = dialect.encodeTurn(state, { kind: "turn", turnId: "t", text: "hi", attachments: [] }));
  events.length = 0;
  for (const [text, messageId] of chunks) {
    const [, thought] = /^\[(.*)\]$/.exec(text) ?? [];
    const sessionUpdate = thought === undefined ? "agent_message_chunk" : "agent_thought_chunk";
    const said = { sessionUpdate, messageId, content: { type: "text", text: thought ?? text } };
    const call = { sessionUpdate: "tool_call", toolCallId: "t", title: "ls", kind: "execute", status: "completed" };
    const title = { sessionUpdate: "session_info_update", title: "A title" };
    const update = text === "!" ? call : text === "?" ? title : said;
    hear({ method: "session/update", params: { sessionId: "s", update } });
  }
  return events.filter(({ type }) => /^(text|thinking)_/.test(type));
}

const CLAUDE = "@agentclientprotocol/claude-agent-acp";
const words = (events: readonly DialectEvent[]): string[] =>
  events.flatMap((event) =>
    event.type.endsWith("_delta") && "text" in event ? [event.text ?? ""] : [`<${event.type}>`],
  );

test("a text or thought that claude-agent-acp repeats in full, by its id, is reported once", () => {
  expect(words(heard(CLAUDE, ["Let "], ["me look."], ["Let me look.", "m1"]))).toEqual([
    "Let ",
    "me look.",
    "<text_done>",
  ]);
  expect(words(heard(CLAUDE, ["[so ]"], ["[far]"], ["[so far]", "m1"], ["Yes."], ["Yes.", "m1"]))).toEqual([
    "so ",
    "far",
    "<thinking_done>",
    "Yes.",
    "<text_done>",
  ]);
});

test("also after an intervening call, and whatever the full text adds to the chunks is reported", () => {
  expect(words(heard(CLAUDE, ["Let me look."], ["!"], ["Let me look.", "m1"], ["Done.", "m2"]))).toEqual([
    "Let me look.",
    "<text_done>",
    "Done.",
  ]);
  expect(words(heard(CLAUDE, ["Let me"], ["Let me look.", "m1"]))).toEqual(["Let me", " look.", "<text_done>"]);
});

test("chunks with an id that are repeated in full are reported once; a short chunk is never mistaken for a repeat", () => {
  const chunks: Chunk[] = ["There are ", "three files ", "in it."].map((text) => [text, "m1"]);
  const once = ["There are ", "three files ", "in it.", "<text_done>"];
  expect(words(heard(CLAUDE, ...chunks, ["There are three files in it.", "m1"]))).toEqual(once);
  expect(words(heard(CLAUDE, ["ha", "m1"], ["ha", "m1"], ["haha", "m1"]))).toEqual(["ha", "ha", "haha"]);
});

test("other texts, and all texts of other agents, are unchanged", () => {
  expect(words(heard(CLAUDE, ["One."], ["One.", "m1"], ["One."], ["One.", "m2"]))).toEqual([
    "One.",
    "<text_done>",
    "One.",
    "<text_done>",
  ]);
  expect(words(heard(CLAUDE, ["One."], ["Two.", "m1"]))).toEqual(["One.", "Two."]);
  expect(words(heard("some-agent", ["One."], ["One.", "m1"]))).toEqual(["One.", "One."]);
});

test("an interrupted text is retracted also after a title, and by a thought of the new answer", () => {
  const taken = ["Here i", "<text_retracted>"];
  expect(words(heard(CLAUDE, ["Here i", "m1"], ["?"], ["Again.", "m2"]))).toEqual([...taken, "Again."]);
  expect(words(heard(CLAUDE, ["Here i", "m1"], ["[hm]", "m2"], ["Again.", "m2"]))).toEqual([
    ...taken,
    "hm",
    "<thinking_done>",
    "Again.",
  ]);
});

test("a thought in the middle of an answer retracts nothing", () => {
  const emitted = ["Here i", "<text_done>", "hm", "<thinking_done>", "s it."];
  expect(words(heard(CLAUDE, ["Here i", "m1"], ["[hm]", "m1"], ["s it.", "m1"]))).toEqual(emitted);
  expect(words(heard("other", ["Here i", "m1"], ["[hm]", "m2"], ["s it.", "m2"]))).toEqual(emitted);
});
