/** The server that a screen starts by itself: one, outliving the screen, gone when nobody needs it. */
import { connected } from "../tui/test-terminal.ts";
import { mkdirSync, readFileSync, statSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { connectWebSocket, createClient, type Client } from "../../src/client/index.ts";
import { findServer } from "../../src/server/index.ts";
import { mainFile } from "../cli/program.ts";
import { packedTestProgram } from "../packed-program.ts";
import { patient } from "../patience.ts";
import { createLoneHome, isAlive, until, type LoneHome } from "./lone-home.ts";

const ENTER = "\r";
const START_MS = patient(30_000);
const reachProgram = await packedTestProgram("reach-program");

async function attached(home: LoneHome): Promise<Client> {
  const url = home.record()?.url ?? "";
  return await createClient(() => connectWebSocket(url, home.token()));
}

// By itself, so that all of them really come at once.
test("twenty clients that need it at once start exactly one, over the remains of a start that was killed, too", async () => {
  const home = createLoneHome();
  mkdirSync(home.dataDir, { recursive: true, mode: 0o700 });
  writeFileSync(join(home.dataDir, "server.starting"), "4194304 gone\n");
  const atTs = String(Date.now() + 2_000);
  const runs = Array.from({ length: 5 }, () =>
    home.run([home.dataDir, home.project, "4", atTs, mainFile, String(START_MS)], { program: reachProgram }),
  );
  const found = (await Promise.all(runs)).flatMap(({ stdout }) => JSON.parse(stdout) as unknown[]);
  expect(found).toEqual(Array.from({ length: 20 }, () => ({ ...home.record(), token: home.token() })));
  const starts = readFileSync(join(home.dataDir, "server.log"), "utf8").trim().split("\n");
  expect(starts).toEqual([expect.stringContaining(`process ${home.record()?.pid}`)]);
  expect(home.servers()).toEqual([home.record()?.pid]);
});

describe.concurrent("the background server", () => {
  test("the first screen starts it, the next joins it, members and queue keep it after both have left, and idle ends it", async (context) => {
    const home = createLoneHome(context);
    const first = home.terminal([], { ROUNDTABLE_IDLE: "1" });
    await first.sees(connected);
    const pid = home.record()?.pid ?? 0;
    expect(home.servers()).toEqual([pid]);
    first.type(`@scout /try hang${ENTER}`);
    await first.sees("I hang now.");
    const second = home.terminal(["chat"]);
    await second.sees("I hang now.");
    await second.sees(/ scout · \d+:\d\d · Esc /);
    for (const screen of [first, second]) {
      screen.type(`/quit${ENTER}`);
      await screen.sees("Detached. scout keeps working. To come back: roundtable -c");
      await screen.sees("exit 0");
    }
    await twoIdleTimes();
    expect(home.servers()).toEqual([pid]);
    const client = await attached(home);
    const [{ sessionId } = { sessionId: "" }] = await client.list();
    const queued = await client.command(sessionId, { type: "queue_add", text: "later", clientMessageId: "q" });
    const { messageId } = (queued.ok ? queued.result : {}) as { messageId: string };
    // What waits is held after an interrupt until somebody writes again.
    expect(await client.command(sessionId, { type: "interrupt", scope: "all" })).toMatchObject({ ok: true });
    client.close();
    await twoIdleTimes();
    expect(home.servers()).toEqual([pid]);
    const again = await attached(home);
    expect(await again.command(sessionId, { type: "queue_remove", messageId })).toMatchObject({ ok: true });
    const token = home.token();
    again.close();
    await until("the server ends by itself", () => !isAlive(pid));
    expect(home.record()).toBe(undefined);
    const log = readFileSync(join(home.dataDir, "server.log"), "utf8");
    expect(log).toMatch(
      /^\S+ roundtable: version \S+ serves .+ at http:\S+, process \d+\.\n\S+ roundtable: process \d+ exited\.\n$/,
    );
    expect(log).not.toContain(token);
    expect(statSync(join(home.dataDir, "server.log")).mode & 0o777).toBe(0o600);
  });

  test("after a kill -9 of the server the next screen starts another, which settles the turn that was cut", async (context) => {
    const home = createLoneHome(context);
    const first = home.terminal();
    await first.sees(connected);
    first.type(`@scout /try hang${ENTER}`);
    await first.sees("I hang now.");
    const pid = home.record()?.pid ?? 0;
    process.kill(pid, "SIGKILL");
    await until("it is gone", () => !isAlive(pid));
    expect(home.record()?.pid).toBe(pid);
    const second = home.terminal(["chat"]);
    await second.sees(connected);
    await second.sees("I hang now.");
    expect(home.servers()).toEqual([home.record()?.pid]);
    expect(home.record()?.pid).not.toBe(pid);
    const client = await attached(home);
    const [session] = await client.list();
    expect(session).toMatchObject({ status: "interrupted", turns: 1 });
    client.close();
  });

  test("a screen that cannot start one reports why and hosts the session itself", async (context) => {
    const home = createLoneHome(context);
    mkdirSync(join(home.dataDir, "server.log"), { recursive: true, mode: 0o700 });
    const seen = home.terminal();
    await seen.sees(connected);
    const text = await seen.sees("the background server did not start");
    expect(text.replaceAll(/\s+/g, " ")).toContain("the background server did not start: EISDIR");
    expect(home.servers()).toEqual([]);
    seen.type(`/quit${ENTER}`);
    await seen.sees("exit 0");
  });

  test("the end of the terminal ends the screen and not the server, whose log never grows beyond 1 MiB", async (context) => {
    const home = createLoneHome(context);
    mkdirSync(home.dataDir, { recursive: true, mode: 0o700 });
    const log = join(home.dataDir, "server.log");
    writeFileSync(log, "x".repeat(1024 * 1024 - 10));
    const seen = home.terminal();
    await seen.sees(connected);
    const screen = Number(readFileSync(`/proc/${seen.pid}/task/${seen.pid}/children`, "utf8").trim());
    const pid = home.record()?.pid ?? 0;
    // The shell dies, and with it the terminal: the kernel tells everybody in it.
    seen.close();
    await until("the screen has ended", () => !isAlive(screen));
    expect(isAlive(pid)).toBe(true);
    expect((await fetch(`${home.record()?.url}/v1/health`)).status).toBe(200);
    expect(readFileSync(log, "utf8")).toMatch(/^Earlier lines were dropped: the log was full\.\n.* serves /);
    truncateSync(log, 1024 * 1024);
    process.kill(pid, "SIGTERM");
    await until("the server has ended", () => !isAlive(pid));
    expect(readFileSync(log, "utf8")).toMatch(/^Earlier lines were dropped: the log was full\.\n.* exited\.\n$/);
  });
});

async function twoIdleTimes(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 2_000));
}

