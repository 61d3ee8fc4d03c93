/** A session as a file over HTTP: in each format, guarded like everything else, and never shown as a page of ours. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { created, joined, said } from "../generate/drafts.ts";
import { SESSION_ID, writeSession } from "../generate/on-disk.ts";
import { stamped } from "../generate/stamped.ts";
import type { MarkedSessions } from "../../src/server/compat/marked-sessions.ts";
import { createScopedHost } from "../../src/server/compat/scoped-host.ts";
import { authorized, openServer, type OpenServer } from "./open-server.ts";

const SECRET = ["ghp_", "q7Zr2Lk9Xc4Vb8Nm1Ws6Tg3Yh5"].join("");

let open: OpenServer;
beforeAll(async () => {
  open = await openServer();
  const text = `<b>Hello</b> Acme, use ${SECRET}`;
  await writeSession(
    open.dataDir,
    stamped([created({ title: 'Say "hi"/../x' }), joined("scout"), said("m1", [], { text })]),
  );
});
afterAll(() => open.close());

function get(query: string, { headers = authorized(open), id = SESSION_ID } = {}): Promise<Response> {
  return fetch(`${open.server.url}/v1/sessions/${id}/export${query}`, { headers });
}

test("each format is sent as a download with its name and type", async () => {
  const found = [];
  for (const format of ["", "?format=html", "?format=jsonl"]) {
    const answer = await get(format);
    const head = (name: string) => answer.headers.get(name);
    found.push([answer.status, head("content-type"), head("content-disposition"), (await answer.text()).slice(0, 24)]);
  }
  expect(found).toEqual([
    [200, "text/markdown; charset=utf-8", 'attachment; filename="say-hi-x-9g5fav.md"', '# Say "hi"/../x\n\n- Sessi'],
    [200, "text/html; charset=utf-8", 'attachment; filename="say-hi-x-9g5fav.html"', "<!doctype html>\n<html la"],
    [
      200,
      "application/x-ndjson; charset=utf-8",
      'attachment; filename="say-hi-x-9g5fav.jsonl"',
      '{"roundtable":"session",',
    ],
  ]);
});

test("redacts before anything leaves", async () => {
  const plain = await (await get("?format=jsonl")).text();
  expect(plain).toContain(SECRET);
  const redacted = await (await get("?format=jsonl&redact=1&word=acme&word=hello")).text();
  expect(redacted).not.toMatch(new RegExp(`${SECRET}|acme|hello`, "i"));
  expect(redacted).toContain("[redacted]");
});

test("without the token, of no session, or in no known format there is no file", async () => {
  const statuses = [
    (await get("", { headers: {} as ReturnType<typeof authorized> })).status,
    (await get("", { id: "01ARZ3NDEKTSV4RRFFQ69G5FAX" })).status,
    (await get("?format=sprout")).status,
    (await get("?redact=maybe")).status,
    (await get(`?redact=1&word=${"x".repeat(201)}`)).status,
  ];
  expect(statuses).toEqual([401, 404, 400, 400, 400]);
});

test("through the port for other programs' clients only a marked session can be exported", async () => {
  const marks = (isMarked: boolean) => ({ has: () => isMarked }) as unknown as MarkedSessions;
  const options = { format: "markdown" } as const;
  await expect(createScopedHost(open.host, marks(false)).exportSession(SESSION_ID, options)).rejects.toMatchObject({
    code: "unknown_session",
  });
  const made = await createScopedHost(open.host, marks(true)).exportSession(SESSION_ID, options);
  expect(made.fileName).toBe("say-hi-x-9g5fav.md");
  // Nobody reads it: the log is let go all the same.
  expect(await made.chunks.return()).toEqual({ done: true, value: undefined });
});
