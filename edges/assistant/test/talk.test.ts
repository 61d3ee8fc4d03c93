/** The small client drives the real server: chat, streaming, tools, requests, queue, cancel, failure, reload. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createClient, createConnectionPair } from "../../../src/client/index.ts";
import { empty, fold, fromSnapshot, type Transcript } from "../../../src/transcript/index.ts";
import { ofShown, ofTranscript } from "./conversation.ts";
import { openWire, type OpenWire } from "./open-wire.ts";
import { create, loadEvents, operate, reload, SmallClient } from "./small-client.ts";

let wire: OpenWire;
beforeAll(async () => void (wire = await openWire()));
afterAll(() => wire.close());

async function ourTranscript(sessionId: string): Promise<Transcript> {
  const [near, far] = createConnectionPair();
  wire.host.serve(far);
  const client = await createClient(async () => near);
  const transcript = fromSnapshot(await client.snapshot(sessionId)) ?? fold(empty(sessionId), []);
  client.close();
  return transcript;
}

async function answerAll(sessionId: string, result: boolean | string): Promise<void> {
  const [near, far] = createConnectionPair();
  wire.host.serve(far);
  const client = await createClient(async () => near);
  const { requests } = await wire.host.readFacts(sessionId);
  for (const { requestId } of requests) await client.command(sessionId, { type: "answer", requestId, result });
  client.close();
}

/** The live view, a reload, and our own transcript. */
async function expectSame(client: SmallClient, sessionId: string): Promise<void> {
  const transcript = await ourTranscript(sessionId);
  const expected = ofTranscript(transcript, []);
  expect(ofShown(client.shown(), transcript)).toStrictEqual(expected);
  expect(ofShown(await reload(wire.door, sessionId), transcript)).toStrictEqual(expected);
}

async function openSession(agentId = "solo"): Promise<{ client: SmallClient; sessionId: string }> {
  const sessionId = await create(wire.door, agentId);
  return { client: await SmallClient.open(wire.door, [sessionId]), sessionId };
}

const say = (client: SmallClient, sessionId: string, text: string, clientMessageId?: string) =>
  client.say({ type: "text_input", sessionId, text, clientMessageId });

