/** A session counts as waiting only for people who may answer, on any of their devices. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { EventDraft, SessionSummary } from "../../src/protocol/index.ts";
import { hasPostgres } from "./database.ts";
import { stamp } from "./events.ts";
import { startTeamOfRoles, type Name, type Scope, type TeamOfRoles } from "./roles.ts";

const request = { method: "confirm", title: "Go on?", message: "" };
const asked = { type: "ui_request", turnId: "t", member: "scout", requestId: "r", request, timeoutMs: 60_000 };

describe.runIf(hasPostgres)("a session that waits for an answer", () => {
  let team: TeamOfRoles;
  beforeAll(async () => {
    team = await startTeamOfRoles();
  });
  afterAll(() => team.close());

  test("waits for those who may answer, and follows a change of that", async () => {
    const { store, sessions, deviceOf } = team;
    for (const sessionId of [sessions.shared, sessions.open]) {
      const { runnerId } = (await store.head(sessionId)) ?? { runnerId: "" };
      await store.ingest({ sessionId, runnerId, epoch: 1 }, [stamp(sessionId, 4, 1, asked as unknown as EventDraft)]);
    }
    const waits = async (name: Name, scope: Scope = "use") => {
      const lines = await deviceOf(name, scope).ask<SessionSummary[]>("/v1/sessions");
      return [sessions.shared, sessions.open].map(
        (id) => lines.find(({ sessionId }) => sessionId === id)?.waiting ?? 0,
      );
    };
    await expect.poll(() => waits("ada")).toEqual([1, 1]);
    expect(await waits("ada", "read")).toEqual([1, 1]);
    expect(await waits("coowner")).toEqual([1, 1]);
    expect(await waits("driver")).toEqual([0, 1]);
    expect(await waits("viewer")).toEqual([0, 0]);
    await deviceOf("ada", "manage").ask("/v1/team/answers", { sessionId: sessions.open, areOpen: false });
    await expect.poll(() => waits("driver")).toEqual([0, 0]);
  });
});
