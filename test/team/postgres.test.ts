/** The store on PostgreSQL beyond its contract: several nodes, and a database that is absent, refuses or is restarted. */
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdirSync, mkdtempSync, rmdirSync, statfsSync, unlinkSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPostgresStore, TeamStoreError, type TeamStore, type Writer } from "../../src/team/index.ts";
import type { RoundtableError, SessionEvent } from "../../src/protocol/index.ts";
import { systemClock } from "../../src/kit/clock.ts";
import { newId } from "../../src/kit/ids.ts";
import { connectDatabase, expectVersion } from "../../src/team/store/postgres/database.ts";
import { ingestEvents } from "../../src/team/store/postgres/events.ts";
import { createInbox } from "../../src/team/store/postgres/inbox.ts";
import { asAnswer } from "../../src/team/store/team-store.ts";
import { WakeUps } from "../../src/team/store/wake-ups.ts";
import { patient } from "../patience.ts";
import { createDatabase, hasPostgres } from "./database.ts";
import { message } from "../log/drafts.ts";
import { createWriter, readAll, refusal, shipped, stamp } from "./events.ts";
import { administer, startCluster, type Cluster } from "./postgres-cluster.ts";

/** Code and sentence of a refusal. */
async function sentence(promise: Promise<unknown>): Promise<[string, string]> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof TeamStoreError)) throw new Error("it was not refused with a sentence", { cause: error });
  return [error.code, `${error.message} ${error.hint ?? ""}`];
}

async function collect(store: TeamStore, sessionId: string, last: () => number): Promise<SessionEvent[]> {
  const received: SessionEvent[] = [];
  for await (const batch of store.tail(sessionId, { epoch: 0, seq: 0 }, new AbortController().signal)) {
    received.push(...batch);
    if (received.at(-1)?.seq === last()) break;
  }
  return received;
}

