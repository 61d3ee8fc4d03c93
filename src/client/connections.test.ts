import { describe, expect, test } from "vitest";
import type { ClientFrame, HostFrame } from "../protocol/index.ts";
import { createConnectionPair } from "./connections.ts";

const list = (id: string): ClientFrame => ({ frame: "list", id });

async function settle(): Promise<void> {
  for (let step = 0; step < 10; step += 1) await Promise.resolve();
}

describe("in-process pair", () => {
  test("frames arrive once, in order and after send has returned, also those sent before a listener was set", async () => {
    const [client, host] = createConnectionPair();
    const heard: ClientFrame[] = [];
    client.send(list("1"));
    host.onFrame((frame) => heard.push(frame));
    client.send(list("2"));
    expect(heard).toEqual([]);
    await settle();
    client.send(list("3"));
    await settle();
    expect(heard).toEqual([list("1"), list("2"), list("3")]);
  });

  test("a received frame is a copy of the sent one", async () => {
    const [client, host] = createConnectionPair();
    const heard: HostFrame[] = [];
    client.onFrame((frame) => heard.push(frame));
    const result = { list: ["a"] };
    host.send({ frame: "reply", id: "1", ok: true, result });
    result.list.push("b");
    await settle();
    expect(heard).toEqual([{ frame: "reply", id: "1", ok: true, result: { list: ["a"] } }]);
  });

  test("frames sent before a close still arrive; then each end is notified once", async () => {
    const [client, host] = createConnectionPair();
    const heard: unknown[] = [];
    host.onClose((reason) => heard.push(["host closed", reason]));
    client.onFrame((frame) => heard.push(frame));
    client.onClose((reason) => heard.push(["client closed", reason]));
    host.send({ frame: "shutdown", reason: "bye" });
    host.close("gone");
    host.close("twice");
    host.send({ frame: "shutdown", reason: "too late" });
    client.send(list("unheard"));
    await settle();
    expect(heard).toEqual([["host closed", "gone"], { frame: "shutdown", reason: "bye" }, ["client closed", "gone"]]);
    const late: string[] = [];
    client.onClose((reason) => late.push(reason));
    expect(late).toEqual(["gone"]);
  });

  test("unread bytes are counted in backlogBytes", async () => {
    const [client, host] = createConnectionPair();
    client.send(list("x".repeat(1000)));
    expect(client.backlogBytes).toBeGreaterThan(1000);
    host.onFrame(() => {});
    await settle();
    expect(client.backlogBytes).toBe(0);
  });
});
