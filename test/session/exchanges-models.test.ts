/** Two built-in members on a model server over HTTP: one model calls `agents_message`, the other answers. */
import { expect, onTestFinished, test } from "vitest";
import { createModelAgent } from "../../src/agents/model/model-agent.ts";
import { systemClock } from "../../src/kit/clock.ts";
import { newId } from "../../src/kit/ids.ts";
import type { EventOf, EventType } from "../../src/protocol/index.ts";
import { createSession } from "../../src/session/index.ts";
import { exchangeTools, turnById } from "../../src/transcript/index.ts";
import { calls, startModelServer, text, type ModelRequest } from "../agents/fakes/model-server.ts";
import { scratchTree } from "../agents/scratch-tree.ts";
import { createDisk, MemoryLog } from "./memory-log.ts";
import { SETTINGS, type CommandBody } from "./session-run.ts";
import { checkLog } from "./session-checker.ts";
import { patient } from "../patience.ts";

async function twoModels() {
  const server = await startModelServer();
  const cwd = await scratchTree({ "a.txt": "the answer is 42\n" });
  const log = new MemoryLog(createDisk(), { now: () => Date.now() });
  const session = await createSession({
    log,
    agentFactory: (member, setup) =>
      createModelAgent(member, setup, { limits: { retryBaseMs: 1, retryMsMax: 2 }, env: {} }),
    clock: systemClock,
    cwd,
    title: "",
    settings: { ...SETTINGS, auto_rounds: 1 },
    members: ["ada", "bob"].map((name) => ({ name, kind: "openai", baseUrl: server.url, model: name })),
  });
  onTestFinished(() => session.close());
  const events = <Type extends EventType>(type: Type) =>
    log.disk.events.filter((event): event is EventOf<Type> => event.type === type);
  const command = (command: CommandBody) => session.command({ ...command, commandId: newId() }, "me");
  const send = (text: string, to: string[]) => command({ type: "send", text, to, clientMessageId: newId() });
  const until = (type: EventType, count: number) =>
    expect.poll(() => events(type).length, { timeout: patient(30_000) }).toBe(count);
  return { server, session, log, events, command, send, until };
}

const lastOf = ({ messages }: ModelRequest) => messages.at(-1);
const toolResultOf = (asked: ModelRequest | undefined): string => {
  const last = asked === undefined ? undefined : lastOf(asked);
  return last?.role === "tool" ? (last.content ?? "") : "";
};

test("a model that calls agents_message gets the other model's answer as its tool result", async () => {
  const { server, session, log, events, send, until } = await twoModels();
  server.answer((asked) => {
    const isAfterTool = lastOf(asked)?.role === "tool";
    if (asked.model === "ada") {
      return isAfterTool
        ? text("bob says 42")
        : calls({ name: "agents_message", args: { to: "bob", text: "What is in a.txt?" } });
    }
    return isAfterTool ? text("It says 42.") : calls({ name: "read", args: { path: "a.txt" } });
  });
  await send("find out", ["ada"]);
  await until("turn_end", 2);
  checkLog(log.disk.events, { settled: true });
  const ofAda = server.requests.filter((asked) => asked.model === "ada");
  expect(JSON.parse(toolResultOf(ofAda.at(-1)))).toEqual({ from: "bob", answer: "It says 42." });
  const toBob = server.requests.find((asked) => asked.model === "bob")?.messages.findLast((one) => one.role === "user");
  expect(toBob?.content).toMatch(
    /Member ada asks you a question\..*\n\n\[(\S+) begin: member ada\]\n> What is in a\.txt\?\n\[\1 end\]/s,
  );
  expect(events("agent_callback_result")).toMatchObject([{ member: "bob", ok: true, text: "It says 42." }]);
  const asking = turnById(session.transcript, events("turn_start")[0]?.turnId ?? "");
  const block = asking?.blocks.find((one) => one.kind === "exchange");
  expect(asking?.blocks.find((one) => one.kind === "tool")).toMatchObject({
    state: "agent-callback",
    toolCallId: block?.toolCallId,
  });
  expect(block === undefined ? [] : exchangeTools(session.transcript, block)).toMatchObject([
    { name: "read", state: "success" },
  ]);
});

test("a model that asks back in a circle reads why not and answers; the tool is offered to every member", async () => {
  const { server, log, events, send, until } = await twoModels();
  server.answer((asked) => {
    const isAfterTool = lastOf(asked)?.role === "tool";
    const other = asked.model === "ada" ? "bob" : "ada";
    return isAfterTool
      ? text(`${asked.model} is done`)
      : calls({ name: "agents_message", args: { to: other, text: "You first?" } });
  });
  await send("talk", ["ada"]);
  await until("turn_end", 2);
  checkLog(log.disk.events, { settled: true });
  const ofBob = server.requests.filter((asked) => asked.model === "bob");
  expect(toolResultOf(ofBob.at(-1))).toContain("You cannot wait for ada: ada waits for your answer");
  expect(events("agent_callback_result")).toMatchObject([{ ok: true, text: "bob is done" }]);
  for (const asked of server.requests)
    expect(asked.tools.map((tool) => tool.function.name)).toContain("agents_message");
});

test("[S173] a model writes the minutes from what was said, quoted under a mark", async () => {
  const { server, events, command, send, until } = await twoModels();
  server.answer((asked) => {
    const question = asked.messages.findLast((one) => one.role === "user")?.content ?? "";
    return text(
      question.includes("Write the minutes") ? "# Minutes\n\n## Decision\n\nNone." : `${asked.model} thinks so.`,
    );
  });
  await send("Shall we?", ["ada"]);
  await until("turn_end", 1);
  await command({ type: "minutes", by: "bob" });
  await until("minutes", 1);
  expect(events("minutes")).toMatchObject([{ by: "bob", text: "# Minutes\n\n## Decision\n\nNone." }]);
  const given = server.requests.at(-1)?.messages.findLast((one) => one.role === "user")?.content ?? "";
  expect(given).toMatch(/\[(\S+) begin: member ada\]\n> ada thinks so\.\n\[\1 end\]/);
});
