import { expect, test } from "vitest";
import { floodBesideStalled } from "./stalled-clients.ts";

const MIB = 1024 * 1024;

test("[V71] clients that stop reading a stream or a WebSocket cost the server at most 16 MiB together, and the others get every event once", async () => {
  const { heldGrowthBytes, areExact, events } = await floodBesideStalled({ bytes: 24 * MIB, stalledEach: 4 });
  expect(areExact).toBe(true);
  expect(events).toBeGreaterThan((2 * 24 * MIB) / (8 * 1024));
  expect(heldGrowthBytes).toBeLessThan(16 * MIB);
});