describe.concurrent("the record", () => {
  test("a record whose pid was given to a younger program is replaced, even when another server answers at its address", async (context) => {
    const [home, other] = [createLoneHome(context), createLoneHome(context)];
    const { url, child } = await other.serving();
    mkdirSync(home.dataDir, { recursive: true, mode: 0o700 });
    const file = join(home.dataDir, "server.json");
    const stale = { url, pid: child.pid, version: other.record()?.version };
    writeFileSync(file, JSON.stringify(stale));
    writeFileSync(join(home.dataDir, "token"), "of-a-dead-server\n");
    const longAgo = Date.now() / 1000 - 3_600;
    utimesSync(file, longAgo, longAgo);
    const seen = home.terminal();
    await seen.sees(connected);
    expect(home.servers()).toEqual([home.record()?.pid]);
    expect(home.record()?.url).not.toBe(url);
    expect(other.servers()).toEqual([child.pid]);
  });

  test("a server that is busy for some seconds does not count as dead", async (context) => {
    const home = createLoneHome(context);
    const { child } = await home.serving();
    child.kill("SIGSTOP");
    const goOn = setTimeout(() => child.kill("SIGCONT"), 3_000);
    expect(await findServer(home.dataDir)).toEqual({ ...home.record(), token: home.token() });
    clearTimeout(goOn);
    child.kill("SIGCONT");
  });

  test("a server stays known when the clock is set; a screen of another version learns which is older and what to do", async (context) => {
    const home = createLoneHome(context);
    const { url, child } = await home.serving();
    const longAgo = Date.now() / 1000 - 3_600;
    utimesSync(join(home.dataDir, "server.json"), longAgo, longAgo);
    await home.terminal().sees(connected);
    const file = join(home.dataDir, "server.json");
    const record = readFileSync(file, "utf8");
    const says = async (version: string) => {
      writeFileSync(file, record.replace(/"version":"[^"]*"/, `"version":"${version}"`));
      const seen = home.terminal();
      return (await seen.sees("exit 1")).replaceAll("\n", "");
    };
    const mine = home.record()?.version;
    expect(await says("0.0.9")).toContain(
      `roundtable: the server at ${url} runs version 0.0.9, older than this program (${mine}). Stop it (kill ${child.pid}) and start roundtable again.`,
    );
    expect(await says("77.0.1")).toContain(
      `roundtable: the server at ${url} runs version 77.0.1, newer than this program (${mine}). Update this program.`,
    );
  });
});
