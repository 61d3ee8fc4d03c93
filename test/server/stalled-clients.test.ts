import { expect, test } from "vitest";
import { floodBesideStalled } from "./stalled-clients.ts";

const FLOOD_BYTES = 32 * 1024 * 1024;

test("clients that stop reading a stream or a WebSocket cost the server a bounded part of it together, and the others get every event once", async () => {
  const { heldGrowthBytes, areExact, events } = await floodBesideStalled({ bytes: FLOOD_BYTES, stalledEach: 2 });
  expect(areExact).toBe(true);
  expect(events).toBeGreaterThan((2 * FLOOD_BYTES) / (8 * 1024));
  // Half of what was said: a machine that does other things too lets honest readers fall behind. `bench` holds it to 16 MiB.
  expect(heldGrowthBytes).toBeLessThan(FLOOD_BYTES / 2);
});
