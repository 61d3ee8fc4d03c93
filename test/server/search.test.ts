/** The search over all sessions through the routes and the frames, from a message to its place. */
import { afterEach, expect, test } from "vitest";
import { ApiError, SearchAnswer } from "../../src/protocol/index.ts";
import { ask, createSession, openServer, type OpenServer } from "./open-server.ts";
import { patient } from "../patience.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function serverFor(): Promise<OpenServer> {
  const open = await openServer();
  closing.push(() => open.close());
  return open;
}

/** Asks until something is found and nothing is left to be read. */
async function finds(open: OpenServer, query: string): Promise<SearchAnswer> {
  const deadline = performance.now() + patient(60_000);
  for (;;) {
    const answer = await ask(open, `/v1/search?${query}`);
    const found = SearchAnswer.parse(await answer.json());
    if (found.hits.length > 0 && found.isComplete) return found;
    if (performance.now() > deadline) throw new Error(`found nothing: ${JSON.stringify(found)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test("GET /v1/search finds a message with its position, filtered by member, time, tool, session and directory", async () => {
  const open = await serverFor();
  const sessionId = await createSession(open, { title: "Animals" });
  const command = { type: "send", commandId: "c1", clientMessageId: "m1", text: "hello zebra, hello giraffe" };
  expect((await ask(open, `/v1/sessions/${sessionId}/commands`, command)).status).toBe(200);
  const { hits } = await finds(open, "q=zebra+giraffe");
  const own = hits.filter(({ kind }) => kind === "user");
  expect(own).toMatchObject([{ sessionId, title: "Animals", kind: "user", snippet: "hello zebra, hello giraffe" }]);
  const { cwd, ts } = own[0] ?? { cwd: "", ts: 0 };
  const count = async (query: string) =>
    SearchAnswer.parse(await (await ask(open, `/v1/search?${query}`)).json()).hits.filter(({ kind }) => kind === "user")
      .length;
  expect([
    await count(`q=zebra&since=${ts}`),
    await count(`q=zebra&since=${ts + 1}`),
    await count(`q=zebra&since=2100-01-01`),
    await count(`q=zebra&member=nobody`),
    await count(`q=zebra&tool=bash`),
    await count(`q=zebra&session=${sessionId}`),
    await count(`q=zebra&cwd=${encodeURIComponent(cwd)}`),
    await count(`q=zebra&cwd=/elsewhere`),
  ]).toEqual([1, 0, 0, 0, 0, 1, 1, 0]);
});

test("a search that cannot be is refused with what is wrong, and without the token there is none", async () => {
  const open = await serverFor();
  const cases = [
    ["", /query is empty/],
    ["q=%20%3D%3E", /query is empty/],
    [`q=${"x".repeat(1_001)}`, /at most 1000 characters/],
    ["q=a&limit=0", /limit/],
    ["q=a&limit=201", /limit/],
    ["q=a&limit=many", /limit/],
    ["q=a&since=yesterday", /since must be/],
    ["q=a&session=../../etc", /session must be the id/],
    ["q=%00%00", /query is empty/],
  ] as const;
  for (const [query, says] of cases) {
    const answer = await ask(open, `/v1/search?${query}`);
    const { error } = ApiError.parse(await answer.json());
    expect([query, answer.status, error.code, error.message]).toEqual([
      query,
      400,
      "bad_command",
      expect.stringMatching(says),
    ]);
  }
  expect((await fetch(`${open.server.url}/v1/search?q=a`)).status).toBe(401);
});
