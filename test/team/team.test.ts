/** A team end to end: two nodes and a runner as processes, TLS, PostgreSQL, and viewers on either node. */
import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectWebSocket, createClient, readTranscript, type Client } from "../../src/client/index.ts";
import { newId } from "../../src/kit/ids.ts";
import { openLogReader } from "../../src/log/index.ts";
import type { SessionEvent, SessionSummary } from "../../src/protocol/index.ts";
import { openServerDevice, type ServerDevice } from "../../src/team/index.ts";
import { createHome, type Home } from "../cli/program.ts";
import { patient } from "../patience.ts";
import { createDatabase, hasPostgres } from "./database.ts";
import { administer } from "./postgres-cluster.ts";
import { startRelay, type Relay } from "./relay.ts";
import { createCertificate, freePort, startNodeProgram, startProgram, startRunnerProgram } from "./team-program.ts";
import type { NodePlan, Program, RunnerPlan } from "./team-program.ts";

const START = { epoch: 0, seq: 0 };

describe.runIf(hasPostgres)("a team", () => {
  let relay: Relay;
  let ports: [number, number];
  let probePort: number;
  let nodes: [Program, Program];
  let plans: [NodePlan, NodePlan];
  let runner: Program;
  let runnerPlan: RunnerPlan;
  let home: Home;
  let ada: ServerDevice;
  let bob: ServerDevice;
  const clients: Client[] = [];

  /** Another device of the person that the link is for. */
  const signIn = (link: string) =>
    openServerDevice(link, { dataDir: mkdtempSync(path.join(tmpdir(), "dev-")), name: "test" });
  /** On this node, unless an idle connection to the other one is used again. */
  const view = async (device: ServerDevice, node: 0 | 1 = 1): Promise<Client> => {
    relay.target = ports[node];
    const client = await createClient(async () => connectWebSocket(device.origin, await device.token()));
    clients.push(client);
    return client;
  };
  const ask = async (device: ServerDevice, at: string): Promise<Response> =>
    fetch(`${device.origin}${at}`, { headers: { authorization: `Bearer ${await device.token()}` } });
  const sessionsOf = async (client: Client): Promise<SessionSummary[]> => await client.list();
  /** One node may know of it a moment later than another. */
  const onlySession = async (client: Client): Promise<string> => {
    await expect.poll(() => sessionsOf(client)).toHaveLength(1);
    return (await sessionsOf(client))[0]?.sessionId ?? "";
  };
  const send = (text: string) => ({ type: "send", text, clientMessageId: newId() }) as const;
  const onRunner = async (text: string, args: readonly string[]) => {
    const ran = await home.run(["-p", text, "--json", ...args]);
    expect(ran).toMatchObject({ code: 0 });
  };

  beforeAll(async () => {
    const certificate = createCertificate();
    const database = await createDatabase();
    relay = await startRelay();
    ports = [await freePort(), await freePort()];
    probePort = await freePort();
    const url = `https://localhost:${relay.port}`;
    plans = [
      { database, certificate, url, port: ports[0] },
      { database, certificate, url, port: ports[1], args: ["--probes", `127.0.0.1:${probePort}`] },
    ];
    nodes = [await startNodeProgram(plans[0]), await startNodeProgram(plans[1])];
    relay.target = ports[0];
    const first = await nodes[0].prints(/https:\/\/localhost:\d+\/#code=[\w-]+/);
    ada = await signIn(first);
    const code = async (at: string, body: unknown) =>
      `${ada.origin}/#code=${(await ada.ask<{ code: string }>(at, body)).code}`;
    bob = await signIn(await code("/v1/team/invitations", { name: "bob" }));
    home = createHome();
    runnerPlan = { link: await code("/v1/codes", {}), home, name: "box", certificate };
    runner = await startRunnerProgram(runnerPlan);
    await onRunner("what is this project", ["--members", "scout"]);
  });

  afterAll(async () => {
    for (const client of clients) client.close();
    await runner.stop();
    await Promise.all(nodes.map((node) => node.stop()));
    await relay.close();
  });

  test("a session of the runner is listed, read, searched and exported on another node, for its owner alone", async () => {
    const client = await view(ada);
    await expect
      .poll(() => sessionsOf(client))
      .toMatchObject([{ title: "what is this project", at: { runner: "box", person: "admin", isConnected: true } }]);
    const sessionId = await onlySession(client);
    await expect.poll(async () => (await readTranscript(client, sessionId)).head.totals.turns).toBe(1);
    await expect.poll(async () => (await client.search({ words: "project" })).hits.length).toBeGreaterThan(0);
    expect(await (await ask(ada, `/v1/sessions/${sessionId}/export`)).text()).toContain("# what is this project");
    const other = await view(bob);
    expect(await sessionsOf(other)).toEqual([]);
    expect((await other.search({ words: "project" })).hits).toEqual([]);
    await expect(other.snapshot(sessionId)).rejects.toMatchObject({ code: "unknown_session" });
    expect(await other.command(sessionId, send("let me in"))).toMatchObject({ error: { code: "unknown_session" } });
    for (const at of ["", "/export", "/members", "/usage", `/blobs/${"0".repeat(64)}`, "/events"])
      expect([at, (await ask(bob, `/v1/sessions/${sessionId}${at}`)).status]).toEqual([at, 404]);
  });

  test("a driver writes from another node, the log says who, and a viewer does not", async () => {
    const client = await view(bob);
    const sessionId = await onlySession(await view(ada));
    await ada.ask("/v1/team/access", { person: "bob", role: "viewer", sessionId });
    await expect.poll(() => sessionsOf(client)).toHaveLength(1);
    expect(await client.command(sessionId, send("not yet"))).toMatchObject({ error: { code: "unsupported" } });
    await ada.ask("/v1/team/access", { person: "bob", role: "driver", sessionId });
    const seen: SessionEvent[] = [];
    await client.subscribe(sessionId, START, (events) => void seen.push(...events));
    const drive = async () => await client.command(sessionId, send("where is the start"));
    await expect.poll(drive).toMatchObject({ ok: true });
    const messages = () => seen.filter(({ type }) => type === "user_message");
    expect(messages().at(-1)).toMatchObject({ text: "where is the start", clientId: expect.stringMatching(/^bob\./) });
    await expect.poll(() => seen.filter(({ type }) => type === "turn_end").length).toBe(2);
    expect(seen.map(({ seq }) => seq)).toEqual(seen.map((_, at) => at + 1));
    expect(await client.command(sessionId, { type: "rename", title: "mine" })).toMatchObject({ ok: false });
    const writers = async (reader: Client, words: string) =>
      (await reader.search({ words })).hits.flatMap(({ kind, member }) => (kind === "user" ? [member] : []));
    const owner = await view(ada);
    await expect.poll(() => writers(owner, "start")).toEqual(["bob"]);
    expect(await writers(client, "start")).toEqual([undefined]);
    // At the machine itself.
    expect([await writers(client, "project"), await writers(owner, "project")]).toEqual([["admin"], [undefined]]);
    const exported = async (who: typeof ada) => await (await ask(who, `/v1/sessions/${sessionId}/export`)).text();
    expect(
      [await exported(ada), await exported(bob)].map((text) => text.match(/^## (?:You|admin|bob)(?= ·)/gm)),
    ).toEqual([
      ["## You", "## bob"],
      ["## admin", "## You"],
    ]);
    // What was taken back ends on the other node, also for whoever follows it.
    await ada.ask("/v1/team/access", { person: "bob", role: null, sessionId });
    await expect.poll(() => sessionsOf(client)).toEqual([]);
    expect(await client.command(sessionId, send("still here"))).toMatchObject({ error: { code: "unknown_session" } });
  });

  test("commands with --server work on all machines, with the key of this one", async () => {
    const sessionId = await onlySession(await view(ada));
    const onServer = (...args: string[]) =>
      home.run([...args, "--server", ada.origin], { env: { NODE_EXTRA_CA_CERTS: plans[0].certificate.cert } });
    const listed = await onServer("sessions", "list");
    expect(listed.stdout).toMatch(/^ID +UPDATED +STATUS +PERSON +MACHINE +TURNS +MEMBERS +TITLE\n/);
    expect(listed.stdout).toMatch(/ admin +box +\d+ +scout +what is this project\n/);
    const asked = await onServer("-p", "from another terminal", "-r", sessionId, "--json");
    expect(asked).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(asked.stdout)).toMatchObject({ session_id: sessionId, members: { scout: { is_error: false } } });
    await expect.poll(async () => (await onServer("search", "another terminal")).stdout).toContain("another terminal");
    const shown = (await onServer("sessions", "show", sessionId)).stdout;
    expect(shown).toContain("● you\nfrom another terminal\n");
    expect(shown).toContain("● bob\nwhere is the start\n");
    for (const args of [
      ["--server", ada.origin, "doctor"],
      ["doctor", "--server", ada.origin],
    ])
      expect(await home.run(args)).toMatchObject({
        code: 2,
        stderr: "roundtable: doctor works on this machine only. Remove --server.\n",
      });
    await ada.ask("/v1/team/invitations", { name: "hal", isAdmin: true });
    const people = async () => (await onServer("team", "list")).stdout;
    expect(await people()).toMatch(/^hal \(invited by admin as administrator until \d{4}-\d\d-\d\d \d\d:\d\d UTC\)$/m);
    expect((await onServer("team", "remove", "hal")).stdout).toBe("Removed hal.\n");
    expect(await people()).not.toContain("hal");
    const stranger = createHome();
    expect(await stranger.run(["sessions", "list", "--server", ada.origin])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`This machine is not signed in to ${ada.origin}.`),
    });
  });

  test("a revoked device is out on every node within five seconds", async () => {
    relay.target = ports[0];
    const { code } = await ada.ask<{ code: string }>("/v1/codes", {});
    const phone = await signIn(`${ada.origin}/#code=${code}`);
    const client = await view(phone, 1);
    const closed = new Promise<string>((resolve) => client.onClose(resolve));
    const token = await phone.token();
    const devices = await ada.ask<{ id: string; createdTs: number }[]>("/v1/devices");
    const newest = devices.toSorted((a, b) => b.createdTs - a.createdTs)[0]?.id ?? "";
    const begunMs = performance.now();
    const headers = { authorization: `Bearer ${await ada.token()}` };
    const revoked = await fetch(`${ada.origin}/v1/devices/${newest}`, { method: "DELETE", headers });
    expect(revoked.status).toBe(200);
    await closed;
    // Connections that are open lead to either node.
    const late = () => fetch(`${ada.origin}/v1/sessions`, { headers: { authorization: `Bearer ${token}` } });
    await expect.poll(async () => (await late()).status).toBe(401);
    expect(performance.now() - begunMs).toBeLessThan(patient(5_000));
    // A code works once.
    await expect(signIn(`${ada.origin}/#code=${code}`)).rejects.toThrow(
      "The code is invalid, expired or already used.",
    );
  });

  test("a device that may only read writes nothing, and one that has expired is out on every node", async () => {
    relay.target = ports[0];
    const { code } = await ada.ask<{ code: string }>("/v1/codes", { scope: "read", days: 1 });
    const screen = await signIn(`${ada.origin}/#code=${code}`);
    const client = await view(screen, 1);
    const sessionId = await onlySession(client);
    expect((await readTranscript(client, sessionId)).head.seq).toBeGreaterThan(0);
    expect(await client.command(sessionId, send("hello"))).toMatchObject({
      error: { code: "unsupported", message: "This device has read-only access." },
    });
    await expect(screen.ask("/v1/codes", {})).rejects.toThrow("This device may not do that.");
    const closed = new Promise<string>((resolve) => client.onClose(resolve));
    const begunMs = performance.now();
    await administer(plans[0].database, "update roundtable.device set expires = now() where expires is not null");
    await closed;
    expect(performance.now() - begunMs).toBeLessThan(patient(5_000));
    // A connection that is kept open may be to the other node.
    await expect.poll(async () => (await ask(screen, "/v1/sessions")).status).toBe(401);
    const devices = await ada.ask<{ scope: string }[]>("/v1/devices");
    expect(devices.map(({ scope }) => scope)).not.toContain("read");
  });

  test("what happens while connections are cut and a node is killed arrives once", async () => {
    const client = await view(ada, 1);
    const sessionId = await onlySession(client);
    const turnsBefore = (await readTranscript(client, sessionId)).head.totals.turns;
    for (let round = 0; round < 3; round += 1) {
      const asked = onRunner(`round ${round}`, ["-r", sessionId]);
      relay.cut();
      await asked;
    }
    await nodes[0].stop("SIGKILL");
    nodes[0] = await startNodeProgram(plans[0]);
    relay.cut();
    const again = await view(ada, 1);
    const read = async () => (await readTranscript(again, sessionId)).head.totals.turns;
    await expect.poll(read, { timeout: patient(30_000) }).toBe(turnsBefore + 3);
    const seen: SessionEvent[] = [];
    const { head } = await again.subscribe(sessionId, START, (events) => void seen.push(...events));
    await expect.poll(() => seen.length).toBe(head.seq);
    const log = await openLogReader({ dataDir: home.dataDir, sessionId });
    const written: SessionEvent[] = [];
    for await (const events of log.read(0)) written.push(...events);
    await log.close();
    expect(seen).toEqual(written);
  });

  test("without its runner a session is still read, and a message is refused with a sentence", async () => {
    const client = await view(ada, 1);
    const sessionId = await onlySession(client);
    await runner.stop();
    await expect.poll(() => sessionsOf(client)).toMatchObject([{ at: { isConnected: false } }]);
    expect(await client.command(sessionId, send("anybody there"))).toMatchObject({
      ok: false,
      error: { code: "locked", message: "box is not connected, so nothing was sent." },
    });
    expect((await readTranscript(client, sessionId)).head.seq).toBeGreaterThan(10);
    expect((await ask(ada, `/v1/sessions/${sessionId}/export?format=html`)).status).toBe(200);
    runner = await startRunnerProgram({ ...runnerPlan, link: ada.origin });
    const drive = async () => await client.command(sessionId, send("there again"));
    await expect.poll(drive).toMatchObject({ ok: true });
  });

  test("whoever gets the name of somebody who was removed has neither their messages nor what was opened for them", async () => {
    const env = { NODE_EXTRA_CA_CERTS: plans[0].certificate.cert };
    const onServer = (...args: string[]) => home.run([...args, "--server", ada.origin], { env });
    const sessionId = await onlySession(await view(ada));
    const own = () => onServer("team", "grant", "owner", "bob", "--session", sessionId);
    expect(await own()).toMatchObject({ code: 0, stderr: "" });
    await ada.ask("/v1/team/removals", { name: "bob" });
    const { code } = await ada.ask<{ code: string }>("/v1/team/invitations", { name: "bob" });
    bob = await signIn(`${ada.origin}/#code=${code}`);
    await ada.ask("/v1/team/access", { person: "bob", role: "owner", sessionId });
    const client = await view(bob);
    await expect.poll(() => sessionsOf(client)).toHaveLength(1);
    const rename = () => client.command(sessionId, { type: "rename", title: "what is this project" });
    expect(await rename()).toMatchObject({
      error: { message: "This session's machine does not allow that remotely." },
    });
    expect(await own()).toMatchObject({ code: 0 });
    await expect.poll(rename).toMatchObject({ ok: true });
    expect(await client.command(sessionId, send("the start of another bob"))).toMatchObject({ ok: true });
    const writers = async (reader: Client) =>
      (await reader.search({ words: "start" })).hits.flatMap(({ kind, member }) => (kind === "user" ? [member] : []));
    await expect.poll(() => writers(client)).toEqual([undefined, "bob (removed)"]);
    expect(await writers(await view(ada))).toEqual(["bob", "bob (removed)"]);
    const shown = (await onServer("sessions", "show", sessionId)).stdout;
    expect(shown).toContain("● bob (removed)\nwhere is the start\n");
    expect(shown).toContain("● bob\nthe start of another bob\n");
  });

  test("a session that is taken back is gone from the server", async () => {
    const client = await view(ada, 1);
    const sessionId = await onlySession(client);
    await ada.ask("/v1/team/access", { person: "bob", role: "viewer", sessionId });
    expect((await home.run(["unshare", sessionId])).code).toBe(0);
    const read = async () => await client.snapshot(sessionId).catch(({ code }: { code: string }) => code);
    await expect.poll(read).toBe("unknown_session");
    await expect.poll(() => sessionsOf(client)).toEqual([]);
    await expect.poll(async () => (await client.search({ words: "project" })).hits).toEqual([]);
    // Shared again it is its owner's alone: no node goes on with the roles that were given before.
    expect((await home.run(["share", sessionId])).code).toBe(0);
    await expect.poll(() => sessionsOf(client)).toMatchObject([{ sessionId }]);
    const theirs = await view(bob, 1);
    await expect.poll(() => sessionsOf(theirs)).toEqual([]);
  });

  test("off loopback without TLS it does not start, and says what is missing", async () => {
    const args = ["serve", "--team", "--database", plans[0].database, "--listen", "0.0.0.0:1"];
    const program = startProgram(args, home.env, home.project);
    expect(await program.ended).toBe(2);
    expect(program.printed()).toBe(
      "roundtable: --listen 0.0.0.0:1 can be reached from other machines, so it needs TLS. Give --tls-cert and --tls-key, or --trust-proxy with the network of a proxy that has them.\n",
    );
  });

  test("a certificate that is none, and a key of another one, are named by their files", async () => {
    const { cert, key } = plans[0].certificate;
    const another = createCertificate().key;
    const printed = async (tlsCert: string, tlsKey: string): Promise<string> => {
      const listen = ["--listen", "0.0.0.0:1", "--tls-cert", tlsCert, "--tls-key", tlsKey];
      const program = startProgram(["serve", "--team", "--database", "unused", ...listen], home.env, home.project);
      expect(await program.ended).toBe(1);
      return program.printed();
    };
    expect(await printed(key, key)).toBe(`roundtable: ${key} is not a certificate in PEM format.\n`);
    expect(await printed(cert, cert)).toBe(
      `roundtable: ${cert} is not a private key in PEM format without a passphrase.\n`,
    );
    expect(await printed(cert, another)).toBe(`roundtable: ${another} is not the key of the certificate ${cert}.\n`);
  });

  test("options of a team are refused without one, and those of one person with one", async () => {
    const program = startProgram(["serve", "--blobs", "files"], home.env, home.project);
    expect(await program.ended).toBe(2);
    expect(program.printed()).toBe("roundtable: --blobs needs --team. Add --team.\n");
    const nodes = ["serve", "--team", "--database", "unused"];
    expect(await home.run([...nodes, "--port", "1"])).toMatchObject({
      code: 2,
      stderr: "roundtable: --port does not apply with --team. Give the port in --listen.\n",
    });
    expect(await home.run([...nodes, "--compat", "001"])).toMatchObject({
      code: 2,
      stderr: "roundtable: --compat does not apply with --team. Remove --compat.\n",
    });
  });

  test("a directory for large files that cannot be written, and an expired certificate, are told at the start", async () => {
    const { cert, key } = plans[0].certificate;
    const old = path.join(home.directory, "old.pem");
    execFileSync("openssl", ["x509", "-in", cert, "-signkey", key, "-days", "-1", "-out", old], { stdio: "ignore" });
    const tls = ["--url", "https://localhost", "--tls-cert", old, "--tls-key", key];
    const ran = await home.run(["serve", "--team", "--database", "unused", ...tls, "--blobs", "src/parser.js"]);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(
      /^roundtable: the certificate \S+old\.pem expired on \d{4}-\d\d-\d\d, so clients will refuse it\. /,
    );
    expect(ran.stderr).toMatch(/\nroundtable: cannot write to --blobs src\/parser\.js: .+\. Name a directory that /);
  });

  test("health, readiness and metrics are told, and a node that stops drains", async () => {
    const direct = `https://localhost:${ports[1]}`;
    expect((await fetch(`${direct}/healthz`)).status).toBe(200);
    expect((await fetch(`${direct}/readyz`)).status).toBe(200);
    // Metrics have a port of their own, which asks for no name: scrapers send the address that they were given.
    expect((await fetch(`${direct}/metrics`)).status).toBe(404);
    for (const at of ["healthz", "readyz"])
      expect((await fetch(`http://127.0.0.1:${probePort}/${at}`)).status).toBe(200);
    const metrics = await (await fetch(`http://localhost:${probePort}/metrics`)).text();
    expect(metrics).toMatch(/^roundtable_viewers_connected \d+$/m);
    expect((await fetch(`http://127.0.0.1:${probePort}/v1/team`)).status).toBe(404);
    await nodes[1].stop();
    const lines = nodes[1]
      .printed()
      .split("\n")
      .filter((line) => line.startsWith("{"));
    const events = lines.map((line) => (JSON.parse(line) as { event: string }).event);
    expect(events.filter((event) => event.startsWith("node_"))).toEqual([
      "node_started",
      "node_draining",
      "node_stopped",
    ]);
    expect(lines.join("\n")).not.toContain("project");
  });
});
