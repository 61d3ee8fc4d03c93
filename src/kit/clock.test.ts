import { expect, test } from "vitest";
import { systemClock } from "./clock.ts";

test("an expired wait ends with the next tick, and one of years does not end at once", async () => {
  const warnings: string[] = [];
  const hear = (warning: Error) => warnings.push(warning.name);
  process.on("warning", hear);
  const ended: string[] = [];
  const cancel = systemClock.after(2 ** 40, () => ended.push("years"));
  await new Promise<void>((resolve) => void systemClock.after(-1, resolve));
  await new Promise<void>((resolve) => void systemClock.after(20, resolve));
  cancel();
  process.off("warning", hear);
  expect({ ended, warnings }).toEqual({ ended: [], warnings: [] });
});