describe.runIf(hasPostgres)("several nodes", () => {
  test("nodes that start at once bring an empty database up to date together", async () => {
    const url = await createDatabase();
    const nodes = await Promise.all(Array.from({ length: 5 }, () => openPostgresStore({ url })));
    const migrated = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((version) => ({ version }));
    expect(await administer(url, "select version from roundtable.migration order by version")).toEqual(migrated);
    const writer = createWriter();
    await nodes[0]?.ingest(writer, shipped(writer.sessionId, 1, 3));
    expect(await readAll(nodes[4] as TeamStore, writer.sessionId)).toEqual(shipped(writer.sessionId, 1, 3));
    await Promise.all(nodes.map((node) => node.close()));
  });

  test("a tail on one node receives what another one stores, also when its wake-ups are cut off", async () => {
    const url = await createDatabase();
    const [here, there] = await Promise.all([openPostgresStore({ url }), openPostgresStore({ url })]);
    const writer = createWriter();
    const { sessionId } = writer;
    await here.ingest(writer, shipped(sessionId, 1, 1));
    // Together they share reads; each gets everything.
    const tails = Array.from({ length: 3 }, () => collect(there, sessionId, () => 200));
    for (let seq = 2; seq <= 100; seq += 1) await here.ingest(writer, shipped(sessionId, seq, seq));
    const listeners = "datname = current_database() and query ~* '^(listen|set synchronous_commit|select pg_notify)'";
    const cut = `select pg_terminate_backend(pid) from pg_stat_activity where ${listeners}`;
    expect(await administer(url, cut)).toHaveLength(2);
    for (let seq = 101; seq <= 200; seq += 1) await here.ingest(writer, shipped(sessionId, seq, seq));
    for (const tail of tails) expect(await tail).toEqual(shipped(sessionId, 1, 200));
    await Promise.all([here.close(), there.close()]);
  });

  test("what comes without a wake-up arrives all the same: events, commands and their answers", async () => {
    const url = await createDatabase();
    const store = await openPostgresStore({ url });
    const writer = createWriter();
    const { sessionId } = writer;
    await store.ingest(writer, shipped(sessionId, 1, 1));
    const tail = collect(store, sessionId, () => 5);
    const { signal } = new AbortController();
    const rename = { type: "rename", commandId: newId(), title: "New" } as const;
    const posted = { runnerId: newId(), sessionId, sender: "ada.Q7XK", command: rename };
    const received = store.inbox.receive(posted.runnerId, signal).next();
    const answered = store.inbox.answer(posted, signal);
    const quiet = await connectDatabase(url);
    await ingestEvents(quiet, writer, shipped(sessionId, 2, 5));
    const silent = createInbox(quiet, { wakeUps: new WakeUps(systemClock), wake: () => {}, over: signal });
    await silent.post(posted);
    expect(await tail).toEqual(shipped(sessionId, 1, 5));
    expect((await received).value).toEqual(posted);
    const ack = { commandId: rename.commandId, ok: true, seq: 6 } as const;
    await silent.acknowledge(posted, ack);
    expect(await answered).toEqual(ack);
    await Promise.all([store.close(), quiet.close()]);
  });

  test("a node derives what another one stored and left behind", async () => {
    const url = await createDatabase();
    const writer = createWriter();
    const first = await openPostgresStore({ url });
    await first.ingest(writer, shipped(writer.sessionId, 1, 4));
    await first.close();
    const second = await openPostgresStore({ url });
    await expect.poll(async () => (await second.list()).map(({ summary }) => summary.seq)).toEqual([4]);
    expect(await second.search({ words: "message" })).toMatchObject({ hits: { length: 3 }, isComplete: true });
    await second.close();
  });

  test("a line of the list that took long to derive is newer than what was listed meanwhile", async () => {
    const url = await createDatabase();
    const [first, other] = [createWriter(), createWriter()];
    const locking = await connectDatabase(url);
    const before = await openPostgresStore({ url });
    await before.close();
    await ingestEvents(locking, first, shipped(first.sessionId, 1, 3));
    const store = await locking.transaction(async ({ query }) => {
      // Whoever derives the first one waits here until the other one is in the list.
      await query({ text: "select from roundtable.session where id = $1 for update", values: [first.sessionId] });
      const deriving = await openPostgresStore({ url });
      const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
      await expect.poll(() => administer(url, waiting), { timeout: patient(15_000) }).toHaveLength(1);
      const second = await openPostgresStore({ url });
      await second.ingest(other, shipped(other.sessionId, 1, 3));
      await expect.poll(async () => (await second.directory()).rows).toHaveLength(1);
      await second.close();
      return deriving;
    });
    await expect.poll(async () => (await store.directory()).rows).toHaveLength(2);
    const times = new Map((await store.directory()).rows.map((row) => [row.summary.sessionId, row.changedTs]));
    expect(times.get(first.sessionId)).toBeGreaterThan(times.get(other.sessionId) ?? Infinity);
    await Promise.all([store.close(), locking.close()]);
  });

  test("what a database cannot hold in a text, or nobody can fold, hides no session", async () => {
    const store = await openPostgresStore({ url: await createDatabase() });
    const writers = Array.from({ length: 2 }, () => createWriter(1, "odd"));
    const [zero = createWriter(), wrong = createWriter()] = writers;
    const sessionIds = writers.map(({ sessionId }) => sessionId);
    const [first] = shipped(zero.sessionId, 1, 1);
    const title = { ...first, title: "one\0two \ud800" } as SessionEvent;
    await store.ingest(zero, [title, stamp(zero.sessionId, 2, 1, message("a \0 zebrafish"))]);
    const [folder] = shipped(wrong.sessionId, 1, 1);
    await store.ingest(wrong, [{ ...folder, cwd: { path: 5 } } as unknown as SessionEvent]);
    await expect
      .poll(async () => new Map((await store.list({ sessionIds })).map(({ summary }) => [summary.sessionId, summary])))
      .toMatchObject(
        new Map([
          [zero.sessionId, expect.objectContaining({ title: "one\uFFFDtwo \uFFFD", seq: 2 })],
          [wrong.sessionId, expect.objectContaining({ cwd: "", problem: "Its events cannot be read.", seq: 1 })],
        ]),
      );
    await expect.poll(async () => (await store.search({ words: "zebrafish" }, { sessionIds })).hits).toHaveLength(1);
    await store.close();
  });

  test("an event that was changed in the database is not passed on", async () => {
    const url = await createDatabase();
    const store = await openPostgresStore({ url });
    const writer = createWriter();
    await store.ingest(writer, shipped(writer.sessionId, 1, 3));
    await administer(url, "update roundtable.event set body = replace(body, 'message 2', 'message 9') where seq = 2");
    expect(await refusal(readAll(store, writer.sessionId))).toEqual({ code: "damaged" });
    await store.close();
  });
});

