/** `roundtable serve` as a program: its files, its one place, and how it ends. */
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { connectWebSocket, createClient, type Client } from "../../src/client/index.ts";
import { createHome } from "../cli/program.ts";
import { startServing, type Serving } from "./serve-program.ts";
import { patient } from "../patience.ts";

const running: Serving[] = [];
afterEach(async () => {
  for (const one of running.splice(0)) {
    one.child.kill("SIGKILL");
    await one.ended;
  }
});

async function serving(...args: Parameters<typeof startServing>): Promise<Serving> {
  const one = await startServing(...args);
  running.push(one);
  return one;
}

describe("serve", () => {
  test("under umask 000 every file is 0600 and every directory 0700, and they go when the server goes", async () => {
    const { home, token, printed, child, ended, url } = await serving({ umask: "000" });
    const modes = readdirSync(home.dataDir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() || entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => (statSync(file).mode & 0o777) !== (statSync(file).isDirectory() ? 0o700 : 0o600));
    expect(modes).toEqual([]);
    expect(statSync(home.dataDir).mode & 0o777).toBe(0o700);
    expect(Buffer.from(token, "base64url").length).toBe(32);
    expect(printed()).not.toContain(token);
    const version = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
    expect(JSON.parse(readFileSync(join(home.dataDir, "server.json"), "utf8"))).toEqual({
      url,
      pid: child.pid,
      version: version.version,
      socket: expect.stringContaining("roundtable"),
    });
    child.kill("SIGTERM");
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(readdirSync(home.dataDir).filter((name) => /server|token/.test(name))).toEqual([]);
  });

  test("--compat-session accepts part of an id; an unknown one is refused", async () => {
    const home = createHome();
    await home.runHere(["-p", "where is parseWidget"]);
    const logs = readdirSync(join(home.dataDir, "logs")).filter((name) => name.endsWith(".jsonl"));
    const sessionId = logs[0]?.replace(".jsonl", "") ?? "";
    expect([logs.length, sessionId.length]).toEqual([1, 26]);
    const refused = await home.run(["serve", "--compat", "001", "--compat-session", "zzzzzz"]);
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('there is no session "zzzzzz"')]);
    const part = sessionId.slice(-6).toLowerCase();
    const { printed } = await serving({ home }, ["--compat", "001", "--compat-session", part]);
    const url = /protocol 001 is open at (http:\S+) without a token/.exec(printed())?.[1] ?? "";
    const listed: unknown = await (
      await fetch(`${url}/api/sessions?project_root=${encodeURIComponent(home.project)}`)
    ).json();
    expect(JSON.stringify(listed)).toContain(sessionId);
  });

  test("a second serve names the running one and exits 1; the first is not disturbed; web prints a link that works", async () => {
    const { home, url, token, child } = await serving();
    const second = await home.runHere(["serve"]);
    expect([second.code, second.stdout]).toEqual([1, ""]);
    expect(second.stderr).toContain(`process ${child.pid}) is already running for ${home.dataDir} at ${url}`);
    expect(readFileSync(join(home.dataDir, "token"), "utf8").trim()).toBe(token);
    const web = await home.runHere(["web"]);
    expect([web.code, web.stderr]).toEqual([0, ""]);
    const answer = await fetch(`${url}/v1/exchange`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ code: web.stdout.trim().split("#code=")[1] }),
    });
    expect(await answer.json()).toEqual({ token });
  });

  test("what a killed server left is replaced, also when its pid lives on in another program or the record is broken", async () => {
    const first = await serving();
    const record = join(first.home.dataDir, "server.json");
    first.child.kill("SIGKILL");
    await first.ended;
    expect(readdirSync(first.home.dataDir)).toContain("token");
    const left = readFileSync(record, "utf8");
    const second = await serving({ home: first.home });
    // Pages that are open look for it there, with the token they hold.
    expect([second.url, second.token]).toEqual([first.url, first.token]);
    expect(readFileSync(record, "utf8")).not.toBe(left);
    await second.stop();
    writeFileSync(record, left.replace(/"pid":\d+/, `"pid":${process.pid}`));
    await (await serving({ home: first.home })).stop();
    writeFileSync(record, '{"url":"http://127.0.0.1:1/../');
    await (await serving({ home: first.home })).stop();
    expect(readdirSync(first.home.dataDir).filter((name) => /server|token/.test(name))).toEqual([]);
  });

  test("[V16] only 127.0.0.1 is listened on, and another --host is refused with the reason", async () => {
    const { home, url } = await serving();
    const port = Number(new URL(url).port);
    const others = Object.values(networkInterfaces())
      .flat()
      .filter((one) => one !== undefined && one.family === "IPv4" && !one.internal)
      .map((one) => one?.address ?? "");
    for (const address of ["127.0.0.2", ...others])
      expect([address, await knock(port, address)]).toEqual([address, "ECONNREFUSED"]);
    const hosts = ["0.0.0.0", "localhost", "::1"];
    const runs = hosts.map((host) =>
      home.runHere(["serve", "--host", host, "--data-dir", join(home.directory, "other")]),
    );
    for (const [at, refused] of (await Promise.all(runs)).entries()) {
      expect([refused.code, refused.stdout]).toEqual([2, ""]);
      expect(refused.stderr).toContain(
        `--host ${hosts[at]} is not allowed: anyone who reaches the port could run your agents`,
      );
    }
    const taken = await home.run(["serve", "--port", String(port), "--data-dir", join(home.directory, "other")]);
    expect([taken.code, taken.stderr]).toEqual([1, expect.stringContaining(`Port ${port} on 127.0.0.1 is in use`)]);
  });

  test("[V17] SIGTERM notifies every client, ends the turns and exits 0 within 2 seconds", async () => {
    const home = createHome();
    const { url, token, child, ended } = await serving({ home });
    const client = await createClient(() => connectWebSocket(url, token));
    const { sessionId } = await client.create({ ...(await defaultsOf(url, token)), title: "slow" });
    await speaking(client, sessionId, "/try slow");
    const told = new Promise((resolve) => client.onShutdown(resolve));
    const startMs = performance.now();
    child.kill("SIGTERM");
    expect(await told).toBe("the host is shutting down");
    expect(await ended).toEqual({ code: 0, signal: null });
    // Two seconds on a quiet machine; who waits for a turn or a client that does not end would wait for ten.
    expect(performance.now() - startMs).toBeLessThan(patient(8_000));
    const events = readFileSync(join(home.dataDir, "logs", `${sessionId}.jsonl`), "utf8").split("\n");
    expect(events.filter((line) => line.includes('"type":"turn_end"')).length).toBe(1);
  });

  test("a second signal ends the server at once", async () => {
    const { home, url, token, child, ended } = await serving();
    const client = await createClient(() => connectWebSocket(url, token));
    const { sessionId } = await client.create({ ...(await defaultsOf(url, token)), title: "hang" });
    await speaking(client, sessionId, "/try hang");
    // Two different ones, so that the kernel keeps both: the second comes while the first is being obeyed.
    child.kill("SIGINT");
    child.kill("SIGTERM");
    expect(await ended).toEqual({ code: 130, signal: null });
    expect(readdirSync(home.dataDir).filter((name) => /server|token/.test(name))).toEqual([]);
  });

  test("an uncaught error is reported and stops the server in order; a second one stops it at once", async () => {
    const plain = createHome();
    const home = { ...plain, env: { ...plain.env, NODE_OPTIONS: `--import=data:text/javascript,${FAULTS}` } };
    const first = await serving({ home });
    const client = await createClient(() => connectWebSocket(first.url, first.token));
    const { sessionId } = await client.create({ ...(await defaultsOf(first.url, first.token)), title: "slow" });
    await speaking(client, sessionId, "/try slow");
    const told = new Promise((resolve) => client.onShutdown(resolve));
    first.child.kill("SIGUSR2");
    expect(await told).toBe("the host is shutting down");
    expect(await first.ended).toEqual({ code: 1, signal: null });
    expect(first.printed()).toMatch(
      /roundtable: internal error; the server is stopping, and its sessions resume at the next start\.\nError: planted\n {4}at /,
    );
    const lines = readFileSync(join(home.dataDir, "logs", `${sessionId}.jsonl`), "utf8").split("\n");
    expect(lines.filter((line) => line.includes('"type":"turn_end"')).length).toBe(1);
    const second = await serving({ home });
    const other = await createClient(() => connectWebSocket(second.url, second.token));
    const hanging = await other.create({ ...(await defaultsOf(second.url, second.token)), title: "hang" });
    await speaking(other, hanging.sessionId, "/try hang");
    second.child.kill("SIGUSR2");
    second.child.kill("SIGPIPE");
    expect(await second.ended).toEqual({ code: 1, signal: null });
    expect(second.printed().match(/Error: planted/g)?.length).toBe(2);
    expect(readdirSync(home.dataDir).filter((name) => /server|token/.test(name))).toEqual([]);
  });
});

/** Loaded before the program: either signal is a promise that fails and that nobody looks at. */
const FAULTS = encodeURIComponent(
  'for (const signal of ["SIGUSR2", "SIGPIPE"]) process.on(signal, () => void Promise.reject(new Error("planted")));',
);

function knock(port: number, address: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, address);
    socket.on("connect", () => {
      socket.destroy();
      resolve("connected");
    });
    socket.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });
}

async function defaultsOf(url: string, token: string) {
  const answer = await fetch(`${url}/v1/defaults`, { headers: { authorization: `Bearer ${token}` } });
  return (await answer.json()) as Omit<Parameters<Client["create"]>[0], "title">;
}

async function speaking(client: Client, sessionId: string, text: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await client.subscribe(sessionId, { epoch: 0, seq: 0 }, (events) => {
    if (events.some((event) => event.type === "text_delta")) resolve();
  });
  await client.command(sessionId, { type: "send", text, clientMessageId: "m" });
  await promise;
}
