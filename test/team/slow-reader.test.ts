/** Somebody who reads slowly, and loses the role meanwhile: what is written after that does not reach them. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newId } from "../../src/kit/ids.ts";
import { hasPostgres } from "./database.ts";
import { shipped } from "./events.ts";
import { startTeamOfRoles, type TeamOfRoles } from "./roles.ts";

/** One that creates the session, and ten batches of twenty. */
const EVENTS = 201;
const LATER = "written after the role was taken back";

describe.runIf(hasPostgres)("a slow reader", () => {
  let team: TeamOfRoles;
  beforeAll(async () => {
    team = await startTeamOfRoles();
  });
  afterAll(() => team.close());

  test("gets no more of an export once the role is taken back", async () => {
    const { store, deviceOf } = team;
    const sessionId = newId();
    const { runnerId } = (await store.head(team.sessions.shared)) ?? { runnerId: "" };
    const writer = { sessionId, runnerId, epoch: 1 };
    await store.ingest(writer, shipped(sessionId, 1, 1));
    const ada = deviceOf("ada", "manage");
    const access = (role: string | null) => ada.ask("/v1/team/access", { person: "viewer", role, sessionId });
    await expect.poll(() => access("viewer").catch((error: Error) => error.message)).toMatchObject({ ok: true });
    // More than the kernel holds for a reader.
    for (let seq = 2; seq < EVENTS; seq += 20)
      await store.ingest(writer, shipped(sessionId, seq, seq + 19, 1, "long ".repeat(40_000)));
    const authorization = `Bearer ${await deviceOf("viewer", "read").token()}`;
    const address = `${team.url}/v1/sessions/${sessionId}/export?format=jsonl`;
    const reader = (await fetch(address, { headers: { authorization } })).body?.getReader();
    let text = new TextDecoder().decode((await reader?.read())?.value);
    expect(text).toContain("long long");
    await access(null);
    await store.ingest(writer, shipped(sessionId, EVENTS + 1, EVENTS + 1, 1, LATER));
    await expect(
      (async () => {
        for (;;) {
          const next = await reader?.read();
          if (next?.done !== false) return;
          text += new TextDecoder().decode(next.value);
        }
      })(),
    ).rejects.toThrow("terminated");
    expect(text).not.toContain(LATER);
  });
});
