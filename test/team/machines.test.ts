/** Sessions that are started on other machines, and continued on another one when theirs is gone. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectWebSocket, createClient, readTranscript, type Client } from "../../src/client/index.ts";
import { newId } from "../../src/kit/ids.ts";
import { authorOf, type MemberSpec, type TeamPerson } from "../../src/protocol/index.ts";
import type { SessionDefaults } from "../../src/server/index.ts";
import { openServerDevice, type ServerDevice } from "../../src/team/index.ts";
import { loadedMessages } from "../../src/transcript/index.ts";
import { createHome, onlyScout, threeScouts, type Home } from "../cli/program.ts";
import { createDatabase, hasPostgres } from "./database.ts";
import { createCertificate, freePort, startNodeProgram, startRunnerProgram, type Program } from "./team-program.ts";

describe.runIf(hasPostgres)("machines of a team", () => {
  let node: Program;
  let laptop: Program;
  let box: Program;
  let laptopHome: Home;
  let boxHome: Home;
  let ada: ServerDevice;
  let bob: ServerDevice;
  let cert: string;
  let code: (device: ServerDevice, at: string, body: unknown) => Promise<string>;
  let join: (device: ServerDevice, home: Home, name: string) => Promise<Program>;
  const clients: Client[] = [];

  const signIn = (link: string) =>
    openServerDevice(link, { dataDir: mkdtempSync(path.join(tmpdir(), "dev-")), name: "test" });
  const view = async (device: ServerDevice): Promise<Client> => {
    const client = await createClient(async () => connectWebSocket(device.origin, await device.token()));
    clients.push(client);
    return client;
  };
  const defaultsOf = (device: ServerDevice, cwd = "") =>
    device.ask<SessionDefaults>(`/v1/defaults?cwd=${encodeURIComponent(cwd)}`);
  const send = (text: string) => ({ type: "send", text, clientMessageId: newId() }) as const;
  const create = async (client: Client, { cwd, settings, members }: SessionDefaults, title: string) =>
    (await client.create({ cwd, settings, members: [...members], title })).sessionId;
  const turnsOf = async (client: Client, sessionId: string) =>
    (await readTranscript(client, sessionId)).head.totals.turns;

  beforeAll(async () => {
    const certificate = createCertificate();
    ({ cert } = certificate);
    const port = await freePort();
    const url = `https://localhost:${port}`;
    node = await startNodeProgram({ database: await createDatabase(), certificate, url, port });
    ada = await signIn(await node.prints(/https:\/\/localhost:\d+\/#code=[\w-]+/));
    code = async (device, at, body) => `${url}/#code=${(await device.ask<{ code: string }>(at, body)).code}`;
    bob = await signIn(await code(ada, "/v1/team/invitations", { name: "bob" }));
    laptopHome = createHome();
    laptopHome.configure({ ...threeScouts, council: { members: ["ada", "bob"] } });
    boxHome = createHome();
    boxHome.configure(onlyScout);
    join = async (device, home, name) =>
      startRunnerProgram({ certificate, link: await code(device, "/v1/codes", {}), home, name });
    laptop = await join(ada, laptopHome, "laptop");
    box = await join(ada, boxHome, "box");
  });

  afterAll(async () => {
    for (const client of clients) client.close();
    await Promise.all([laptop, box].map((runner) => runner.stop()));
    await node.stop();
  });

  test("the owner starts a session on a machine, with the members that are there, and it answers", async () => {
    const target = await defaultsOf(ada, "laptop");
    expect(target).toMatchObject({ cwd: `laptop:${laptopHome.project}`, members: [{ name: "ada" }, { name: "bob" }] });
    const client = await view(ada);
    const sessionId = await create(client, target, "from the page");
    expect(await client.command(sessionId, send("what is this project"))).toMatchObject({ ok: true });
    await expect.poll(() => turnsOf(client, sessionId)).toBe(2);
    expect(await client.list()).toMatchObject([{ sessionId, cwd: laptopHome.project, at: { runner: "laptop" } }]);
    const env = { NODE_EXTRA_CA_CERTS: cert };
    const asked = await boxHome.run(["-p", "where is it", "--server", ada.origin, "--on", "box", "--json"], { env });
    expect(asked).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(asked.stdout)).toMatchObject({ members: { scout: { is_error: false } } });
  });

  test("others start one where the owner made them drivers, with its members and settings", async () => {
    const client = await view(bob);
    const target = await defaultsOf(ada, "box");
    const nowhere = await defaultsOf(bob);
    expect(nowhere).toMatchObject({ cwd: "/", members: [] });
    await expect(create(client, nowhere, "nowhere")).rejects.toThrow("No machine in the team offers you a folder yet.");
    await expect(defaultsOf(bob, "box")).rejects.toThrow("You cannot start a session in box.");
    await expect(create(client, target, "not yet")).rejects.toMatchObject({ code: "bad_command" });
    await ada.ask("/v1/team/access", { person: "bob", role: "driver", runner: "box", folder: boxHome.project });
    const mine: MemberSpec = { name: "scout", kind: "acp", command: ["touch", path.join(boxHome.project, "owned")] };
    const settings = { ...target.settings, writable: true };
    const sessionId = await create(client, { ...target, settings, members: [mine] }, "of bob");
    const { head } = await readTranscript(client, sessionId);
    expect(head.settings?.writable).toBe(false);
    expect(head.members["scout"]?.spec).toEqual(target.members[0]);
    expect(await client.command(sessionId, send("hello"))).toMatchObject({ ok: true });
    await expect.poll(() => turnsOf(client, sessionId)).toBe(1);
    const stranger = { ...mine, name: "mallory" };
    await expect(create(client, { ...target, members: [stranger] }, "no")).rejects.toThrow("offers no member");
    const outside = { ...target, cwd: `box:${path.dirname(boxHome.project)}` };
    await expect(create(client, outside, "no")).rejects.toThrow("You cannot start a session in");
  });

  test("in a copy, and in a copy of that, what was written at a machine is still its owner's", async () => {
    const carol = await signIn(await code(ada, "/v1/team/invitations", { name: "carol" }));
    const meOf = async (device: ServerDevice) =>
      (await device.ask<{ me: { id: string; name: string } }>("/v1/team")).me;
    const [admin, her] = [await meOf(ada), await meOf(carol)];
    const home = createHome();
    home.configure(onlyScout);
    const desk = await join(carol, home, "desk");
    const [client, hers] = [await view(ada), await view(carol)];
    /** Of each message, who wrote it for this reader. */
    const authors = async (through: Client, sessionId: string, me: TeamPerson, owner: TeamPerson) =>
      [...loadedMessages(await readTranscript(through, sessionId))].flatMap((one) =>
        one.kind === "user" ? [[one.text, authorOf(one.clientId, { me: me.id, owner })]] : [],
      );
    const fork = async (device: ServerDevice, sessionId: string, at: string) =>
      (await device.ask<{ sessionId: string }>("/v1/team/forks", { sessionId, at })).sessionId;
    const written = await laptopHome.run(["-p", "at the laptop", "--json"]);
    const { session_id: sessionId } = JSON.parse(written.stdout) as { session_id: string };
    await expect.poll(async () => (await client.list()).map((one) => one.sessionId)).toContain(sessionId);
    expect(await client.command(sessionId, send("through the server"))).toMatchObject({ ok: true });
    await expect.poll(() => turnsOf(client, sessionId)).toBe(4);
    await ada.ask("/v1/team/access", { person: "carol", role: "viewer", sessionId });

    const copy = await fork(carol, sessionId, "desk");
    const both = ["at the laptop", "through the server"];
    expect(await authors(hers, copy, her, her)).toEqual(both.map((text) => [text, admin.name]));
    expect(await authors(hers, copy, admin, her)).toEqual(both.map((text) => [text, undefined]));
    expect(await home.run(["-p", "at the desk", "-r", copy])).toMatchObject({ code: 0 });
    await expect.poll(() => turnsOf(hers, copy)).toBe(1);
    await carol.ask("/v1/team/access", { person: admin.name, role: "viewer", sessionId: copy });
    const again = await fork(ada, copy, "box");
    const ofBoth = both.map((text) => [text, undefined]);
    expect(await authors(client, again, admin, admin)).toEqual([...ofBoth, ["at the desk", "carol"]]);

    await ada.ask("/v1/team/removals", { name: "carol" });
    const last = await fork(ada, copy, "box");
    expect(await authors(client, last, admin, admin)).toEqual([...ofBoth, ["at the desk", "(removed)"]]);
    await desk.stop();
  });

  test("a session whose machine is gone continues as a copy on another one, files included", async () => {
    const client = await view(ada);
    const sessionId = await create(client, await defaultsOf(ada, "laptop"), "the long one");
    const blob = await client.putBlob(sessionId, new TextEncoder().encode("a file\n".repeat(100)));
    const attachments = [{ name: "notes.txt", mime: "text/plain", blob }];
    expect(await client.command(sessionId, { ...send("read this"), attachments })).toMatchObject({ ok: true });
    await expect.poll(() => turnsOf(client, sessionId)).toBe(2);
    await expect
      .poll(async () => (await client.list()).find((one) => one.sessionId === sessionId)?.status)
      .toBe("idle");
    await laptop.stop("SIGKILL");
    const env = { NODE_EXTRA_CA_CERTS: cert };
    const exported = await boxHome.run(["export", "the long one", "--server", ada.origin], { env });
    expect(exported).toMatchObject({ code: 0, stderr: "" });
    expect(exported.stdout).toMatch(/^# the long one\n[^]*read this/);
    const unknown = await boxHome.run(["export", newId(), "--server", ada.origin, "-o", "x.html"], { env });
    expect(unknown.stderr).toMatch(/^roundtable: There is no session /);
    const forked = await boxHome.run(["sessions", "fork", sessionId, "--server", ada.origin, "--on", "box"], { env });
    expect(forked).toMatchObject({ code: 0, stderr: "" });
    const copy = forked.stdout.trim();
    const transcript = await readTranscript(client, copy);
    const { head } = transcript;
    expect(head).toMatchObject({ title: "the long one (fork)", cwd: boxHome.project });
    const kinds = [...loadedMessages(transcript)].map(({ kind }) => kind);
    expect(kinds).toEqual(expect.arrayContaining(["user", "turn", "turn"]));
    const seated = Object.values(head.members).flatMap((one) => (one.seated ? [one.name] : []));
    expect(seated).toEqual(["scout"]);
    const headers = { authorization: `Bearer ${await ada.token()}` };
    const file = await fetch(`${ada.origin}/v1/sessions/${copy}/blobs/${blob.sha256}`, { headers });
    expect([file.status, await file.text()]).toEqual([200, "a file\n".repeat(100)]);
    expect(await client.command(copy, send("go on"))).toMatchObject({ ok: true });
    await expect.poll(() => turnsOf(client, copy)).toBe(1);
    expect(await turnsOf(client, sessionId)).toBe(2);
    // Who may not read it cannot continue it, and learns nothing.
    const at = { sessionId, at: "box" };
    await expect(bob.ask("/v1/team/forks", at)).rejects.toThrow(`There is no session ${sessionId}.`);
  });
});