describe("wire 004", () => {
  test("a turn with thinking, text and a tool is sent in the order of assistant's own server", async () => {
    const { client, sessionId } = await openSession();
    const from = client.frames.length;
    say(client, sessionId, "work please", "mine-1");
    const end = await client.seesChat({ type: "turn_end" });
    expect(client.types(from, end + 1)).toStrictEqual([
      "session_updated",
      "+turn_start",
      "+user_message",
      "thinking_start",
      "thinking_delta",
      "+thinking_chunk",
      "text_delta",
      "+assistant_chunk",
      "+thinking_done",
      "+assistant_done",
      "tool_call_start",
      "+tool_call",
      "tool_output_delta",
      "+tool_output_chunk",
      "tool_result",
      "+tool_result",
      "text_delta",
      "+assistant_chunk",
      "thinking_done",
      "text_done",
      "session_updated",
      "+assistant_done",
      "+turn_end",
    ]);
    expect(client.frames.find((frame) => frame.type === "text_done")).toMatchObject({
      text: "I look. There is one file.",
    });
    const done = client.frames.flatMap((frame) =>
      frame.type === "chat_event" && frame.event.type === "assistant_done" ? [frame.event.payload.text] : [],
    );
    expect(done).toStrictEqual(["I look. ", "There is one file."]);
    await expectSame(client, sessionId);
    client.close();
  });

  test("the legacy frame of a message goes to every connection except its sender", async () => {
    const { client, sessionId } = await openSession();
    const other = await SmallClient.open(wire.door, [sessionId]);
    say(client, sessionId, "plain");
    await Promise.all([client.seesChat({ type: "turn_end" }), other.seesChat({ type: "turn_end" })]);
    expect(client.types()).not.toContain("user_message");
    expect(other.types()).toContain("user_message");
    client.close();
    other.close();
  });

  test("cancelling in the middle of text keeps the text, sends output_cancelled and interrupt, and ends the turn", async () => {
    const { client, sessionId } = await openSession();
    say(client, sessionId, "hold on");
    await client.seesChat({ type: "assistant_chunk" });
    const from = client.frames.length;
    client.say({ type: "control", action: "cancel", target: "output", sessionId, audioEndMs: 5 });
    const end = await client.seesChat({ type: "turn_end" });
    expect(client.types(from, end + 1)).toStrictEqual([
      "output_cancelled",
      "+assistant_done",
      "+interrupt",
      "+turn_end",
    ]);
    await client.seesChat({ type: "interrupt", payload: { reason: "user_cancel" } }, from);
    await expectSame(client, sessionId);
    client.close();
  });

  test("a cancel that names no session means the only one of its connection", async () => {
    const { client, sessionId } = await openSession();
    say(client, sessionId, "hold on");
    await client.seesChat({ type: "assistant_chunk" });
    client.say({ type: "control", action: "cancel", target: "output" });
    await client.seesChat({ type: "interrupt", payload: { reason: "user_cancel" } });
    client.close();
  });

  test("cancelling in a tool settles it as tool_interrupted, live and after a reload", async () => {
    const { client, sessionId } = await openSession();
    say(client, sessionId, "tool now");
    await client.seesChat({ type: "tool_call" });
    const from = client.frames.length;
    client.say({ type: "control", action: "cancel", target: "output", sessionId });
    const end = await client.seesChat({ type: "turn_end" });
    expect(client.types(from, end + 1)).toStrictEqual(["tool_result", "+interrupt", "output_cancelled", "+turn_end"]);
    await client.sees({ type: "tool_result", ok: false, error: { code: "tool_interrupted" } }, from);
    expect([...(await reload(wire.door, sessionId)).tools.values()].map(({ state }) => state)).toStrictEqual([
      "interrupted",
    ]);
    await expectSame(client, sessionId);
    client.close();
  });

  test("a message to a busy session is queued from position 1, can be withdrawn, and leaves the queue before its turn, which follows a cancelled one at once", async () => {
    const { client, sessionId } = await openSession();
    say(client, sessionId, "hold");
    await client.seesChat({ type: "assistant_chunk" });
    say(client, sessionId, "first later", "q-1");
    say(client, sessionId, "second later");
    const first = await client.sees({ type: "message_queued", position: 1 });
    const second = await client.sees({ type: "message_queued", position: 2 });
    expect(client.frames[first]).toStrictEqual({
      type: "message_queued",
      messageId: expect.any(String) as string,
      text: "first later",
      position: 1,
      sessionId,
      source: "user",
      clientMessageId: "q-1",
    });
    expect(client.frames[second]).not.toHaveProperty("clientMessageId");
    const late = await SmallClient.open(wire.door, [sessionId]);
    await late.sees({ type: "message_queued", position: 2 });
    const { messageId } = client.frames[second] as { messageId: string };
    client.say({ type: "cancel_queued_message", messageId });
    await client.sees({ type: "message_dequeued", messageId });
    client.say({ type: "cancel_queued_message", messageId });
    await client.sees({ type: "error", code: "queued_message_not_found" });
    const from = client.frames.length;
    client.say({ type: "control", action: "cancel", target: "output", sessionId });
    const ended = await client.seesChat({ type: "turn_end" }, from);
    const dequeued = await client.sees({ type: "message_dequeued" }, ended);
    const began = await client.seesChat({ type: "turn_start" }, dequeued);
    await client.seesChat({ type: "user_message", payload: { text: "first later" } }, began);
    await client.seesChat({ type: "turn_end" }, began);
    await expectSame(client, sessionId);
    client.close();
    late.close();
  });

  test("a failed turn reports its error and ends", async () => {
    const { client, sessionId } = await openSession();
    say(client, sessionId, "fail");
    const end = await client.seesChat({ type: "turn_end" });
    expect(client.types(0, end + 1).slice(-3)).toStrictEqual(["+assistant_done", "+error", "+turn_end"]);
    expect(client.types(end)).toStrictEqual(["+turn_end"]);
    await expectSame(client, sessionId);
    client.close();
  });

  test("questions and approvals are shown with what is asked, and so is that they were answered elsewhere", async () => {
    const { client, sessionId } = await openSession();
    for (const [word, result] of [
      ["ask", true],
      ["approve", "allow"],
    ] as const) {
      const from = client.frames.length;
      say(client, sessionId, word);
      await client.seesChat({ type: "custom_message" }, from);
      await answerAll(sessionId, result);
      await client.seesChat({ type: "custom_message", payload: { label: "answer" } }, from);
      await client.seesChat({ type: "turn_end" }, from);
    }
    const asked = (await loadEvents(wire.door, sessionId)).flatMap((event) =>
      event.type === "custom_message" ? [event.payload.label] : [],
    );
    expect(asked).toStrictEqual(["confirm", "answer", "approval", "answer"]);
    await expectSame(client, sessionId);
    client.close();
  });

  test("where several members answer, each has a turn of its own that names it, and the message is shown once", async () => {
    const { client, sessionId } = await openSession("roundtable");
    say(client, sessionId, "plain");
    const first = await client.seesChat({ type: "turn_end" });
    await client.seesChat({ type: "turn_end" }, first + 1);
    const chats = client.frames.flatMap((frame) => (frame.type === "chat_event" ? [frame.event] : []));
    const named = chats.flatMap((event) => (event.type === "agent_switch" ? [event.payload.toAgentId] : []));
    expect(named.toSorted()).toStrictEqual(["duo", "solo"]);
    expect(chats.filter((event) => event.type === "user_message")).toHaveLength(1);
    expect(new Set(chats.map(({ turnId }) => turnId)).size).toBe(2);
    await expectSame(client, sessionId);
    client.close();
  });

  test("a question from member to member is a call of agents_message, a message from that agent and its callback", async () => {
    const { client, sessionId } = await openSession("roundtable");
    say(client, sessionId, "@solo consult");
    await client.sees({ type: "text_done", text: "Duo told me." });
    const chats = client.frames.flatMap((frame) => (frame.type === "chat_event" ? [frame.event] : []));
    const asked = chats.find((event) => event.type === "agent_message");
    const answered = chats.find((event) => event.type === "agent_callback");
    const question = { targetAgentId: "duo", targetSessionId: sessionId, message: "plain words?", wait: true };
    expect(asked?.payload).toMatchObject(question);
    expect(answered?.payload).toMatchObject({ fromAgentId: "duo", fromSessionId: sessionId, result: "Plain answer." });
    expect(client.frames.find((frame) => frame.type === "user_message")).toMatchObject({
      fromAgentId: "solo",
      agentMessageType: "agent_message",
      text: "plain words?",
    });
    const result = chats.find((event) => event.type === "tool_result");
    expect(result?.payload.result).toMatchObject({ mode: "sync", response: "Plain answer." });
    client.close();
  });

  test("a client that subscribes during a turn learns that it runs, and can stop it", async () => {
    const { client, sessionId } = await openSession();
    say(client, sessionId, "hold");
    await client.seesChat({ type: "assistant_chunk", payload: { text: "I hold" } });
    const late = await SmallClient.open(wire.door, [sessionId]);
    const at = await late.seesChat({ type: "assistant_chunk", payload: { text: "" } });
    expect(late.frames[at]).not.toHaveProperty("event.responseId");
    late.say({ type: "control", action: "cancel", target: "output", sessionId });
    await client.seesChat({ type: "turn_end" });
    const calm = await SmallClient.open(wire.door, [sessionId]);
    // List updates about the previous turn may still reach connections without a subscription.
    const toCalm = calm.types().filter((type) => type !== "session_updated");
    expect(toCalm).toStrictEqual(["subscribed", "session_ready"]);
    for (const one of [client, late, calm]) one.close();
  });

  test("a message from a panel reaches the member that it names, without the line about the panel", async () => {
    const { client, sessionId } = await openSession("roundtable");
    const panel = '<context panel-id="chat-1" panel-type="chat" panel-title="Chat" />';
    say(client, sessionId, panel);
    await client.sees({ type: "error", code: "empty_text" });
    say(client, sessionId, `${panel}\n@duo plain`);
    await client.seesChat({ type: "user_message", payload: { text: "@duo plain" } });
    await client.seesChat({ type: "turn_end" });
    const chats = client.frames.flatMap((frame) => (frame.type === "chat_event" ? [frame.event] : []));
    expect(chats.flatMap((event) => (event.type === "agent_switch" ? [event.payload.toAgentId] : []))).toStrictEqual([
      "duo",
    ]);
    client.close();
  });

  test("a session without a title is named by its first message, and the client learns it", async () => {
    const { client, sessionId } = await openSession();
    say(client, sessionId, "plain  words\nof the first message");
    await client.sees({ type: "session_updated", name: "plain words of the first message" });
    await client.seesChat({ type: "turn_end" });
    say(client, sessionId, "plain again");
    await client.sees(
      { type: "text_done" },
      await client.seesChat({ type: "user_message", payload: { text: "plain again" } }),
    );
    const listed = await operate(wire.door, "list", {});
    expect(listed.body.result).toMatchObject({
      sessions: expect.arrayContaining([
        expect.objectContaining({ sessionId, name: "plain words of the first message" }),
      ]) as unknown,
    });
    client.close();
  });

  test("a refused first message does not name the session, the next one does", async () => {
    const { client, sessionId } = await openSession();
    say(client, sessionId, "@solo");
    await client.sees({ type: "error", code: "invalid_client_message" });
    const refused = await operate(wire.door, "message", { sessionId, content: "@solo" });
    expect([refused.status, refused.body.code]).toStrictEqual([400, "invalid_arguments"]);
    const listed = await operate(wire.door, "list", {});
    const { sessions } = listed.body.result as unknown as { sessions: { sessionId: string }[] };
    expect(sessions.find((one) => one.sessionId === sessionId)).not.toHaveProperty("name");
    say(client, sessionId, "plain words");
    await client.sees({ type: "session_updated", name: "plain words" });
    client.close();
  });

  test("a client that reconnects loads what it missed after its last event, without repeats", async () => {
    const { client, sessionId } = await openSession();
    say(client, sessionId, "work");
    await client.seesChat({ type: "turn_end" });
    const had = client.frames.flatMap((frame) => (frame.type === "chat_event" ? [frame.event] : []));
    client.close();
    await operate(wire.door, "message", { sessionId, content: "plain", mode: "sync" });
    const missed = await loadEvents(wire.door, sessionId, had.at(-1)?.id);
    expect(missed.map(({ type }) => type)).toStrictEqual(["turn_start", "user_message", "assistant_done", "turn_end"]);
    const all = await loadEvents(wire.door, sessionId);
    expect(all.slice(-4)).toStrictEqual(missed);
    expect(await loadEvents(wire.door, sessionId, "no-such-event")).toStrictEqual(all);
    expect(await loadEvents(wire.door, sessionId, missed.at(-1)?.id)).toStrictEqual([]);
  });
});
