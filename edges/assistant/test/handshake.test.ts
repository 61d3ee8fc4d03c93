/** Handshake, subscriptions and refusals of the protocol, also for hostile peers. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { openWire, type OpenWire } from "./open-wire.ts";
import { create, operate, SmallClient } from "./small-client.ts";

let wire: OpenWire;
beforeAll(async () => void (wire = await openWire()));
afterAll(() => wire.close());

const UNKNOWN = "01JZZZZZZZZZZZZZZZZZZZZZZZ";

describe("wire 004, the connection", () => {
  test("hello is answered with subscribed and session_ready for each session, once", async () => {
    const [first, second] = [await create(wire.door, "solo"), await create(wire.door, "roundtable")];
    const client = await SmallClient.open(wire.door, [first, second]);
    client.say({ type: "subscribe", sessionId: first });
    await client.sees({ type: "subscribed", sessionId: first }, 4);
    const ready = { type: "session_ready", protocolVersion: 2, inputMode: "text", outputMode: "text" };
    expect(client.frames).toStrictEqual([
      { type: "subscribed", sessionId: first },
      { ...ready, sessionId: first, availableModels: ["small"], currentModel: "small" },
      { type: "subscribed", sessionId: second },
      { ...ready, sessionId: second },
      { type: "subscribed", sessionId: first },
    ]);
    client.close();
  });

  test("an unknown session is a subscription_error in subscribe, and in hello an internal_error and the end", async () => {
    const client = await SmallClient.open(wire.door, []);
    client.say({ type: "subscribe", sessionId: UNKNOWN });
    await client.sees({ type: "error", code: "subscription_error", retryable: true });
    client.say({ type: "subscribe", sessionId: "../../etc/passwd" });
    await client.sees({ type: "error", code: "subscription_error", details: { sessionId: "../../etc/passwd" } });
    client.close();
    const other = await SmallClient.open(wire.door);
    other.say({ type: "hello", protocolVersion: 2, subscriptions: [UNKNOWN] });
    expect(await other.closes()).toBe(1000);
    expect(other.types()).toStrictEqual(["error"]);
    expect(other.frames[0]).toMatchObject({ code: "internal_error" });
  });

  test("version 1 and a hello without subscriptions attach one session; another version is refused and closed", async () => {
    const sessionId = await create(wire.door, "solo");
    for (const hello of [{ protocolVersion: 1, sessionId }, { sessionId }]) {
      const client = await SmallClient.open(wire.door);
      client.say({ type: "hello", ...hello });
      await client.sees({ type: "session_ready", sessionId });
      expect(client.types()).toStrictEqual(["session_ready"]);
      client.close();
    }
    const old = await SmallClient.open(wire.door);
    old.say({ type: "hello", protocolVersion: 5, subscriptions: [sessionId] });
    expect(await old.closes()).toBe(1000);
    expect(old.frames).toMatchObject([{ type: "error", code: "unsupported_protocol_version" }]);
  });

  test("a hello that names no session attaches the newest under the id that its client chose", async () => {
    const fresh = await openWire();
    try {
      const sessionId = await create(fresh.door, "solo", "my-own");
      for (const hello of [{ protocolVersion: 1 }, {}]) {
        const client = await SmallClient.open(fresh.door);
        client.say({ type: "hello", ...hello });
        const ready = await client.sees({ type: "session_ready" });
        expect(client.frames[ready]).toMatchObject({ sessionId });
        client.say({ type: "text_input", sessionId, text: "plain" });
        await client.seesChat({ type: "turn_end", sessionId });
        client.close();
      }
    } finally {
      await fresh.close();
    }
  });

  test("capabilities of a later page version are accepted without an error", async () => {
    const sessionId = await create(wire.door, "solo");
    const client = await SmallClient.open(wire.door);
    const interaction = { supported: true, enabled: true };
    client.say({ type: "hello", protocolVersion: 2, subscriptions: [sessionId], interaction });
    client.say({ type: "set_interaction_mode", enabled: false });
    client.say({ type: "ping", nonce: "n" });
    await client.sees({ type: "session_ready", sessionId });
    await client.sees({ type: "pong", nonce: "n" });
    expect(client.types().toSorted()).toStrictEqual(["pong", "session_ready", "subscribed"]);
    client.close();
  });

  test("input to a session that the connection is not subscribed to is refused, and nothing is sent there", async () => {
    const sessionId = await create(wire.door, "solo");
    const client = await SmallClient.open(wire.door);
    client.say({ type: "text_input", sessionId, text: "plain" });
    await client.sees({ type: "error", code: "session_not_ready" });
    client.say({ type: "hello", protocolVersion: 2, subscriptions: [] });
    client.say({ type: "text_input", sessionId, text: "plain" });
    await client.sees({ type: "error", code: "invalid_session_id", details: { sessionId } });
    client.say({ type: "set_session_model", sessionId, model: "x" });
    client.say({ type: "subscribe", sessionId });
    await client.sees({ type: "session_ready" });
    client.say({ type: "unsubscribe", sessionId });
    await client.sees({ type: "unsubscribed", sessionId });
    const from = client.frames.length;
    client.say({ type: "text_input", sessionId, text: "plain" });
    await client.sees({ type: "error", code: "invalid_session_id" }, from);
    const { body } = await operate(wire.door, "events", { sessionId });
    expect(body.result).toStrictEqual({ sessionId, events: [] });
    client.close();
  });

  test("every bad frame gets an error of the protocol, and all connections stay open", async () => {
    const sessionId = await create(wire.door, "solo");
    const client = await SmallClient.open(wire.door, [sessionId]);
    const other = await SmallClient.open(wire.door, [sessionId]);
    const from = client.frames.length;
    const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
    const nested = `${"[".repeat(200)}${"]".repeat(200)}`;
    const bad: [unknown, string][] = [
      ["{", "invalid_json"],
      [deep, "invalid_client_message"],
      [`{"type":"ping","unknown":${nested}}`, "invalid_client_message"],
      ["null", "invalid_client_message"],
      [{ type: "no_such_type" }, "invalid_client_message"],
      [{ type: "text_input", sessionId, text: 5 }, "invalid_client_message"],
      [{ type: "text_input", text: "no session" }, "invalid_client_message"],
      [{ type: "subscribe", sessionId: "x".repeat(1000) }, "invalid_client_message"],
      [{ type: "hello", protocolVersion: 2, subscriptions: [] }, "duplicate_hello"],
      [{ type: "text_input", sessionId, text: "  \n " }, "empty_text"],
      [{ type: "subscribe", sessionId: " " }, "invalid_session_id"],
      [{ type: "cancel_queued_message", messageId: "nope" }, "queued_message_not_found"],
      [{ type: "cancel_queued_message", messageId: " " }, "invalid_queued_message_id"],
      [{ type: "set_session_model", sessionId, model: " " }, "invalid_model"],
      [{ type: "text_input", sessionId, text: "plain @__proto__", clientMessageId: "a".repeat(500) }, ""],
      [Buffer.from([1, 2, 3]), "audio_not_supported"],
    ];
    for (const [frame] of bad) client.say(frame);
    client.say({ type: "panel_event", panelId: "p", panelType: "chat", payload: { type: "panel_inventory" } });
    client.say({ type: "ping", nonce: "n" });
    await client.sees({ type: "pong", nonce: "n" });
    await client.seesChat({ type: "turn_end" });
    const codes = client.frames.slice(from).flatMap((frame) => (frame.type === "error" ? [frame.code] : []));
    expect(codes.toSorted()).toStrictEqual(
      bad
        .map(([, code]) => code)
        .filter((code) => code !== "")
        .toSorted(),
    );
    await other.seesChat({ type: "turn_end" });
    expect(other.types()).not.toContain("error");
    client.close();
    other.close();
  });

  test("a frame that is too long ends its own connection only", async () => {
    const sessionId = await create(wire.door, "solo");
    const [client, other] = [
      await SmallClient.open(wire.door, [sessionId]),
      await SmallClient.open(wire.door, [sessionId]),
    ];
    client.say({ type: "text_input", sessionId, text: "x".repeat(9 * 1024 * 1024) });
    expect(await client.closes()).toBe(1009);
    other.say({ type: "text_input", sessionId, text: "plain" });
    await other.seesChat({ type: "turn_end" });
    other.close();
  });

  test("the same clientMessageId with the same text is one message; with another text it is another", async () => {
    const sessionId = await create(wire.door, "solo");
    const client = await SmallClient.open(wire.door, [sessionId]);
    for (let count = 0; count < 3; count += 1) {
      client.say({ type: "text_input", sessionId, text: "plain", clientMessageId: "one" });
    }
    client.say({ type: "text_input", sessionId, text: "other", clientMessageId: "one" });
    await client.seesChat(
      { type: "turn_end" },
      await client.seesChat({ type: "user_message", payload: { text: "other" } }),
    );
    const users = [...client.shown().turns.values()].flatMap((turn) => turn.users);
    expect(users).toStrictEqual(["plain", "other"]);
    expect(client.types()).not.toContain("error");
    client.close();
  });

  test("a storm of subscriptions is answered one by one and costs the host nothing", async () => {
    const ids = await Promise.all(Array.from({ length: 5 }, () => create(wire.door, "solo")));
    const client = await SmallClient.open(wire.door, ids);
    let served = 0;
    const serve = wire.host.serve.bind(wire.host);
    wire.host.serve = (connection) => {
      served += 1;
      serve(connection);
    };
    for (let count = 0; count < 60; count += 1) client.say({ type: "subscribe", sessionId: ids[count % 5] });
    client.say({ type: "unsubscribe", sessionId: "the-end" });
    await client.sees({ type: "unsubscribed" });
    wire.host.serve = serve;
    expect(served).toBe(0);
    expect(client.types().filter((type) => type === "subscribed")).toHaveLength(65);
    expect(client.types().filter((type) => type === "session_ready")).toHaveLength(5);
    client.close();
  });

  test("the ordinary port asks for the token; the separate port does not, and knows only sessions made there", async () => {
    const hidden = await create(wire.door, "solo");
    const bare = { url: wire.door.url, headers: {} };
    expect((await operate(bare, "list", {})).status).toBe(401);
    const refused = new WebSocket(`${wire.door.url.replace("http", "ws")}/ws`);
    const status = await new Promise((resolve) => {
      refused.on("unexpected-response", (_, response) => resolve(response.statusCode));
    });
    expect(status).toBe(401);
    const mine = await create(wire.openDoor, "solo");
    const { body } = await operate(wire.openDoor, "list", {});
    const listed = body.result as unknown as { sessions: { sessionId: string }[] };
    expect(listed.sessions.map(({ sessionId }) => sessionId)).toStrictEqual([mine]);
    expect((await operate(wire.openDoor, "events", { sessionId: hidden })).status).toBe(404);
    const client = await SmallClient.open(wire.openDoor, [mine]);
    client.say({ type: "subscribe", sessionId: hidden });
    await client.sees({ type: "error", code: "subscription_error" });
    client.say({ type: "text_input", sessionId: mine, text: "plain" });
    await client.seesChat({ type: "turn_end" });
    expect(client.frames.filter((frame) => "sessionId" in frame && frame.sessionId === hidden)).toStrictEqual([]);
    client.close();
  });

  test("modes are stored and sent when they change, and ping is answered with its nonce", async () => {
    const client = await SmallClient.open(wire.door, []);
    client.say({ type: "set_modes", outputMode: "both" });
    client.say({ type: "set_modes", outputMode: "both" });
    client.say({ type: "ping" });
    await client.sees({ type: "pong" });
    expect(client.frames).toStrictEqual([
      { type: "modes_updated", inputMode: "text", outputMode: "both" },
      { type: "pong", timestampMs: expect.any(Number) as number },
    ]);
    client.close();
  });

  test("the model of a session with one member can be switched; with several members it is refused", async () => {
    const [one, several] = [await create(wire.door, "solo"), await create(wire.door, "roundtable")];
    const client = await SmallClient.open(wire.door, [one, several]);
    client.say({ type: "set_session_model", sessionId: one, model: "other" });
    await client.sees({ type: "session_updated", sessionId: one });
    const late = await SmallClient.open(wire.door, [one]);
    const ready = await late.sees({ type: "session_ready" });
    expect(late.frames[ready]).toMatchObject({ currentModel: "other" });
    client.say({ type: "set_session_model", sessionId: several, model: "other" });
    await client.sees({ type: "error", code: "model_not_supported" });
    client.close();
    late.close();
  });

  test("a connection that sends too many messages in a minute is told when it may continue", async () => {
    const sessionId = await create(wire.door, "solo");
    const client = await SmallClient.open(wire.door, [sessionId]);
    for (let count = 0; count < 121; count += 1) client.say({ type: "text_input", sessionId, text: " " });
    const at = await client.sees({ type: "error", code: "rate_limit_messages", retryable: true });
    expect(client.frames[at]).toMatchObject({ details: { limit: 120, windowMs: 60_000 } });
    client.close();
  });
});
