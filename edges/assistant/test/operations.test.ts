/** The HTTP operations and small routes, with their shapes and status codes. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../../src/kit/clock.ts";
import { sendMessage } from "../routes/message-operation.ts";
import { SessionRooms } from "../routes/session-room.ts";
import { SessionSummary } from "./frame-schemas.ts";
import { openWire, type OpenWire } from "./open-wire.ts";
import { create, loadEvents, operate, SmallClient } from "./small-client.ts";

let wire: OpenWire;
beforeAll(async () => void (wire = await openWire()));
afterAll(() => wire.close());

const UNKNOWN = "01JZZZZZZZZZZZZZZZZZZZZZZZ";
const get = (path: string) => fetch(`${wire.door.url}${path}`, { headers: wire.door.headers });

async function summaries(): Promise<(typeof SessionSummary)["_output"][]> {
  const { body } = await operate(wire.door, "list", {});
  return SessionSummary.array().parse((body.result as unknown as { sessions: unknown }).sessions);
}

describe("wire 004, the operations", () => {
  test("create answers 201 with the summary; one member is the session's agent, several are `roundtable`", async () => {
    const made = await operate(wire.door, "create", { agentId: "solo" });
    expect([made.status, made.body.ok]).toStrictEqual([201, true]);
    const solo = SessionSummary.parse(made.body.result);
    const table = SessionSummary.parse((await operate(wire.door, "create", { agentId: "roundtable" })).body.result);
    expect([solo.agentId, table.agentId]).toStrictEqual(["solo", "roundtable"]);
    expect((await summaries()).map(({ sessionId }) => sessionId)).toEqual(
      expect.arrayContaining([solo.sessionId, table.sessionId]),
    );
  });

  test("a session can be created under an id that the client chose, and is known by it everywhere", async () => {
    expect(await create(wire.door, "solo", "my_own-Session1")).toBe("my_own-Session1");
    const client = await SmallClient.open(wire.door, ["my_own-Session1"]);
    client.say({ type: "text_input", sessionId: "my_own-Session1", text: "plain" });
    await client.seesChat({ type: "turn_end", sessionId: "my_own-Session1" });
    const foreign = client.frames.filter((frame) => "sessionId" in frame && frame.sessionId !== "my_own-Session1");
    expect(foreign).toStrictEqual([]);
    const again = await operate(wire.door, "create", { agentId: "solo", sessionId: "my_own-Session1" });
    expect([again.status, again.body.code]).toStrictEqual([400, "invalid_arguments"]);
    for (const sessionId of ["a/b", "..", "x".repeat(129), "ä", ""]) {
      expect((await operate(wire.door, "create", { agentId: "solo", sessionId })).status).toBe(400);
    }
    client.close();
  });

  test("update renames and pins, null clears both, and every connection is notified", async () => {
    const sessionId = await create(wire.door, "solo");
    const client = await SmallClient.open(wire.door, []);
    const pinnedAt = "2026-01-17T10:00:00.000Z";
    const done = await operate(wire.door, "update", { sessionId, name: "A name", pinnedAt });
    expect(SessionSummary.parse(done.body.result)).toMatchObject({ sessionId, name: "A name", pinnedAt });
    await client.sees({ type: "session_updated", sessionId, name: "A name", pinnedAt });
    const cleared = await operate(wire.door, "update", { sessionId, name: null, pinnedAt: null });
    expect(SessionSummary.parse(cleared.body.result)).not.toHaveProperty("name");
    expect((await summaries()).find((one) => one.sessionId === sessionId)).not.toHaveProperty("pinnedAt");
    await client.sees({ type: "session_updated", sessionId, name: null, pinnedAt: null });
    client.close();
  });

  test("a cleared name does not return with later events; a new one is sent", async () => {
    const sessionId = await create(wire.door, "solo");
    const inside = await SmallClient.open(wire.door, [sessionId]);
    const outside = await SmallClient.open(wire.door, []);
    const both = [inside, outside];
    const updated = { type: "session_updated", sessionId };
    await operate(wire.door, "update", { sessionId, name: "A" });
    // Sent by the session and by the operation.
    await inside.sees({ ...updated, name: "A" }, 1 + (await inside.sees({ ...updated, name: "A" })));
    await operate(wire.door, "update", { sessionId, name: null });
    const cleared = await Promise.all(both.map((client) => client.sees({ ...updated, name: null })));
    inside.say({ type: "text_input", sessionId, text: "plain" });
    await inside.seesChat({ type: "turn_end" });
    await outside.sees(updated, (cleared[1] ?? 0) + 1);
    await operate(wire.door, "update", { sessionId, name: "B" });
    for (const [at, client] of both.entries()) {
      const from = (cleared[at] ?? 0) + 1;
      await client.sees({ ...updated, name: "B" }, from);
      const names = client.frames.slice(from).flatMap((frame) => {
        return frame.type === "session_updated" && frame.sessionId === sessionId ? [frame.name] : [];
      });
      expect(names.filter((name) => name !== undefined && name !== "B")).toStrictEqual([]);
      client.close();
    }
    expect((await summaries()).find((one) => one.sessionId === sessionId)).toMatchObject({ name: "B" });
  });

  test("attributes are merged, null removes, and they are given back with the session", async () => {
    const sessionId = await create(wire.door, "solo");
    await operate(wire.door, "update-attributes", { sessionId, patch: { panel: { width: 5, open: true }, tag: "x" } });
    const done = await operate(wire.door, "update-attributes", {
      sessionId,
      patch: { panel: { open: null }, tag: null },
    });
    const { attributes } = SessionSummary.parse(done.body.result);
    expect(attributes).toMatchObject({ panel: { width: 5 } });
    expect([attributes?.["tag"], (attributes?.["panel"] as object | undefined) ?? {}]).toStrictEqual([
      undefined,
      { width: 5 },
    ]);
    const hostile = `{"sessionId":"${sessionId}","patch":{"__proto__":{"polluted":true}}}`;
    expect((await operate(wire.door, "update-attributes", hostile)).status).toBe(200);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    const large = { sessionId, patch: { big: "x".repeat(100_000) } };
    expect((await operate(wire.door, "update-attributes", large)).status).toBe(400);
  });

  test("message answers with started at once, or with the complete answer; a busy session answers busy", async () => {
    const sessionId = await create(wire.door, "solo");
    const complete = await operate(wire.door, "message", { sessionId, content: "work", mode: "sync", timeout: 20 });
    expect(complete.body.result).toMatchObject({
      sessionId,
      agentId: "solo",
      created: false,
      status: "complete",
      truncated: false,
      toolCallCount: 1,
      response: expect.stringContaining("There is one file.") as string,
    });
    const started = await operate(wire.door, "message", { sessionId, content: "hold" });
    expect(started.body.result).toMatchObject({ status: "started", responseId: expect.any(String) as string });
    const busy = await operate(wire.door, "message", { sessionId, content: "plain" });
    expect(busy.body.result).toMatchObject({ status: "busy", code: "session_busy" });
    expect((await operate(wire.door, "clear", { sessionId })).body.code).toBe("session_busy");
    const other = await create(wire.door, "solo");
    const late = await operate(wire.door, "message", { sessionId: other, content: "hold", mode: "sync", timeout: 1 });
    expect(late.body.result).toMatchObject({ status: "timeout", timeoutSeconds: 1 });
    const webhook = { sessionId: other, content: "x", webhook: { url: "http://127.0.0.1:1/" } };
    expect((await operate(wire.door, "message", webhook)).status).toBe(400);
  });

  test("of two messages at the same moment one is answered, and the other is busy and leaves nothing behind", async () => {
    const sessionId = await create(wire.door, "solo");
    const parts = { host: wire.host, clock: systemClock };
    const room = await new SessionRooms(parts).open(sessionId, sessionId);
    const order = { content: "hold", timeoutSeconds: 20 } as const;
    const answers = await Promise.all([
      sendMessage(parts, room, { ...order, mode: "async" }),
      sendMessage(parts, room, { ...order, mode: "sync" }),
    ]);
    expect(answers).toMatchObject([{ status: "started" }, { status: "busy", code: "session_busy" }]);
    const client = await SmallClient.open(wire.door, [sessionId]);
    expect(client.types()).not.toContain("message_queued");
    client.say({ type: "control", action: "cancel", target: "output", sessionId });
    await client.seesChat({ type: "turn_end" });
    const users = (await loadEvents(wire.door, sessionId)).filter(({ type }) => type === "user_message");
    expect(users).toHaveLength(1);
    client.close();
  });

  test("clear empties the session and notifies subscribers; delete archives it for everyone", async () => {
    const sessionId = await create(wire.door, "solo");
    const client = await SmallClient.open(wire.door, [sessionId]);
    const other = await SmallClient.open(wire.door, []);
    client.say({ type: "text_input", sessionId, text: "plain" });
    await client.seesChat({ type: "turn_end" });
    const cleared = await operate(wire.door, "clear", { sessionId });
    expect(cleared.body.result).toMatchObject({ sessionId, cleared: true, updatedAt: expect.any(String) as string });
    await client.sees({ type: "session_cleared", sessionId });
    expect((await operate(wire.door, "events", { sessionId })).body.result).toStrictEqual({ sessionId, events: [] });
    client.say({ type: "text_input", sessionId, text: "hold" });
    await client.seesChat({ type: "assistant_chunk", payload: { text: "I hold" } });
    const deleted = await operate(wire.door, "delete", { sessionId });
    expect(deleted.body.result).toStrictEqual({ sessionId, deleted: true });
    await client.sees({ type: "output_cancelled" });
    await client.sees({ type: "error", code: "session_deleted" });
    await Promise.all([client, other].map((one) => one.sees({ type: "session_deleted", sessionId })));
    expect((await summaries()).map((one) => one.sessionId)).not.toContain(sessionId);
    expect((await operate(wire.door, "events", { sessionId })).status).toBe(404);
    client.close();
    other.close();
  });

  test("a session that was deleted cannot be subscribed to again, not even where it was", async () => {
    const sessionId = await create(wire.door, "solo");
    const client = await SmallClient.open(wire.door, [sessionId]);
    await operate(wire.door, "delete", { sessionId });
    await client.sees({ type: "session_deleted", sessionId });
    client.say({ type: "subscribe", sessionId });
    await client.sees({ type: "error", code: "subscription_error", details: { sessionId } });
    expect(client.types().filter((type) => type === "subscribed")).toHaveLength(1);
    client.close();
  });

  test("a new session is announced to every connection once", async () => {
    const client = await SmallClient.open(wire.door, []);
    const sessionId = await create(wire.door, "roundtable");
    await client.sees({ type: "session_created", sessionId, agentId: "roundtable" });
    await operate(wire.door, "update", { sessionId, name: "new" });
    await client.sees({ type: "session_updated", sessionId, name: "new" });
    const told = client.frames.filter((frame) => frame.type === "session_created" && frame.sessionId === sessionId);
    expect(told).toHaveLength(1);
    client.close();
  });

  test("wrong arguments are 400, unknown sessions and paths 404, with error and code", async () => {
    const wrong = await Promise.all([
      operate(wire.door, "create", {}),
      operate(wire.door, "create", { agentId: 5 }),
      operate(wire.door, "create", { agentId: "nobody" }),
      operate(wire.door, "update", { sessionId: UNKNOWN }),
      operate(wire.door, "events", "[]"),
      operate(wire.door, "events", "{"),
    ]);
    expect(wrong.map(({ status }) => status)).toStrictEqual([400, 400, 400, 400, 400, 400]);
    expect(wrong.every(({ body }) => typeof body.error === "string")).toBe(true);
    const missing = await Promise.all(
      ["events", "clear", "delete", "update-attributes"].map((name) =>
        operate(wire.door, name, { sessionId: UNKNOWN, patch: {} }),
      ),
    );
    expect(missing.map(({ status, body }) => [status, body.code])).toStrictEqual(
      missing.map(() => [404, "session_not_found"]),
    );
    const paths = ["/api/plugins/notes/settings", "/plugins/chat/bundle.js", "/api/plugins/sessions/operations/no"];
    expect(await Promise.all(paths.map(async (path) => (await get(path)).status))).toStrictEqual([404, 404, 404]);
  });

  test("agents, plugins and preferences are served as the page requests them", async () => {
    const { body } = await operate(wire.door, "list", { includeAll: true }, "agents");
    expect((body.result as unknown as { agents: unknown[] }).agents).toMatchObject([
      { agentId: "roundtable", displayName: "Roundtable", type: "chat", description: expect.any(String) as string },
      { agentId: "solo", displayName: "Solo", type: "chat" },
      { agentId: "duo", displayName: "Duo", type: "chat" },
    ]);
    const { plugins } = (await (await get("/api/plugins")).json()) as { plugins: { id: string }[] };
    expect(plugins.map(({ id }) => id)).toStrictEqual(["sessions", "agents", "chat"]);
    expect(await (await get("/preferences")).json()).toStrictEqual({});
    const headers = { ...wire.door.headers, "content-type": "application/json" };
    const post = { method: "POST", headers, body: JSON.stringify({ theme: "dark", font: null }) };
    expect(await (await fetch(`${wire.door.url}/preferences`, post)).json()).toStrictEqual({ theme: "dark" });
    expect(await (await get("/preferences")).json()).toStrictEqual({ theme: "dark" });
  });

  test("the page changes its preferences by PATCH, and finds what its chat panel needs among the plugins", async () => {
    const headers = { ...wire.door.headers, "content-type": "application/json" };
    const patched = async (change: object): Promise<unknown> =>
      (await fetch(`${wire.door.url}/preferences`, { method: "PATCH", headers, body: JSON.stringify(change) })).json();
    expect(await patched({ expandToolOutput: true, theme: null })).toStrictEqual({ expandToolOutput: true });
    expect(await patched({ expandToolOutput: null })).toStrictEqual({});
    const { plugins } = (await (await get("/api/plugins")).json()) as {
      plugins: {
        capabilities?: string[];
        server?: { capabilities: string[] };
        panels?: { capabilities: string[] }[];
      }[];
    };
    const given = plugins.flatMap(({ capabilities = [], server }) => [
      ...capabilities,
      ...(server?.capabilities ?? []),
    ]);
    const needed = plugins.flatMap(({ panels = [] }) => panels.flatMap(({ capabilities }) => capabilities));
    expect(needed).toStrictEqual(["chat.read", "chat.write"]);
    expect(given).toStrictEqual(expect.arrayContaining(needed));
  });

  test("a subscribed session is listed with its model and newest text", async () => {
    const sessionId = await create(wire.door, "solo");
    const listed = async () => {
      const { body } = await operate(wire.door, "list", {});
      const { sessions } = body.result as unknown as { sessions: { sessionId: string }[] };
      return sessions.find((one) => one.sessionId === sessionId);
    };
    expect(await listed()).not.toHaveProperty("model");
    const client = await SmallClient.open(wire.door, [sessionId]);
    expect(await listed()).toMatchObject({ model: "small" });
    client.say({ type: "text_input", sessionId, text: "plain" });
    await client.seesChat({ type: "turn_end" });
    expect(SessionSummary.parse(await listed())).toMatchObject({ model: "small", lastSnippet: "Plain answer." });
    client.close();
  });
});
