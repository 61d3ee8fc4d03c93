/** What goes wrong around a node: no database, a proxy in front, clocks that disagree, people and links that are gone. */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectWebSocket, createClient } from "../../src/client/index.ts";
import { newId } from "../../src/kit/ids.ts";
import { connectNode, openPostgresStore, openServerDevice, type ServerDevice } from "../../src/team/index.ts";
import { RUNNER_PROTOCOL, type NodeFrame } from "../../src/team/frames.ts";
import { createHome } from "../cli/program.ts";
import { patient } from "../patience.ts";
import { createDatabase, hasPostgres } from "./database.ts";
import { readAll, shipped } from "./events.ts";
import { administer } from "./postgres-cluster.ts";
import {
  clockOff,
  createCertificate,
  freePort,
  startNodeProgram,
  startProgram,
  startRunnerProgram,
} from "./team-program.ts";
import type { Certificate, Program } from "./team-program.ts";

/** Ends TLS and passes everything on, as a proxy in front of a server does: a process of its own. */
const PROXY = `
  const { createServer } = require("node:tls");
  const { connect } = require("node:net");
  const { readFileSync } = require("node:fs");
  const [cert, key, port, target] = process.argv.slice(1);
  createServer({ cert: readFileSync(cert), key: readFileSync(key) }, (client) => {
    const upstream = connect(Number(target), "127.0.0.1");
    client.pipe(upstream).pipe(client);
    for (const one of [client, upstream]) one.on("error", () => { client.destroy(); upstream.destroy(); });
  }).listen(Number(port), "127.0.0.1", () => console.log("ready"));`;

type PostgresStore = Awaited<ReturnType<typeof openPostgresStore>>;

const newMachine = () => ({ dataDir: mkdtempSync(path.join(tmpdir(), "dev-")), name: "test" });

