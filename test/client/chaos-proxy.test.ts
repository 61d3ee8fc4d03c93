import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { createRandom } from "../log/seeded-random.ts";
import { ChaosProxy, createFaults, faultKinds, type Fault } from "./chaos-proxy.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

const FIRST_FAULT: Fault = { kind: "cut", direction: "down", afterBytes: 1_000, trickleBytes: 7, pauseMs: 20 };
const LETTERS = Buffer.from(Array.from({ length: 3_000 }, (_, at) => 97 + (at % 26)));

/** What arrives of 3,000 bytes sent in each direction, once the connection has ended. */
async function passThrough(fault: Fault | undefined) {
  const up: Buffer[] = [];
  const down: Buffer[] = [];
  const served = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    socket.on("close", () => served.resolve());
    socket.on("data", (chunk: Buffer) => up.push(chunk));
    socket.on("error", () => {});
    socket.write(LETTERS);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(() => server.close());
  const target = () => (server.address() as AddressInfo).port;
  const proxy = await ChaosProxy.open({ listenAt: 0, target, nextFault: () => fault });
  closing.push(() => proxy.close());
  const socket: Socket = connect(Number(proxy.target), "127.0.0.1");
  let error = "";
  socket.on("data", (chunk: Buffer) => {
    down.push(chunk);
    if (fault === undefined && Buffer.concat(down).length === LETTERS.length) socket.destroy();
  });
  socket.on("error", (found: NodeJS.ErrnoException) => (error = found.code ?? ""));
  socket.write(LETTERS);
  await new Promise<void>((resolve) => socket.on("close", () => resolve()));
  await served.promise;
  return { up: Buffer.concat(up), down: Buffer.concat(down), error, faults: proxy.faults };
}

test("without a fault the proxy passes every byte", async () => {
  const { down, faults } = await passThrough(undefined);
  expect([down.equals(LETTERS), faults]).toEqual([true, 0]);
});

test.each([
  ["cut", 1_000],
  ["swallow", 1_000],
  ["half-open", 1_000],
  ["trickle", 1_007],
  ["stall", 3_000],
] as const)("%s lets exactly its bytes through, unchanged, then ends the connection", async (kind, bytes) => {
  const { down, error, faults } = await passThrough({ ...FIRST_FAULT, kind });
  expect([down.equals(LETTERS.subarray(0, bytes)), error, faults]).toEqual([true, "", 1]);
});

test("a fault upwards counts the bytes of the client", async () => {
  const { up, faults } = await passThrough({ ...FIRST_FAULT, kind: "swallow", direction: "up" });
  expect([up.equals(LETTERS.subarray(0, 1_000)), faults]).toEqual([true, 1]);
});

test("a reset is an error at the client, and lets no more than its bytes through", async () => {
  const { down, error, faults } = await passThrough({ ...FIRST_FAULT, kind: "reset" });
  expect([down.equals(LETTERS.subarray(0, down.length)), down.length <= 1_000, error, faults]).toEqual([
    true,
    true,
    "ECONNRESET",
    1,
  ]);
});

test("a script has as many faults as asked for, of every kind, the same for the same seed", () => {
  const take = (seed: number) => {
    const next = createFaults(createRandom(seed), 200);
    return Array.from({ length: 201 }, () => next());
  };
  const faults = take(1);
  expect(faults).toEqual(take(1));
  expect(faults).not.toEqual(take(2));
  expect(faults.map((fault) => fault === undefined)).toEqual([...Array.from({ length: 200 }, () => false), true]);
  expect(new Set(faults.flatMap((fault) => fault?.kind ?? []))).toEqual(new Set(faultKinds));
});
