import { expect, test } from "vitest";
import { systemClock } from "../../kit/clock.ts";
import type { SessionEvent } from "../../protocol/index.ts";
import { TeamStoreError, type TeamStoreCode } from "../store/team-store.ts";
import type { PostgresStore } from "../store/postgres/open-store.ts";
import type { Rights } from "./rights.ts";
import { createTeamHost } from "./team-host.ts";

const request = { method: "confirm", title: "Go on?", message: "" };

/** A host over sessions with one open request each; reading some of them fails. */
function hostOf(failures: Readonly<Record<string, TeamStoreCode>>) {
  const counts = { now: 0, most: 0 };
  const store = {
    saved: async () => undefined,
    async *read(sessionId: string) {
      counts.now += 1;
      counts.most = Math.max(counts.most, counts.now);
      await Promise.resolve();
      counts.now -= 1;
      const requestId = `of ${sessionId}`;
      const failure = failures[sessionId];
      if (failure !== undefined) throw new TeamStoreError(failure, "away");
      const base = { epoch: 1, ts: 1, sessionId };
      yield [
        {
          ...base,
          seq: 1,
          id: "1",
          type: "session_created",
          format: 1,
          cwd: "/p",
          title: "t",
          settings: {},
          members: [],
        },
        {
          ...base,
          seq: 2,
          id: "2",
          type: "ui_request",
          turnId: "T",
          member: "scout",
          requestId,
          request,
          timeoutMs: 1,
        },
      ] as unknown as SessionEvent[];
    },
  } as unknown as PostgresStore;
  const visible = ["A", "B", "C"].map((sessionId) => ({ sessionId, waiting: 1, status: "running" }));
  const rights = { visible: () => visible, expect: async () => ({}), expectStill: () => {} } as unknown as Rights;
  const deps = { nodeId: "n", version: "1", store, exporters: [], clock: systemClock, connections: new Set<never>() };
  return { host: createTeamHost({ ...deps, directory: undefined as never }, rights), counts };
}

test("requests of many sessions are read one session at a time, and one that is damaged hides no other", async () => {
  const { host, counts } = hostOf({ B: "damaged" });
  const requests = await host.readRequests();
  expect(requests.map(({ requestId }) => requestId)).toEqual(["of A", "of C"]);
  expect(counts.most).toBe(1);
  await expect(hostOf({ B: "unavailable" }).host.readRequests()).rejects.toMatchObject({ code: "store_unavailable" });
});
