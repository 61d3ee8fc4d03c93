import { mkdtempSync } from "node:fs";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { BadLine } from "./json-lines.ts";
import { connectLineSocket, listenLineSocket, type LineServer, type LineSocket } from "./line-socket.ts";

const servers: LineServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

function newPath(): string {
  return path.join(mkdtempSync(path.join(tmpdir(), "rt-line-")), "s.sock");
}

async function connectBoth(): Promise<{ near: LineSocket; far: LineSocket; path: string }> {
  const socketPath = newPath();
  const accepted = Promise.withResolvers<LineSocket>();
  servers.push(await listenLineSocket(socketPath, accepted.resolve));
  return { near: await connectLineSocket(socketPath), far: await accepted.promise, path: socketPath };
}

function heardBy(socket: LineSocket, count: number): Promise<unknown[]> {
  const { promise, resolve } = Promise.withResolvers<unknown[]>();
  const values: unknown[] = [];
  socket.onValue((value) => {
    values.push(value);
    if (values.length === count) resolve(values);
  });
  return promise;
}

describe("line socket", () => {
  test("values arrive in order in both directions, also those sent before `onValue` was set", async () => {
    const { near, far } = await connectBoth();
    const sent = Array.from({ length: 500 }, (_, index) => ({ index, text: "é".repeat(index) }));
    for (const value of sent) near.send(value);
    far.send("welcome");
    expect(await heardBy(far, 500)).toEqual(sent);
    expect(await heardBy(near, 1)).toEqual(["welcome"]);
    near.close("done");
  });

  test("closing flushes accepted values, and the other end is notified once", async () => {
    const { near, far } = await connectBoth();
    const closed: string[] = [];
    const farClosed = Promise.withResolvers<string>();
    near.onClose((reason) => closed.push(reason));
    far.onClose(farClosed.resolve);
    const heard = heardBy(far, 1);
    near.send({ last: true });
    near.close("going home");
    near.close("again");
    near.send("too late");
    expect(await heard).toEqual([{ last: true }]);
    expect(await farClosed.promise).toBe("the other end closed the connection");
    expect(closed).toEqual(["going home"]);
    const late: string[] = [];
    far.onClose((reason) => late.push(reason));
    expect(late).toEqual(["the other end closed the connection"]);
  });

  test("an unreadable line is reported and the connection stays open", async () => {
    const socketPath = newPath();
    const bad = Promise.withResolvers<BadLine>();
    const good = Promise.withResolvers<unknown>();
    servers.push(
      await listenLineSocket(socketPath, (socket) => {
        socket.onBad(bad.resolve);
        socket.onValue(good.resolve);
      }),
    );
    const raw = createConnection(socketPath);
    raw.write("GET / HTTP/1.1\n{}\n");
    expect(await bad.promise).toEqual({ reason: "not_json", bytes: 14, head: "GET / HTTP/1.1" });
    expect(await good.promise).toEqual({});
    raw.destroy();
  });

  test("unread bytes are counted in backlogBytes", async () => {
    const { near, far } = await connectBoth();
    for (let count = 0; count < 64; count += 1) near.send("x".repeat(65_536));
    expect(near.backlogBytes).toBeGreaterThan(1024 * 1024);
    await heardBy(far, 64);
    while (near.backlogBytes > 0) await new Promise((resolve) => setImmediate(resolve));
    near.close("done");
    expect(near.backlogBytes).toBe(0);
  });

  test("a value over the line limit is not sent, and the sender gets an error", async () => {
    const socketPath = newPath();
    const accepted = Promise.withResolvers<LineSocket>();
    servers.push(await listenLineSocket(socketPath, accepted.resolve));
    const near = await connectLineSocket(socketPath, { lineBytesMax: 10 });
    expect([near.send("123456789"), near.send("short")]).toEqual([false, true]);
    expect(await heardBy(await accepted.promise, 1)).toEqual(["short"]);
    near.close("done");
  });

  test("connecting without a listener rejects with the system's code", async () => {
    await expect(connectLineSocket(newPath())).rejects.toMatchObject({ code: "ENOENT" });
    // Paths of digits are not ports.
    for (const path of ["", "9"]) await expect(connectLineSocket(path)).rejects.toMatchObject({ code: "ENOENT" });
  });
});