describe.runIf(hasPostgres)("a database that does not serve", () => {
  test("an absent one, and a URL that is none, are named in a sentence without the password", async () => {
    const [code, text] = await sentence(openPostgresStore({ url: "postgres://ada:secret@127.0.0.1:1/team" }));
    expect([code, text]).toEqual(["unavailable", expect.stringContaining("127.0.0.1:1/team cannot be reached")]);
    expect(text).not.toContain("secret");
    expect((await sentence(openPostgresStore({ url: "mysql://ada:secret@host/db" })))[1]).toMatch(
      /^The database URL is not a postgres:\/\/ URL\. Write postgres:/,
    );
    for (const password of ["p@se/cret", "p@se/c#ret", "p@secret#"])
      expect(await sentence(openPostgresStore({ url: `postgres://ada:${password}@127.0.0.1:1/team` }))).toEqual([
        "access_denied",
        "The user or the password in the database URL is not encoded. Write %40 for @, %2F for / and %23 for #.",
      ]);
    const url = (await createDatabase()).replace(/[^/]*$/, "none_such");
    expect(await sentence(openPostgresStore({ url }))).toEqual([
      "access_denied",
      expect.stringMatching(/none_such does not exist \(3D000\)\. Create it with createdb\.$/),
    ]);
  });

  test("one that is too old is refused with what is needed", async () => {
    const check = async (version: number) => expectVersion(version, "db.example/team");
    expect(await sentence(check(140_012))).toEqual([
      "too_old",
      "The database at db.example/team runs PostgreSQL 14. Roundtable needs PostgreSQL 15 or newer.",
    ]);
    for (const version of [150_000, 180_004]) await check(version);
  });

  test("a user without rights is refused with what to do", async () => {
    const url = await createDatabase();
    await administer(url, "create role visitor login");
    const visitor = url.replace(/\/\/[^@]*@/, "//visitor@");
    expect(await sentence(openPostgresStore({ url: visitor }))).toEqual([
      "access_denied",
      expect.stringContaining("must own the schema roundtable"),
    ]);
  });

  test("one that asks for a password is named with where to write it", async () => {
    const [offered, continued] = [Buffer.from("SCRAM-SHA-256\0\0"), Buffer.from("r=%,s=AA==,i=4096")];
    const answer = (kind: number, data: Buffer): Buffer => {
      const head = Buffer.from("R\0\0\0\0\0\0\0\0");
      head.writeUInt32BE(8 + data.length, 1);
      head.writeUInt32BE(kind, 5);
      return Buffer.concat([head, data]);
    };
    const server = createServer((socket) => {
      socket.once("data", () => {
        socket.once("data", () => socket.write(answer(11, continued))).write(answer(10, offered));
      });
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const where = `127.0.0.1:${(server.address() as AddressInfo).port}/team`;
    expect(await sentence(openPostgresStore({ url: `postgres://ada@${where}` }))).toEqual([
      "access_denied",
      `The database at ${where} asks for a password. Write it into the database URL, as in postgres://USER:PASSWORD@HOST:5432/DATABASE.`,
    ]);
    server.close();
  });

  test("one that no longer lets its user in is a matter of the server, not of whoever asks", async () => {
    const admin = await createDatabase();
    const name = path.basename(admin);
    await administer(admin, "create role keeper login");
    await administer(admin, `alter database ${name} owner to keeper`);
    const store = await openPostgresStore({ url: admin.replace(/\/\/[^@]*@/, "//keeper@") });
    await administer(admin, "alter role keeper nologin");
    await administer(admin, "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'keeper'");
    await expect
      .poll(() => asAnswer(store.people.pulse()).catch(({ code, message }: RoundtableError) => [code, message]))
      .toEqual(["store_unavailable", "The server cannot use its database at the moment."]);
    await store.close();
  });

  test("a newer one is left alone", async () => {
    const url = await createDatabase();
    await (await openPostgresStore({ url })).close();
    await administer(url, "insert into roundtable.migration (version) values (99)");
    expect(await sentence(openPostgresStore({ url }))).toEqual([
      "too_new",
      expect.stringContaining("Install the newest Roundtable"),
    ]);
  });

  test("one that becomes read-only refuses batches and serves readers; nothing is stored in part", async () => {
    const url = await createDatabase();
    const name = path.basename(url);
    const before = await openPostgresStore({ url });
    const writer = createWriter();
    const { sessionId } = writer;
    await before.ingest(writer, shipped(sessionId, 1, 3));
    await before.close();
    await administer(url, `alter database ${name} set default_transaction_read_only = on`);
    expect(await sentence(openPostgresStore({ url }))).toEqual([
      "read_only",
      expect.stringContaining("is read-only (25006). Use the URL of the primary server"),
    ]);
    await administer(`${url}?options=-c%20default_transaction_read_only%3Doff`, `alter database ${name} reset all`);
    const store = await openPostgresStore({ url });
    await administer(url, `alter database ${name} set default_transaction_read_only = on`);
    await administer(
      url,
      "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()",
    );
    await expect.poll(() => refusal(store.ingest(writer, shipped(sessionId, 4, 5)))).toEqual({ code: "read_only" });
    expect(await readAll(store, sessionId)).toEqual(shipped(sessionId, 1, 3));
    await store.close();
  });
});

describe.runIf(hasPostgres)("a database of its own", () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = (await startCluster(["fsync=off", "max_connections=40"])) as Cluster;
  });
  afterAll(() => cluster.stop());

  test("one that is killed and started again has everything that was acknowledged, and tails go on", async () => {
    const store = await openPostgresStore({ url: await cluster.createDatabase() });
    const writer = createWriter();
    const { sessionId } = writer;
    let acknowledged = (await store.ingest(writer, shipped(sessionId, 1, 4))).seq;
    const over = new AbortController();
    let last = Number.POSITIVE_INFINITY;
    const tail = collect(store, sessionId, () => last);
    const refused = new Set<string>();
    /** Without a pause, so that every restart meets a batch. */
    const ship = async (): Promise<void> => {
      while (!over.signal.aborted) {
        try {
          acknowledged = (await store.ingest(writer, shipped(sessionId, acknowledged + 1, acknowledged + 4))).seq;
        } catch (error) {
          refused.add((error as TeamStoreError).code);
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      }
    };
    const shipping = ship();
    for (const batches of [10, 20]) {
      const goal = acknowledged + 4 * batches;
      await expect.poll(() => acknowledged).toBeGreaterThan(goal);
      await cluster.kill();
      await cluster.start();
    }
    over.abort();
    await shipping;
    last = acknowledged + 1;
    await expect.poll(() => refusal(store.ingest(writer, shipped(sessionId, last, last)))).toHaveProperty("accepted");
    expect([...refused]).toEqual(["unavailable"]);
    expect(await readAll(store, sessionId)).toEqual(shipped(sessionId, 1, last));
    expect(await tail).toEqual(shipped(sessionId, 1, last));
    await store.close();
  });

  test("a full disk refuses batches as a whole; after there is space the runner's repeat is stored", async (context) => {
    const directory = mkdtempSync("/tmp/rt-full-");
    const isMounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=24m", "tmpfs", directory]).status === 0;
    context.skip(!isMounted, "it takes root to mount a small disk");
    try {
      const location = path.join(directory, "space");
      mkdirSync(location, { mode: 0o700 });
      chownSync(directory, 65_534, 65_534);
      chownSync(location, 65_534, 65_534);
      await administer(cluster.url(), `create tablespace small location '${location}'`);
      const url = await cluster.createDatabase("tablespace small");
      const store = await openPostgresStore({ url });
      const { bavail, bsize } = statfsSync(directory);
      const filler = path.join(directory, "filler");
      writeFileSync(filler, Buffer.alloc(bavail * bsize - 1_000_000));
      const writer = createWriter();
      const { sessionId } = writer;
      const events = shipped(sessionId, 1, 400).map((event) => Object.assign(event, { text: noise(event.seq) }));
      const { head, refused } = await shipUntilRefused(store, writer, events);
      expect(refused).toEqual(["full", expect.stringContaining("has no space left (53100). Free up disk space")]);
      expect(await readAll(store, sessionId)).toEqual(events.slice(0, head));
      unlinkSync(filler);
      expect(await store.ingest(writer, events.slice(head, head + 10))).toEqual({ epoch: 1, seq: head + 10 });
      expect(await readAll(store, sessionId)).toEqual(events.slice(0, head + 10));
      await store.close();
      await administer(cluster.url(), `drop database ${path.basename(url)} with (force)`);
      await administer(cluster.url(), "drop tablespace small");
    } finally {
      spawnSync("umount", ["-l", directory]);
      rmdirSync(directory);
    }
  });
});

async function shipUntilRefused(store: TeamStore, writer: Writer, events: readonly SessionEvent[]) {
  for (let head = 0; head < events.length;) {
    const ingesting = store.ingest(writer, events.slice(head, head + 10));
    try {
      head = (await ingesting).seq;
    } catch {
      return { head, refused: await sentence(ingesting) };
    }
  }
  return { head: events.length, refused: undefined };
}

/** Text that does not compress. */
function noise(seed: number): string {
  let text = "";
  for (let at = 0; at < 2_000; at += 1) text += Math.imul(seed * 7_919 + at, 2_654_435_761).toString(36);
  return text;
}
