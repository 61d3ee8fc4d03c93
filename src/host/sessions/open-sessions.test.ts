import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { connect, createSession, listen, newDataDir, openHost } from "../../../test/host/open-host.ts";

const OPEN_SESSIONS_MAX = 256;
const AT_ONCE = 16;

test("a program that goes through more sessions than may be open at once is not refused, and loses none", async () => {
  const host = await openHost(newDataDir());
  const client = await connect(host);
  const used = await createSession(client, tmpdir());
  const received = await listen(client, used);
  const made: string[] = [];
  while (made.length < OPEN_SESSIONS_MAX + AT_ONCE) {
    made.push(...(await Promise.all(Array.from({ length: AT_ONCE }, () => createSession(client, tmpdir())))));
  }
  expect(new Set((await host.listSessions()).map(({ sessionId }) => sessionId))).toEqual(new Set([used, ...made]));
  const [first = ""] = made;
  const snapshots = await Promise.all([used, first].map((sessionId) => client.snapshot(sessionId)));
  expect(snapshots.map(({ seq }) => seq > 0)).toEqual([true, true]);
  await client.command(used, { type: "rename", title: "still followed" });
  expect(received.events.at(-1)).toMatchObject({ type: "session_renamed", title: "still followed" });
  expect(received.resyncs).toEqual([]);
  await host.close();
});
