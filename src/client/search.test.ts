import { expect, test } from "vitest";
import { createManualClock } from "../../test/host/manual-clock.ts";
import {
  PROTOCOL_VERSION,
  type ClientConnection,
  type ClientFrame,
  type HostConnection,
  type Json,
  type SearchAnswer,
} from "../protocol/index.ts";
import { createClient } from "./client.ts";
import { createConnectionPair } from "./connections.ts";
import { createLastingClient } from "./lasting-client.ts";

const ANSWER: SearchAnswer = { hits: [], hasMore: false, isComplete: false, sessionsLeft: 3 };
const QUERY = { words: "torn tail", member: "ada", limit: 5 };

async function settle(): Promise<void> {
  for (let step = 0; step < 60; step += 1) await Promise.resolve();
}

/** A scripted host end that sends a welcome and records frames. */
function openWire(): { near: ClientConnection; far: HostConnection; heard: ClientFrame[] } {
  const [near, far] = createConnectionPair();
  const heard: ClientFrame[] = [];
  far.onFrame((frame) => {
    if (frame.frame === "hello") far.send({ frame: "welcome", protocol: PROTOCOL_VERSION, version: "1", hostId: "H" });
    else heard.push(frame);
  });
  return { near, far, heard };
}

function answer(far: HostConnection, heard: readonly ClientFrame[]): void {
  const asked = heard.find((frame) => frame.frame === "search");
  const id = asked?.frame === "search" ? asked.id : "";
  far.send({ frame: "reply", id, ok: true, result: ANSWER as unknown as Json });
}

test("a search is one frame, and its reply is the answer", async () => {
  const { near, far, heard } = openWire();
  const client = await createClient(async () => near);
  const searching = client.search(QUERY);
  await settle();
  expect(heard).toEqual([{ frame: "search", id: expect.any(String), query: QUERY }]);
  answer(far, heard);
  expect(await searching).toEqual(ANSWER);
});

test("a search pending when the connection is lost is repeated on the next one", async () => {
  const clock = createManualClock();
  const wires = [openWire(), openWire()] as const;
  let next = 0;
  const client = await createLastingClient(async () => wires[next++ as 0 | 1].near, { clock, random: () => 0.5 });
  const searching = client.search(QUERY);
  await settle();
  wires[0].far.close("cut");
  await settle();
  for (let step = 0; step < 40 && wires[1].heard.length === 0; step += 1) {
    clock.advance(100);
    await settle();
  }
  expect(wires[1].heard).toContainEqual({ frame: "search", id: expect.any(String), query: QUERY });
  answer(wires[1].far, wires[1].heard);
  expect(await searching).toEqual(ANSWER);
  client.close();
});
