import { expect, test } from "vitest";
import { createHandClock } from "../../../../../test/agents/hand-clock.ts";
import { createStartGate, START_ALONE_MS } from "./start-gate.ts";

function starts() {
  const clock = createHandClock();
  const gate = createStartGate();
  const begun: string[] = [];
  const ready = new Map<string, PromiseWithResolvers<boolean>>();
  const start = (name: string) =>
    gate.pass(
      clock,
      async () => {
        begun.push(name);
        return name;
      },
      (one) => {
        ready.set(one, Promise.withResolvers<boolean>());
        return (ready.get(one) as PromiseWithResolvers<boolean>).promise;
      },
    );
  return { clock, begun, start, tell: (name: string, isReady: boolean) => ready.get(name)?.resolve(isReady) };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("programs with a start gate start one at a time until one is ready, then all at once", async () => {
  const { begun, start, tell } = starts();
  const all = ["a", "b", "c", "d"].map(start);
  await settled();
  expect(begun).toEqual(["a"]);
  tell("a", false);
  await settled();
  expect(begun).toEqual(["a", "b"]);
  tell("b", true);
  expect(await Promise.all(all)).toEqual(["a", "b", "c", "d"]);
  expect(begun).toEqual(["a", "b", "c", "d"]);
  expect(await start("e")).toBe("e");
});

test("a program that is never ready delays the next for a limited time only", async () => {
  const { clock, begun, start } = starts();
  const all = ["a", "b"].map(start);
  await settled();
  clock.advance(START_ALONE_MS);
  expect(await Promise.all(all)).toEqual(["a", "b"]);
  expect(begun).toEqual(["a", "b"]);
});
