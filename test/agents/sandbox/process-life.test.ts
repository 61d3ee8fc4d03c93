/** Starting and stopping what runs in a sandbox, as the process layer does it. */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { chooseProcessList } from "../../../src/agents/process/list/choose-process-list.ts";
import { spawnSupervised, type SupervisedProcess } from "../../../src/agents/process/supervised-process.ts";
import { createMarker } from "../../../src/agents/process/tracking/run-marker.ts";
import { prepareSandbox, type Wrapped } from "../../../src/agents/sandbox/wrap-command.ts";
import { patient } from "../../patience.ts";
import { rounds } from "../../rounds.ts";
import { hasBwrap } from "./inside.ts";

interface Started {
  readonly process: SupervisedProcess;
  readonly firstLine: Promise<string>;
}

const processes = chooseProcessList();

async function start(
  script: string,
  { program = "/bin/sh", change = (one: Wrapped) => one } = {},
): Promise<Started | string> {
  const home = mkdtempSync("/tmp/rt-life-");
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const env = { PATH: process.env["PATH"] ?? "", HOME: home };
  const settings = { mode: "require" as const, write: [], sockets: [] };
  const request = { settings, agent: "fake", workspace: home, isWritable: false };
  const prepared = await prepareSandbox(request, { program, cwd: home, env });
  if (prepared.kind !== "sandboxed") throw new Error(prepared.reason);
  const first = Promise.withResolvers<string>();
  const args = ["-c", script];
  const spawned = await spawnSupervised({
    member: "fake",
    program,
    args,
    cwd: home,
    env,
    wrapped: change(prepared.wrap(args)),
    marker: createMarker({ dataDir: home, hostId: "1-1-proc-00000000", member: "fake" }),
    processes,
    onLine: (line) => {
      if (line.kind === "line") first.resolve(line.text);
    },
  });
  return spawned.ok ? { process: spawned.process, firstLine: first.promise } : spawned.message;
}

async function started(script: string): Promise<Started> {
  const one = await start(script);
  if (typeof one === "string") throw new Error(one);
  return one;
}

/** Seen from outside, whatever their environment says. */
function running(argument: string): number {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "latin1").split("\0")[1] === argument;
    } catch {
      // It ended while we looked.
      return false;
    }
  }).length;
}

/** A number that no other process here sleeps for. */
const unlikely = (): string => String(100_000 + process.pid + Math.floor(performance.now()));

describe.skipIf(!hasBwrap)("a program in a sandbox", () => {
  test("is asked to leave before it is killed, and daemons without an environment go with it", async () => {
    const seconds = unlikely();
    const { process: program, firstLine } = await started(
      `trap 'echo bye >&2; exit 7' TERM; env -i setsid -f sleep ${seconds}; (setsid sleep ${seconds} &) ; echo up; while :; do sleep 0.05; done`,
    );
    expect(await firstLine).toBe("up");
    await expect.poll(() => running(seconds), { timeout: patient(5_000) }).toBe(2);
    expect((await program.processTree.find()).length).toBeGreaterThanOrEqual(5);
    expect((await program.stop({ isFinal: true })).how).toBe("left");
    expect(await program.done).toMatchObject({ code: 7, stderr: expect.stringContaining("bye") as string });
    expect(running(seconds)).toBe(0);
  });

  test("is killed with all it started when it does not listen", async () => {
    const seconds = unlikely();
    const { process: program, firstLine } = await started(
      `trap '' TERM INT; (trap '' TERM; sleep ${seconds}) & echo up; wait`,
    );
    await firstLine;
    const limits = { interruptMs: 0, sigintMs: 50, sigtermMs: 50, sigkillMs: 5_000 };
    expect(await program.stop({ limits })).toEqual({ how: "killed", left: [] });
    expect((await program.done).signal).toBe("SIGKILL");
    expect(running(seconds)).toBe(0);
  });

  test("leaves nothing when it ends by itself, and tells by which signal", async () => {
    const seconds = unlikely();
    const { process: program } = await started(`env -i setsid -f sleep ${seconds}; kill -USR1 $$`);
    expect(await program.done).toMatchObject({ code: undefined, signal: "SIGUSR1" });
    await expect.poll(() => running(seconds), { timeout: patient(5_000) }).toBe(0);
  });

  test("that is stopped the moment it was started leaves nothing", async () => {
    const seconds = unlikely();
    const limits = { interruptMs: 0, sigintMs: 0, sigtermMs: 0, sigkillMs: 5_000 };
    for (let round = 0; round < rounds(8, 300); round += 1) {
      const { process: program } = await started(`setsid -f sleep ${seconds}; sleep ${seconds}`);
      expect((await program.stop({ limits, isFinal: true })).left).toEqual([]);
    }
    await expect.poll(() => running(seconds), { timeout: patient(5_000) }).toBe(0);
  });

  test("ends with the host that started it, however that ends", async () => {
    const seconds = unlikely();
    const host = spawn(process.execPath, [path.join(import.meta.dirname, "run-inside.ts")], {
      stdio: ["pipe", "ignore", "inherit"],
    });
    const workspace = mkdtempSync("/tmp/rt-life-");
    onTestFinished(() => rmSync(workspace, { recursive: true, force: true }));
    const settings = { mode: "require", write: [], sockets: [] };
    const inside = {
      request: { settings, agent: "fake", workspace, isWritable: false },
      program: "/bin/sh",
      script: `env -i setsid -f sleep ${seconds}; sleep ${seconds}`,
      env: { PATH: process.env["PATH"], HOME: workspace },
    };
    host.stdin.write(`${JSON.stringify(inside)}\n`);
    await expect.poll(() => running(seconds), { timeout: patient(10_000) }).toBe(2);
    host.kill("SIGKILL");
    await expect.poll(() => running(seconds), { timeout: patient(5_000) }).toBe(0);
  });

  test("that cannot be started says why, and an agent's own failure is told apart", async () => {
    const broken = await start("echo never", {
      change: (one) => ({ ...one, args: one.args.toSpliced(-4, 0, "--tmpfs", "/proc/none/x") }),
    });
    expect(broken).toMatch(/^fake did not start: its sandbox could not be set up \(.*\/proc\/none.*\)\.$/s);
    const missing = await start("", { program: "/nonexistent/agent" });
    const fault = typeof missing === "string" ? missing : (await missing.process.done).sandboxError;
    expect(fault).toContain("/nonexistent/agent");
    const { process: own } = await started("echo 'bwrap: no' >&2; exit 1");
    expect(await own.done).toEqual({ code: 1, signal: undefined, isDrained: true, stderr: "bwrap: no" });
  });
});
