/** A later page of the same version that answers interactions, beside an older one that does not know them. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ChatEvent } from "./frame-schemas.ts";
import { openWire, type OpenWire } from "./open-wire.ts";
import { create, loadEvents, SmallClient } from "./small-client.ts";

let wire: OpenWire;
beforeAll(async () => {
  wire = await openWire();
});
afterAll(() => wire.close());

const events = (client: SmallClient): ChatEvent[] =>
  client.frames.flatMap((frame) => (frame.type === "chat_event" ? [frame.event] : []));
const interactionsIn = (all: readonly ChatEvent[]) =>
  all.flatMap(({ type, payload }) =>
    type === "interaction_request" || type === "interaction_response" ? [{ type, payload }] : [],
  );

async function later(sessionId: string, isSaidAtOnce: boolean, door = wire.openDoor): Promise<SmallClient> {
  const client = await SmallClient.open(door);
  const interaction = isSaidAtOnce ? { interaction: { supported: true, enabled: true } } : {};
  client.say({ type: "hello", protocolVersion: 2, subscriptions: [sessionId], ...interaction });
  await client.sees({ type: "session_ready", sessionId });
  return client;
}

test("a later client of wire 004 is shown requests and can answer them, while an older one sees text only", async () => {
  const sessionId = await create(wire.openDoor, "solo");
  const [page, old] = [await later(sessionId, true), await later(sessionId, false)];
  page.say({ type: "text_input", sessionId, text: "approve" });
  const at = await page.seesChat({ type: "interaction_request" });
  const frame = page.frames[at];
  const asked = frame?.type === "chat_event" && frame.event.type === "interaction_request" ? frame.event.payload : null;
  const interactionId = asked?.interactionId ?? "";
  const answer = { type: "tool_interaction_response", sessionId, callId: interactionId, interactionId };
  page.say({ ...answer, interactionId: "no-such", action: "deny" });
  await page.sees({ type: "error", code: "interaction_not_found" });
  page.say({ ...answer, action: "approve", approvalScope: "always" });
  page.say({ ...answer, action: "submit", input: { answer: "never offered" } });
  const first = await page.sees({ type: "error", code: "invalid_client_message" });
  await page.sees({ type: "error", code: "invalid_client_message" }, first + 1);
  const loaded = interactionsIn(await loadEvents(wire.openDoor, sessionId));
  expect(loaded).toStrictEqual([{ type: "interaction_request", payload: asked }]);
  page.say({ ...answer, action: "approve", approvalScope: "once" });
  await page.seesChat({ type: "interaction_response", payload: { interactionId, action: "approve" } });
  await page.seesChat({ type: "turn_end" });
  await old.seesChat({ type: "turn_end" });
  expect(interactionsIn(events(old))).toEqual([]);
  expect(events(old).filter(({ type }) => type === "custom_message")).toHaveLength(2);
  page.say({ ...answer, action: "deny" });
  await page.sees({ type: "error", code: "interaction_not_found", details: { interactionId } });
  page.close();
  old.close();
});

test("a client that enables interactions later gets the pending requests", async () => {
  const sessionId = await create(wire.openDoor, "solo");
  const client = await later(sessionId, false);
  client.say({ type: "text_input", sessionId, text: "ask" });
  await client.seesChat({ type: "custom_message", payload: { label: "confirm" } });
  expect(interactionsIn(events(client))).toEqual([]);
  client.say({ type: "set_interaction_mode", enabled: true });
  await client.seesChat({ type: "interaction_request", payload: { interactionType: "input" } });
  const [asked] = interactionsIn(events(client));
  const { interactionId } = asked?.payload ?? { interactionId: "" };
  const answer = { type: "tool_interaction_response", sessionId, callId: interactionId, interactionId };
  client.say({ ...answer, action: "submit", input: { answer: "yes" } });
  await client.seesChat({ type: "assistant_done", payload: { text: "Thank you." } });
  client.close();
});

test("without a token, which a member's process also lacks, an approval stays open; with the token it is answered", async () => {
  const guarded = await openWire(undefined, () => Promise.resolve("it may be a member's"));
  const sessionId = await create(guarded.openDoor, "solo");
  const [open, known] = [await later(sessionId, true, guarded.openDoor), await later(sessionId, true, guarded.door)];
  open.say({ type: "text_input", sessionId, text: "approve" });
  await open.seesChat({ type: "interaction_request" });
  const [asked] = interactionsIn(events(open));
  const { interactionId } = asked?.payload ?? { interactionId: "" };
  const answer = { type: "tool_interaction_response", sessionId, callId: interactionId, interactionId };
  open.say({ ...answer, action: "approve", approvalScope: "once" });
  await open.sees({ type: "error", code: "invalid_client_message", details: { interactionId } });
  expect((await guarded.host.readRequests()).length).toBe(1);
  known.say({ ...answer, action: "approve", approvalScope: "once" });
  await open.seesChat({ type: "interaction_response", payload: { interactionId, action: "approve" } });
  open.close();
  known.close();
  await guarded.close();
});
