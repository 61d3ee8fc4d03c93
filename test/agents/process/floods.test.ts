import { expect, test } from "vitest";
import { floodBeside } from "./flood-beside.ts";
import { startFake, shortLimits } from "./start-fake.ts";

const MIB = 1024 * 1024;

test("truncates a flood of 200 MB with a warning, while another member finishes", async () => {
  const report = await floodBeside(200);
  expect(report).toMatchObject({ outcome: "completed", truncations: 1, neighbour: "completed" });
  expect(report.shownBytes).toBeLessThanOrEqual(4 * MIB);
  expect(report.shownBytes).toBeGreaterThan(3 * MIB);
  // Mostly garbage that is not collected yet; it does not grow with the flood.
  expect(report.memoryGrowthBytes).toBeLessThan(192 * MIB);
  expect(report.loopHeldP99Ms).toBeLessThan(100);
});

test("a line of 50 MB is reported, costs at most 100 MB, and the turn continues", async () => {
  const fake = await startFake({ fake: "one-huge-line" });
  const before = process.memoryUsage.rss();
  let peak = before;
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 5);
  const end = await fake.run(String(50 * 1000 * 1000));
  clearInterval(watch);
  expect(end).toMatchObject({ outcome: "completed" });
  expect(fake.text()).toBe("after it");
  expect(fake.all("warning").map(({ code, message }) => ({ code, message }))).toEqual([
    { code: "line_oversize", message: "fake wrote a line of 50000000 bytes, which is too long to be read." },
  ]);
  expect(peak - before).toBeLessThan(100 * MIB);
  await fake.leave();
});

test("a line of exactly the limit is read, one byte more is not", async () => {
  const fake = await startFake({ fake: "one-huge-line", limits: { ...shortLimits, lineBytesMax: 100_000 } });
  await fake.run("100000", "turn-1");
  await fake.run("100001", "turn-2");
  const wrapping = '{"say":""}'.length;
  expect(fake.all("text_delta").map((event) => event.text.length)).toEqual([100_000 - wrapping, 8, 8]);
  expect(fake.all("warning").map((event) => event.code)).toEqual(["line_oversize"]);
  await fake.leave();
});