describe.runIf(hasPostgres)("around a node", () => {
  let certificate: Certificate;
  let database: string;
  const nodes: Program[] = [];
  let proxy: ChildProcess;
  let url: string;
  let nodePort: number;
  let ada: ServerDevice;

  beforeAll(async () => {
    certificate = createCertificate();
    database = await createDatabase();
    const proxyPort = await freePort();
    nodePort = await freePort();
    url = `https://localhost:${proxyPort}`;
    proxy = spawn(process.execPath, [
      "-e",
      PROXY,
      certificate.cert,
      certificate.key,
      String(proxyPort),
      String(nodePort),
    ]);
    await new Promise((resolve) => proxy.stdout?.once("data", resolve));
    const args = ["serve", "--team", "--database", database, "--listen", `127.0.0.1:${nodePort}`];
    const home = createHome();
    const node = startProgram([...args, "--trust-proxy", "127.0.0.0/8", "--url", url], home.env, home.project);
    nodes.push(node);
    ada = await openServerDevice(await node.prints(/https:\/\/localhost:\d+\/#code=[\w-]+/), newMachine());
  });
  afterAll(async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    proxy.kill();
  });

  /** A session of a machine of ada's. */
  const shipSession = async (): Promise<string> => {
    const store = await openPostgresStore({ url: database });
    const [owner = ""] = (await store.people.records()).people.keys();
    const { id: runnerId } = await store.people.runner(owner, "box");
    const sessionId = newId();
    await store.ingest({ sessionId, runnerId, epoch: 1 }, shipped(sessionId, 1, 3));
    await store.close();
    await expect.poll(async () => (await ada.ask<{ sessionId: string }[]>("/v1/sessions")).length).toBeGreaterThan(0);
    return sessionId;
  };

  test("behind a proxy requests and connections pass, and who comes around it is refused", async () => {
    expect(await ada.ask("/v1/team")).toMatchObject({ me: { name: "admin" } });
    const client = await createClient(async () => connectWebSocket(url, await ada.token()));
    expect(await client.list()).toEqual([]);
    client.close();
    // The name of the proxy is the only one, also inside the trusted network.
    const statusAs = (host: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        request({ host: "127.0.0.1", port: nodePort, path: "/healthz", headers: { host } }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        })
          .on("error", reject)
          .end();
      });
    expect(await statusAs(new URL(url).host)).toBe(200);
    expect(await statusAs("evil.example")).toBe(403);
    const port = await freePort();
    const home = createHome();
    const args = ["serve", "--team", "--database", database, "--listen", `127.0.0.1:${port}`, "--url", url];
    const strict = startProgram([...args, "--trust-proxy", "10.0.0.0/8"], home.env, home.project);
    await strict.prints(/serves a team at/);
    await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow("fetch failed");
    await strict.stop();
  });

  test("nodes whose clocks are hours apart know each other's tokens, codes and revocations", async () => {
    const there: ServerDevice[] = [];
    for (const hours of [-5, 7]) {
      const port = await freePort();
      const at = `https://localhost:${port}`;
      nodes.push(await startNodeProgram({ database, certificate, url: at, port, env: clockOff(hours) }));
      const told = /"ts":"([^"]+)","event":"node_started"/.exec(nodes.at(-1)?.printed() ?? "")?.[1] ?? "";
      expect(Math.round((Date.parse(told) - Date.now()) / 3_600_000)).toBe(hours);
      const pair = async (limits: object): Promise<ServerDevice> => {
        const { code } = await ada.ask<{ code: string }>("/v1/codes", limits);
        return await openServerDevice(`${at}/#code=${code}`, newMachine());
      };
      const device = await pair({});
      for (const one of [device, await pair({ days: 1 })])
        expect(await one.ask("/v1/team")).toMatchObject({ me: { name: "admin" } });
      // A token of one node on another.
      const headers = { authorization: `Bearer ${await ada.token()}` };
      expect((await fetch(`${at}/v1/team`, { headers })).status).toBe(200);
      there.push(device);
    }
    const [behind, ahead] = there as [ServerDevice, ServerDevice];
    const { code } = await ahead.ask<{ code: string }>("/v1/codes", {});
    const phone = await openServerDevice(`${behind.origin}/#code=${code}`, { ...newMachine(), name: "phone" });
    const headers = { authorization: `Bearer ${await phone.token()}` };
    const statusAt = async ({ origin }: ServerDevice) => (await fetch(`${origin}/v1/team`, { headers })).status;
    expect([await statusAt(behind), await statusAt(ahead)]).toEqual([200, 200]);
    const devices = await ahead.ask<{ id: string; name: string }[]>("/v1/devices");
    const id = devices.find(({ name }) => name === "phone")?.id ?? "";
    const own = { authorization: `Bearer ${await ahead.token()}` };
    await fetch(`${ahead.origin}/v1/devices/${id}`, { method: "DELETE", headers: own });
    expect(await statusAt(ahead)).toBe(401);
    await expect.poll(() => statusAt(behind)).toBe(401);
  });

  test("a person who is removed while writing is out within seconds, and what was stored stays", async () => {
    const sessionId = await shipSession();
    const { code } = await ada.ask<{ code: string }>("/v1/team/invitations", { name: "cid" });
    const cid = await openServerDevice(`${url}/#code=${code}`, newMachine());
    await ada.ask("/v1/team/access", { person: "cid", role: "driver", sessionId });
    const home = createHome();
    const link = `${url}/#code=${(await cid.ask<{ code: string }>("/v1/codes", {})).code}`;
    const machine = await startRunnerProgram({ link, home, name: "cids", certificate });
    const client = await createClient(async () => connectWebSocket(url, await cid.token()));
    const closed = new Promise<string>((resolve) => client.onClose(resolve));
    const token = await cid.token();
    const write = async () =>
      await client.command(sessionId, { type: "send", text: "more", clientMessageId: newId() }).catch(() => undefined);
    // The machine is not connected, so that each is answered with a sentence.
    expect(await write()).toMatchObject({ error: { message: "box is not connected, so nothing was sent." } });
    const begunMs = performance.now();
    const writing = Promise.all(Array.from({ length: 20 }, write));
    await ada.ask("/v1/team/removals", { name: "cid" });
    await closed;
    await writing;
    expect(performance.now() - begunMs).toBeLessThan(patient(5_000));
    expect((await fetch(`${url}/v1/sessions`, { headers: { authorization: `Bearer ${token}` } })).status).toBe(401);
    await expect(openServerDevice(`${url}/#code=${code}`, newMachine())).rejects.toThrow(/already used/);
    await machine.prints(
      /cids is not connected: This device is not signed in here\. Sign this machine in with a new link\. Trying/,
    );
    await machine.stop();
    // However often it has tried, each reason is told once.
    const lines = machine.printed().trimEnd().split("\n");
    expect(lines.filter((line, at) => line === lines[at - 1])).toEqual([]);
    const store = await openPostgresStore({ url: database });
    expect(await readAll(store, sessionId)).toEqual(shipped(sessionId, 1, 3));
    await store.close();
  });

  test("invitations end with the administrator who sent them", async () => {
    const invite = async (by: ServerDevice, body: object) =>
      `${url}/#code=${(await by.ask<{ code: string }>("/v1/team/invitations", body)).code}`;
    const eve = await openServerDevice(await invite(ada, { name: "eve", isAdmin: true }), newMachine());
    const [hers, kept] = [await invite(eve, { name: "friend", isAdmin: true }), await invite(ada, { name: "guest" })];
    await ada.ask("/v1/team/removals", { name: "eve" });
    await expect(openServerDevice(hers, newMachine())).rejects.toThrow(/invalid, expired or already used/);
    const guest = await openServerDevice(kept, newMachine());
    expect(await guest.ask("/v1/team")).toMatchObject({ me: { name: "guest", isAdmin: false } });
  });

  test("open invitations are listed for administrators, and are taken back by name, also those of a removed person", async () => {
    const invite = async (body: object) =>
      `${url}/#code=${(await ada.ask<{ code: string }>("/v1/team/invitations", body)).code}`;
    const open = async (by: ServerDevice) => {
      const { invitations } = await by.ask<{ invitations?: { name: string }[] }>("/v1/team");
      return invitations?.filter(({ name }) => name === "gil");
    };
    const [first, second] = [await invite({ name: "gil" }), await invite({ name: "gil", isAdmin: true })];
    const facts = { name: "gil", by: "admin", expiresTs: expect.any(Number) };
    expect(await open(ada)).toEqual([
      { ...facts, isAdmin: false },
      { ...facts, isAdmin: true },
    ]);
    const gil = await openServerDevice(first, newMachine());
    expect(await open(gil)).toEqual(undefined);
    // Nobody can use the other one while somebody has the name.
    expect(await open(ada)).toEqual([]);
    await ada.ask("/v1/team/removals", { name: "gil" });
    await expect(openServerDevice(second, newMachine())).rejects.toThrow(/invalid, expired or already used/);
    const third = await invite({ name: "gil" });
    await ada.ask("/v1/team/removals", { name: "GIL" });
    expect(await open(ada)).toEqual([]);
    await expect(openServerDevice(third, newMachine())).rejects.toThrow(/invalid, expired or already used/);
    await expect(ada.ask("/v1/team/removals", { name: "gil" })).rejects.toThrow("Nobody in the team is called gil.");
  });

  test("whoever is invited again has the sessions of their machine back, and no other machine gets them", async () => {
    const invite = async () => {
      const { code } = await ada.ask<{ code: string }>("/v1/team/invitations", { name: "fay" });
      return await openServerDevice(`${url}/#code=${code}`, newMachine());
    };
    const personOf = async (store: PostgresStore) =>
      [...(await store.people.records()).people.values()].find(({ name }) => name === "fay")?.id ?? "";
    await invite();
    const store = await openPostgresStore({ url: database });
    const machine = "the secret of a machine";
    const { id: before } = await store.people.runner(await personOf(store), "fays", machine);
    const sessionId = newId();
    await store.ingest({ sessionId, runnerId: before, epoch: 1 }, shipped(sessionId, 1, 3));
    await ada.ask("/v1/team/removals", { name: "fay" });
    const fay = await invite();
    /** What a machine is told that asks where to continue. */
    const whereAt = async (name: string, secret: object): Promise<unknown> => {
      const link = await connectNode(fay);
      const answered = new Promise((resolve) =>
        link.onFrame((frame) => {
          const { frame: kind } = frame as NodeFrame;
          if (kind === "welcome") link.send({ frame: "where", id: 1, sessionId });
          if (kind === "refused" || kind === "head") resolve(frame);
        }),
      );
      link.send({ frame: "hello", protocol: RUNNER_PROTOCOL, version: "0", name, instance: newId(), ...secret });
      return await answered.finally(() => link.close("done"));
    };
    const refused = {
      code: "conflict",
      error: {
        message: `Session ${sessionId} was shared by somebody who has been removed from the team.`,
        hint: "Its copy on the server stays as it was. To share it again, fork it and share the fork.",
      },
    };
    expect(await whereAt("other", { machine: "of another machine" })).toMatchObject(refused);
    expect(await whereAt("third", {})).toMatchObject(refused);
    expect(await fay.ask("/v1/sessions")).toEqual([]);
    expect(await whereAt("fays", { machine })).toMatchObject({ frame: "head", head: { epoch: 1, seq: 3 } });
    await expect.poll(async () => await fay.ask("/v1/sessions")).toMatchObject([{ sessionId, at: { person: "fay" } }]);
    expect(await readAll(store, sessionId)).toEqual(shipped(sessionId, 1, 3));
    await store.close();
  });

  test("an expired link says so to whoever follows it, in a terminal", async () => {
    const { code } = await ada.ask<{ code: string }>("/v1/team/invitations", { name: "dan" });
    await administer(database, "update roundtable.code set expires = now() - interval '1 second'");
    const home = createHome();
    const env = { ...home.env, NODE_EXTRA_CA_CERTS: certificate.cert };
    const program = startProgram(["join", `${url}/#code=${code}`, "--name", "dans"], env, home.project);
    expect(await program.ended).toBe(1);
    expect(program.printed()).toBe(
      "roundtable: The code is invalid, expired or already used. Sign this machine in with a new link.\n",
    );
  });

  test("an address at which nothing answers is named as such, in a terminal", async () => {
    const home = createHome();
    const printed = async (at: string): Promise<string> => {
      const program = startProgram(["join", `${at}/#code=abc`, "--name", "dans"], home.env, home.project);
      expect(await program.ended).toBe(1);
      return program.printed();
    };
    const [closed, unknown] = [`https://localhost:${await freePort()}`, "https://team.invalid"];
    expect(await printed(closed)).toBe(
      `roundtable: The server at ${closed} cannot be reached: nothing answers on that port; check the address.\n`,
    );
    expect(await printed(unknown)).toMatch(/^roundtable: The server at https:\/\/team\.invalid cannot be reached: /);
  });

  test("people are told that the database is away; where it is and what to do stands in the log", async () => {
    const own = await createDatabase();
    const port = await freePort();
    const at = `https://localhost:${port}`;
    const node = await startNodeProgram({ database: own, certificate, url: at, port });
    nodes.push(node);
    const device = await openServerDevice(await node.prints(/https:\/\/localhost:\d+\/#code=[\w-]+/), newMachine());
    await device.token();
    const sessionId = newId();
    const name = path.basename(own);
    await administer(database, `alter database ${name} with allow_connections false`);
    await administer(database, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
    await node.prints(
      /"event":"database_failed","code":"unavailable","message":"The database at 127\.0\.0\.1:\d+\/\w+ cannot be reached/,
    );
    await expect(device.ask("/v1/codes", {})).rejects.toMatchObject({
      message: "The server cannot use its database at the moment.",
      hint: "Try again later. The reason is in the server's log.",
    });
    const ready = await fetch(`${at}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([
      503,
      { error: { message: "The server cannot use its database at the moment." } },
    ]);
    await administer(database, `alter database ${name} with allow_connections true`);
    const readiness = async () => (await fetch(`${at}/readyz`)).status;
    await expect.poll(readiness).toBe(200);
    await node.prints(/"event":"database_back"/);
    const link = await connectNode(device);
    const seen: NodeFrame[] = [];
    link.onFrame((frame) => {
      if ((frame as NodeFrame).frame !== "alive") seen.push(frame as NodeFrame);
    });
    link.send({ frame: "hello", protocol: RUNNER_PROTOCOL, version: "0", name: "own", instance: newId() });
    await expect.poll(() => seen.some(({ frame }) => frame === "welcome")).toBe(true);
    // Where only writing fails, nobody would notice but those who are refused.
    await administer(database, `alter database ${name} set default_transaction_read_only = on`);
    await administer(database, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
    await expect
      .poll(() =>
        device.ask("/v1/codes", {}).then(
          () => "done",
          () => node.printed(),
        ),
      )
      .toContain('"read_only"');
    expect(await readiness()).toBe(503);
    // A machine is told, and what has no answer of its own makes it connect again, so that it is sent again.
    link.send({ frame: "batch", id: 7, sessionId, epoch: 1, events: shipped(sessionId, 1, 1) });
    await expect.poll(() => seen.at(-1)).toMatchObject({ frame: "refused", id: 7, code: "read_only" });
    const closed = new Promise<string>((resolve) => link.onClose(resolve));
    link.send({ frame: "forget", sessionId });
    const reason = "The server cannot use its database at the moment.";
    expect(await closed).toBe(reason);
    expect(seen.at(-1)).toEqual({ frame: "goodbye", reason, isFinal: false });
  });

  test("a database that is absent, refuses, or is read-only is named with what to do, without the password", async () => {
    const home = createHome();
    const printed = async (given: string): Promise<string> => {
      const port = await freePort();
      const program = startProgram(
        ["serve", "--team", "--database", given, "--listen", `127.0.0.1:${port}`],
        home.env,
        home.project,
      );
      expect(await program.ended).toBe(1);
      return program.printed();
    };
    const absent = await printed("postgres://ada:secret@127.0.0.1:1/team");
    expect(absent).toMatch(
      /^roundtable: The database at 127\.0\.0\.1:1\/team cannot be reached \(ECONNREFUSED\)\. Check that PostgreSQL is running/,
    );
    expect(absent).not.toContain("secret");
    expect(await printed(database.replace(/[^/]*$/, "none_such"))).toMatch(
      /does not exist \(3D000\)\. Create it with createdb\.\n$/,
    );
    const frozen = await createDatabase();
    await administer(frozen, `alter database ${path.basename(frozen)} set default_transaction_read_only = on`);
    expect(await printed(frozen)).toMatch(
      /is read-only \(25006\)\. Use the URL of the primary server, end the recovery, or turn default_transaction_read_only off\.\n$/,
    );
  });
});
