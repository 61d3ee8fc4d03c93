/** A machine of a team: under which name it comes back, and what leaves it when secrets must not. */
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectWebSocket, createClient, type Client } from "../../src/client/index.ts";
import { newId } from "../../src/kit/ids.ts";
import type { SessionEvent } from "../../src/protocol/index.ts";
import { openServerDevice, type ServerDevice } from "../../src/team/index.ts";
import { createHome, onlyScout, type Home } from "../cli/program.ts";
import { createDatabase, hasPostgres } from "./database.ts";
import { administer } from "./postgres-cluster.ts";
import {
  createCertificate,
  freePort,
  startNodeProgram,
  startProgram,
  startRunnerProgram,
  type Certificate,
  type Program,
} from "./team-program.ts";

const KEY = `sk-ant-api03-${"a1B2c3D4e5F6g7H8".repeat(5)}`;

describe.runIf(hasPostgres)("a machine that joins a team", () => {
  let node: Program;
  let url: string;
  let database: string;
  let certificate: Certificate;
  let ada: ServerDevice;
  let client: Client;
  const blobs = mkdtempSync(path.join(tmpdir(), "blobs-"));

  const link = async () => `${url}/#code=${(await ada.ask<{ code: string }>("/v1/codes", {})).code}`;
  const send = (text: string) => ({ type: "send", text, clientMessageId: newId() }) as const;
  const listed = async () => (await client.list()).map(({ sessionId, at }) => [sessionId, at?.runner]);
  const eventsOf = async (sessionId: string): Promise<SessionEvent[]> => {
    const rows = await administer(
      database,
      `select body from roundtable.event where session = '${sessionId}' order by seq`,
    );
    return rows.map((row) => JSON.parse(String(row["body"])) as SessionEvent);
  };
  const ask = async (home: Home, text: string): Promise<string> => {
    const asked = await home.run(["-p", text, "--json"]);
    expect(asked).toMatchObject({ code: 0 });
    return (JSON.parse(asked.stdout) as { session_id: string }).session_id;
  };

  beforeAll(async () => {
    certificate = createCertificate();
    const port = await freePort();
    url = `https://localhost:${port}`;
    database = await createDatabase();
    node = await startNodeProgram({ database, certificate, url, port, args: ["--blobs", blobs] });
    const first = await node.prints(/https:\/\/localhost:\d+\/#code=[\w-]+/);
    ada = await openServerDevice(first, { dataDir: mkdtempSync(path.join(tmpdir(), "dev-")), name: "test" });
    client = await createClient(async () => connectWebSocket(ada.origin, await ada.token()));
  });

  afterAll(async () => {
    client.close();
    await node.stop();
  });

  test("somebody who has lost every device gets a link where a node runs", async () => {
    const port = await freePort();
    const plan = { database, certificate, url: `https://localhost:${port}`, port };
    const other = await startNodeProgram({ ...plan, args: ["--link-for", "ADMIN"] });
    const printed = await other.prints(/device of ADMIN\. It works once[^]*?#code=[\w-]+/);
    const device = await openServerDevice(/https:\S+/.exec(printed)?.[0] ?? "", {
      dataDir: mkdtempSync(path.join(tmpdir(), "dev-")),
      name: "new",
    });
    expect(await device.ask("/v1/team")).toMatchObject({ me: { name: "admin", isAdmin: true }, scope: "manage" });
    await other.stop();
    const unknown = startNodeProgram({ ...plan, args: ["--link-for", "eve"] });
    await expect(unknown.then((program) => program.ended)).resolves.toBe(2);
    expect((await unknown).printed()).toContain("roundtable: Nobody in the team is called eve.");
  });

  test("a further start without a name is the same machine; under another name its sessions stay where they are", async () => {
    const home = createHome();
    home.configure(onlyScout);
    const sessionId = await ask(home, "hello");
    const used = await link();
    const first = await startRunnerProgram({ link: used, home, name: "build-box", certificate });
    await expect.poll(listed).toContainEqual([sessionId, "build-box"]);
    await first.stop();
    // A name that the server has not taken does not stay.
    const untrusted = startProgram(["join", url, "--name", "wrong"], home.env, home.project);
    await untrusted.prints(/wrong is not connected/);
    await untrusted.stop();
    // The command of before, from the history of the shell.
    const again = await startRunnerProgram({ link: used, home, certificate });
    expect(again.printed()).toContain("build-box is connected");
    await home.run(["-p", "and again", "-r", sessionId]);
    await expect.poll(async () => (await client.list()).find((one) => one.sessionId === sessionId)?.turns).toBe(2);
    await again.stop();
    const renamed = await startRunnerProgram({ link: url, home, name: "attic", certificate });
    await renamed.prints(/belongs to your machine build-box\. If that is this machine, join with --name build-box\./);
    await renamed.stop();
  });

  test("with --redact no key and no home path leaves it, in events, files and answers", async () => {
    const home = createHome();
    home.configure(onlyScout);
    const inHome = path.join(home.env["HOME"] ?? "", "notes");
    writeFileSync(path.join(home.project, "keys.txt"), `ANTHROPIC_API_KEY=${KEY}\n${inHome}\n`);
    const sessionId = await ask(home, `what is ${KEY} in ${inHome}`);
    const runner = await startRunnerProgram({
      link: await link(),
      home,
      name: "vault",
      certificate,
      args: ["--redact"],
    });
    await expect.poll(listed).toContainEqual([sessionId, "vault"]);
    expect(await client.command(sessionId, send(`search ${KEY.slice(0, 30)} in keys.txt`))).toMatchObject({ ok: true });
    await expect.poll(async () => (await client.list()).find((one) => one.sessionId === sessionId)?.turns).toBe(2);
    const events = await eventsOf(sessionId);
    const text = JSON.stringify(events);
    expect(text).not.toContain(KEY);
    expect(text).not.toContain(inHome);
    // Roles on folders need it.
    expect(events[0]).toMatchObject({ type: "session_created", cwd: home.project });
    expect(events.some(({ type }) => type === "text_done")).toBe(true);
    for (const event of events) if (event.type === "text_delta") expect(event.text).toBe("");
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    await runner.stop();
  });

  test("a copy that is taken back is deleted with its large files and what people sent", async () => {
    const home = createHome();
    home.configure(onlyScout);
    const sessionId = await ask(home, "hello");
    const runner = await startRunnerProgram({ link: await link(), home, name: "shed", certificate });
    await expect.poll(listed).toContainEqual([sessionId, "shed"]);
    const bytes = Buffer.alloc(1_100_000, "large ");
    const blob = await client.putBlob(sessionId, bytes);
    const file = path.join(blobs, sessionId, createHash("sha256").update(bytes).digest("hex"));
    expect([blob.bytes, existsSync(file)]).toEqual([bytes.length, true]);
    expect(await client.command(sessionId, send("of the inbox"))).toMatchObject({ ok: true });
    expect((await home.run(["unshare", sessionId])).code).toBe(0);
    await expect.poll(() => existsSync(file)).toBe(false);
    await expect.poll(listed).not.toContainEqual([sessionId, "shed"]);
    for (const table of ["event", "entry", "view", "blob", "command"])
      expect(await administer(database, `select 1 from roundtable.${table} where session = '${sessionId}'`)).toEqual(
        [],
      );
    await runner.stop();
  });
});
