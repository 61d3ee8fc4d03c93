/** What is done before a program takes up an earlier session. */
import path from "node:path";
import { expect, test } from "vitest";
import type { AcpProgram } from "../../../src/agents/drivers/acp/programs/program.ts";
import { createAcpProcessAgent } from "../../../src/agents/drivers/acp/acp-process-agent.ts";
import type { Agent } from "../../../src/agents/index.ts";
import { FAKES, makeDataDir, removeDataDir, shortLimits } from "../process/start-fake.ts";
import { startAgent } from "../agent-probe.ts";

function createWaiting(dataDir: string, waitMs: number): Agent {
  return createLoading(dataDir, { canSteer: false, waitMs: () => waitMs });
}

function createLoading(dataDir: string, program: AcpProgram): Agent {
  const command = { command: process.execPath, args: [path.join(FAKES, "acp.mjs")], program };
  const setup = { sessionId: "session", cwd: dataDir, writable: false, nativeSessionId: "fake-session-1" };
  return createAcpProcessAgent({ name: "member", kind: "acp" }, setup, command, { limits: shortLimits });
}

test("reports the wait and resumes the session after it", async () => {
  const dataDir = makeDataDir();
  const probe = await startAgent(createWaiting(dataDir, 50));
  expect((await probe.run("hello")).outcome).toBe("completed");
  expect(probe.events[0]).toEqual({
    type: "warning",
    code: "waiting",
    message: "member cannot resume its session in the same minute it was created; it continues in 0.1 s.",
  });
  await probe.agent.close();
  removeDataDir(dataDir);
});

test("an interrupt and a close end the wait at once", async () => {
  const dataDir = makeDataDir();
  for (const end of ["interrupt", "close"] as const) {
    const probe = await startAgent(createWaiting(dataDir, 3_600_000));
    probe.ask("hello");
    await probe.next("warning");
    await probe.agent[end]();
    expect((await probe.next("turn_done")).outcome).toBe("interrupted");
    await probe.agent.close();
  }
  removeDataDir(dataDir);
});

test("a stored session is put in order before its program starts and when it has taken it up", async () => {
  const dataDir = makeDataDir();
  const tidied: string[] = [];
  const program: AcpProgram = { canSteer: false, cleanUpSession: (sessionId) => void tidied.push(sessionId) };
  const probe = await startAgent(createLoading(dataDir, program));
  expect((await probe.run("hello")).outcome).toBe("completed");
  expect(tidied).toEqual(["fake-session-1", "fake-session-1"]);
  await probe.agent.close();
  removeDataDir(dataDir);
});
