/** A member whose program runs in the sandbox, from its start to its end, and one whose system has none. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { SandboxSettings } from "../../../src/agents/sandbox/sandbox.ts";
import {
  FAKES,
  markedProcesses,
  startFake,
  survivors,
  type FakeOptions,
  type FakeProbe,
} from "../process/start-fake.ts";
import { patient } from "../../patience.ts";
import { hasBwrap } from "./inside.ts";

async function start(mode: SandboxSettings["mode"], options: FakeOptions & { PATH?: string }): Promise<FakeProbe> {
  const root = mkdtempSync("/tmp/rt-agent-");
  const [dataDir, workspace, home] = ["data", "work", "home"].map((name) => path.join(root, name)) as [
    string,
    string,
    string,
  ];
  for (const directory of [dataDir, workspace, home]) mkdirSync(directory);
  const { PATH = process.env["PATH"] ?? "", fake } = options;
  const started = await startFake({
    ...options,
    dataDir,
    launch: {
      cwd: workspace,
      args: ({ isSandboxed }) => [path.join(FAKES, `${fake}.mjs`), `sandboxed=${isSandboxed}`],
      environment: { variables: { PATH, HOME: home } },
      sandbox: { settings: { mode, write: [], sockets: [] }, agent: "fake", workspace, isWritable: false },
    },
  });
  onTestFinished(async () => {
    await started.leave();
    rmSync(root, { recursive: true, force: true });
  });
  return started;
}

const guards = ({ events }: FakeProbe): unknown[] => events.filter(({ type }) => type === "member_guard");

describe.skipIf(!hasBwrap)("with bwrap", () => {
  test("a member reports its sandbox with every start, before its first turn", async () => {
    const started = await start("require", { fake: "shows-what-it-got" });
    const done = await started.run("hello");
    expect(done.outcome).toBe("completed");
    expect(started.events[0]).toEqual({ type: "member_guard", guard: "sandbox" });
    expect(started.text()).toContain('"sandboxed=true"');
    expect(started.text()).toContain('"TMPDIR":"/tmp"');
  });

  test("an interrupted member leaves nothing", async () => {
    const started = await start("require", { fake: "silent", isDeafToProtocol: true });
    const turn = started.run("wait");
    await expect
      .poll(() => markedProcesses(started.dataDir).length, { timeout: patient(5_000) })
      .toBeGreaterThanOrEqual(3);
    started.agent.interrupt();
    expect((await turn).outcome).toBe("interrupted");
    await started.agent.close();
    expect(await survivors(started.dataDir)).toEqual([]);
  });
});

describe.skipIf(process.platform !== "linux")("without bwrap", () => {
  test("a member that requires one does not start and says what to do", async () => {
    const started = await start("require", { fake: "answers", PATH: "/nonexistent" });
    const { outcome, error } = await started.run("hello");
    expect([outcome, error?.code]).toEqual(["errored", "no_sandbox"]);
    expect(error?.message).toBe("fake did not start: bwrap (bubblewrap) is not installed.");
  });

  test("a member that merely prefers one starts, and reports none", async () => {
    const started = await start("auto", { fake: "answers", PATH: "/nonexistent" });
    expect((await started.run("hello")).outcome).toBe("completed");
    expect(guards(started)).toEqual([]);
  });
});
