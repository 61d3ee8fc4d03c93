import { expect, test } from "vitest";
import { createManualClock } from "../../../test/host/manual-clock.ts";
import type { SessionSummary } from "../../protocol/index.ts";
import { createTeamReader, goneNotice, type Team } from "./team.ts";

const ada = { id: "01J000000000000000000000AD", name: "ada" };
const formerBob = { id: "01J000000000000000000000B1", name: "bob" };
const bob = { id: "01J000000000000000000000B2", name: "bob" };

const at = { runner: "box", person: "ada", isConnected: true };
const listed = [{ sessionId: "S", at }] as SessionSummary[];
const MINUTE_MS = 60_000;

/** A page on a team's server. Reads are answered by `answer`, with the people of that moment. */
function openPage() {
  const clock = createManualClock();
  const reads: PromiseWithResolvers<Response>[] = [];
  const teams: Team[] = [];
  const server = { people: [ada, formerBob] };
  const page = {
    hidden: false,
    show: () => {},
    addEventListener: (_: string, listener: () => void) => void (page.show = listener),
  };
  const state: { team?: Team; ended?: string } = {};
  const news = createTeamReader({
    clock,
    page: page as unknown as Document,
    now: () => state,
    setTeam: (team) => teams.push((state.team = team)),
    async ask() {
      const read = Promise.withResolvers<Response>();
      reads.push(read);
      return await read.promise;
    },
  });
  async function answer(status = 200): Promise<void> {
    const body = status === 200 ? { me: ada, people: server.people } : { error: {} };
    reads.at(-1)?.resolve({ ok: status === 200, json: async () => body } as Response);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { clock, reads, teams, server, page, state, news, answer };
}

test("people are read when the first session of a team is listed, and every minute from then on", async () => {
  const { clock, reads, teams, server, news, answer } = openPage();
  news([{ sessionId: "own" }] as SessionSummary[]);
  expect(reads).toHaveLength(0);
  news(listed);
  await answer();
  expect(teams.map(({ people }) => people)).toEqual([[ada, formerBob]]);
  news(listed);
  expect(reads).toHaveLength(1);
  server.people = [ada, bob];
  clock.advance(MINUTE_MS);
  await answer();
  expect(teams.map(({ people }) => people)).toEqual([
    [ada, formerBob],
    [ada, bob],
  ]);
  // Nothing is drawn again where nobody came or went.
  clock.advance(MINUTE_MS);
  await answer();
  expect([reads.length, teams.length]).toEqual([3, 2]);
});

test("one read is under way at a time, and a failed one is repeated", async () => {
  const { clock, reads, teams, news, answer } = openPage();
  news(listed);
  clock.advance(5 * MINUTE_MS);
  news(listed);
  expect(reads).toHaveLength(1);
  await answer(503);
  expect(teams).toEqual([]);
  news(listed);
  expect(reads).toHaveLength(2);
  await answer(503);
  // Not with all the news that follows.
  news(listed);
  expect(reads).toHaveLength(2);
  clock.advance(MINUTE_MS);
  await answer();
  expect(teams).toHaveLength(1);
});

test("a hidden page reads nothing until it is shown, an ended one nothing at all", async () => {
  const { clock, reads, page, state, news, answer } = openPage();
  news(listed);
  await answer();
  page.hidden = true;
  clock.advance(10 * MINUTE_MS);
  expect(reads).toHaveLength(1);
  page.hidden = false;
  page.show();
  page.show();
  expect(reads).toHaveLength(2);
  await answer();
  page.show();
  expect(reads).toHaveLength(2);
  state.ended = "The connection was closed.";
  clock.advance(10 * MINUTE_MS);
  expect(reads).toHaveLength(2);
});

test("a session that is gone was deleted for one person; in a team the role may be gone instead", () => {
  expect(goneNotice(undefined)).toContain("was deleted elsewhere");
  expect(goneNotice({ me: ada, people: [ada] })).toMatch(/no longer have access .+ your role was removed/);
});
