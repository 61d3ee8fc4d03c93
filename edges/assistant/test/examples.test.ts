/** The example in this edge's docs, replayed against the real server. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openWire, type OpenWire } from "./open-wire.ts";
import { create, SmallClient } from "./small-client.ts";

let wire: OpenWire;
beforeAll(async () => void (wire = await openWire()));
afterAll(() => wire.close());

test("the conversation in the docs is what happens", async () => {
  const [, example = ""] = /```004\n([\s\S]*?)```/.exec(readFileSync("edges/assistant/docs/protocol.md", "utf8")) ?? [];
  const sessionId = await create(wire.door, "solo");
  const lines = example.trim().replaceAll("SESSION", sessionId).split("\n");
  expect(lines.length).toBeGreaterThan(10);
  const client = await SmallClient.open(wire.door);
  let at = 0;
  for (const line of lines) {
    const frame = JSON.parse(line.slice(2)) as Record<string, unknown>;
    if (line.startsWith("> ")) client.say(frame);
    else at = (await client.sees(frame, at)) + 1;
  }
  client.close();
});
