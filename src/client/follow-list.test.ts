/** The session list over a connection, with a real host and after a reconnect. */
import { expect, test } from "vitest";
import { connect, createSession, newDataDir, openHost, until } from "../../test/host/open-host.ts";
import { createManualClock } from "../../test/host/manual-clock.ts";
import { PROTOCOL_VERSION, type ClientFrame, type HostConnection, type SessionNews } from "../protocol/index.ts";
import { createConnectionPair } from "./connections.ts";
import { createLastingClient } from "./lasting-client.ts";

test("a follower of the session list gets all sessions first, then each new or changed one", async () => {
  const host = await openHost(newDataDir());
  try {
    const client = await connect(host);
    const before = await createSession(client, newDataDir());
    const heard: SessionNews[] = [];
    await client.followList((news) => heard.push(news));
    await until("all sessions", () => heard.length > 0);
    expect(heard.map(({ isWhole, changed }) => [isWhole, changed.map(({ sessionId }) => sessionId)])).toEqual([
      [true, [before]],
    ]);
    const later = await createSession(client, newDataDir());
    await until("the new one", () => heard.some((news) => news.changed.some(({ sessionId }) => sessionId === later)));
    await client.command(before, { type: "rename", title: "Another" });
    await until("its title", () => heard.at(-1)?.changed.some(({ title }) => title === "Another") === true);
    client.close();
  } finally {
    await host.close();
  }
});

async function settle(): Promise<void> {
  for (let step = 0; step < 60; step += 1) await Promise.resolve();
}

test("after a reconnect the list is followed again, starting with all sessions", async () => {
  const clock = createManualClock();
  const asked: ClientFrame[] = [];
  const ends: HostConnection[] = [];
  const client = await createLastingClient(
    async () => {
      const [near, far] = createConnectionPair();
      ends.push(far);
      far.onFrame((frame) => {
        if (frame.frame === "hello")
          far.send({ frame: "welcome", protocol: PROTOCOL_VERSION, version: "1", hostId: "H" });
        if (frame.frame !== "follow_list") return;
        asked.push(frame);
        far.send({ frame: "reply", id: frame.id, ok: true, result: null });
        far.send({ frame: "sessions", isWhole: true, changed: [], gone: [`of connection ${ends.length}`] });
      });
      return near;
    },
    { clock, random: () => 0 },
  );
  const heard: SessionNews[] = [];
  await client.followList((news) => heard.push(news));
  await settle();
  ends[0]?.close("cut");
  await settle();
  client.hint("online");
  await settle();
  expect(heard).toEqual([
    { isWhole: true, changed: [], gone: ["of connection 1"] },
    { isWhole: true, changed: [], gone: ["of connection 2"] },
  ]);
  expect(asked.length).toBe(2);
  await expect(client.followList(() => {})).rejects.toMatchObject({ code: "conflict" });
  client.close();
});
