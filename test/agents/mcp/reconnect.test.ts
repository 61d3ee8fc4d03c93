/** How often a tool server that cannot be had is tried again. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { McpConnection } from "../../../src/agents/model/mcp/connection.ts";
import { createProcessRecords } from "../../../src/agents/process/tracking/process-records.ts";
import { chooseProcessList } from "../../../src/agents/process/list/choose-process-list.ts";
import { createHandClock } from "../hand-clock.ts";
import { makeDataDir, removeDataDir, survivors } from "../process/start-fake.ts";
import { patient } from "../../patience.ts";

/** A server that answers the handshake; `onList` runs when its tools are asked for. */
const ANSWERING = (onList: string, capabilities = "{ tools: {} }"): string => `
  const say = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (method === "initialize")
      say(id, { protocolVersion: params.protocolVersion, capabilities: ${capabilities}, serverInfo: { name: "x", version: "1" } });
    if (method === "tools/list") { ${onList}; say(id, { tools: [] }); }
  });`;

function connectionTo(script: string) {
  const dataDir = makeDataDir();
  onTestFinished(() => removeDataDir(dataDir));
  const hand = createHandClock();
  const processes = chooseProcessList();
  let looks = 0;
  const rows = async () => {
    const found = await processes.rows();
    looks += 1;
    return found;
  };
  const connection = new McpConnection({
    name: "broken",
    server: { command: [process.execPath, "-e", `require("node:fs").appendFileSync("starts", "x"); ${script}`] },
    member: "local",
    cwd: dataDir,
    records: createProcessRecords({ dataDir, processes: { ...processes, rows } }),
    env: { PATH: process.env["PATH"] },
    clock: hand,
  });
  onTestFinished(() => connection.close());
  const starts = (): number => readFileSync(path.join(dataDir, "starts"), "utf8").length;
  return { dataDir, hand, connection, starts, looks: () => looks };
}

test("a server that fails is tried again three times in a minute and not more, and not after the member left", async () => {
  const { dataDir, hand, connection, starts } = connectionTo("process.exit(1)");
  const settled = (count: number) =>
    vi.waitFor(() => expect([starts(), hand.waiting()]).toEqual([count, 1]), {
      timeout: patient(30_000),
      interval: 10,
    });
  await connection.connect();
  expect(connection.state).toMatchObject({ is: "failed" });
  for (const [pauseMs, count] of [
    [0, 2],
    [1_000, 3],
    [2_000, 4],
  ] as const) {
    hand.advance(pauseMs);
    await settled(count);
  }
  hand.advance(50_000);
  expect([starts(), hand.waiting()]).toEqual([4, 1]);
  hand.advance(10_000);
  await settled(5);
  await connection.close();
  expect(hand.waiting()).toBe(0);
  expect(await survivors(dataDir)).toEqual([]);
});

test("what a tool server has started is ended when the server dies, also what left its group and has no mark", async () => {
  const { dataDir, connection, looks } = connectionTo(
    `const child = require("node:child_process").spawn("/bin/sleep", ["600"], { detached: true, env: {}, stdio: "ignore" });
    require("node:fs").writeFileSync("pids", process.pid + " " + child.pid); ${ANSWERING("")}`,
  );
  await connection.connect();
  expect(connection.state).toEqual({ is: "ready" });
  await vi.waitFor(() => expect(looks()).toBeGreaterThan(0), { timeout: patient(20_000), interval: 10 });
  const [server = 0, child = 0] = readFileSync(path.join(dataDir, "pids"), "utf8").split(" ").map(Number);
  process.kill(server, "SIGKILL");
  await vi.waitFor(() => expect(() => process.kill(child, 0)).toThrow("ESRCH"), {
    timeout: patient(20_000),
    interval: 20,
  });
});

test("a tool server that dies while listing its tools is restarted once, not twice", async () => {
  const { hand, connection, starts, dataDir } = connectionTo(
    ANSWERING(`if (require("node:fs").readFileSync("starts", "utf8").length === 1) process.exit(1)`),
  );
  await connection.connect();
  expect([connection.state.is, hand.waiting()]).toEqual(["failed", 1]);
  hand.advance(0);
  await vi.waitFor(() => expect(connection.state.is).toBe("ready"), { timeout: patient(30_000), interval: 10 });
  expect([starts(), hand.waiting()]).toEqual([2, 0]);
  await connection.close();
  expect(await survivors(dataDir)).toEqual([]);
});

test("a tool server without tools is connected to, and nothing of it is written to our own output", async () => {
  const said = vi.spyOn(console, "debug").mockImplementation(() => undefined);
  onTestFinished(() => said.mockRestore());
  const { connection } = connectionTo(ANSWERING("", "{}"));
  await connection.connect();
  expect([connection.state.is, connection.tools, said.mock.calls]).toEqual(["ready", [], []]);
});
