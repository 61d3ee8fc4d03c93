/** The same faults on a real system: a small tmpfs, and system calls that strace makes fail. Skipped, with the reason, where not allowed. */
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { newId } from "../../src/kit/ids.ts";
import { checkLog, openFileLog, openLogReader, sessionPaths, type StoreReport } from "../../src/log/index.ts";
import { packedTestProgram } from "../packed-program.ts";
import { delta, message, readAll } from "./drafts.ts";

const PROGRAM = await packedTestProgram("append-program");

interface Fact {
  open?: number;
  ack?: number[];
  state?: string;
  done?: number;
}

const directories: string[] = [];
afterAll(() => directories.forEach((directory) => rmSync(directory, { recursive: true, force: true })));

function temporaryDirectory(): string {
  // Links resolved: strace knows a file by the name that the system has for it.
  const directory = mkdtempSync(join(realpathSync(tmpdir()), "roundtable-disk-"));
  directories.push(directory);
  return directory;
}

function whyNoMount(): string | undefined {
  if (process.platform !== "linux") return "only Linux has tmpfs";
  if (process.getuid?.() !== 0) return "only root may mount";
  const directory = mkdtempSync(join(tmpdir(), "roundtable-mount-"));
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", directory]);
  if (mounted.status === 0) spawnSync("umount", [directory]);
  rmSync(directory, { recursive: true });
  return mounted.status === 0 ? undefined : `mount says: ${String(mounted.stderr ?? mounted.error)}`;
}

function whyNoStrace(): string | undefined {
  const probe = spawnSync("strace", ["-f", "-qq", "-o", "/dev/null", "-e", "inject=write:error=EIO:when=1", "true"]);
  return probe.status === 0 ? undefined : `strace does not run here: ${String(probe.error ?? probe.stderr)}`;
}

const noMount = whyNoMount();
const noStrace = whyNoStrace();
for (const [what, why] of [
  ["tmpfs", noMount],
  ["strace", noStrace],
] as const) {
  if (why !== undefined) console.log(`skipped: ${what} tests of the log, because ${why}`);
}

/** Runs the program, under strace when faults are given, and returns what it said. */
async function run(
  dataDir: string,
  sessionId: string,
  count: number,
  faults: readonly string[] = [],
): Promise<{ facts: Fact[]; stderr: string }> {
  const { log } = sessionPaths(dataDir, sessionId);
  const tracing =
    faults.length === 0
      ? []
      : ["strace", "-f", "-qq", "-o", "/dev/null", "-P", log, ...faults.flatMap((fault) => ["-e", `inject=${fault}`])];
  const [command, ...args] = [...tracing, process.execPath, PROGRAM, dataDir, sessionId, String(count)];
  const child = spawn(command, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, UV_THREADPOOL_SIZE: "1" },
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  await new Promise((resolve) => child.on("close", resolve));
  const whole = stdout.slice(0, stdout.lastIndexOf("\n") + 1);
  return {
    facts: whole
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Fact),
    stderr,
  };
}

/** Every acknowledged seq is in the log, which is whole, without gaps. */
async function expectStored(dataDir: string, sessionId: string, facts: readonly Fact[]): Promise<void> {
  const log = await openFileLog({ dataDir, sessionId });
  const seqs = (await readAll(log)).map(({ seq }) => seq);
  await log.close();
  expect(seqs).toEqual(Array.from({ length: seqs.length }, (_, i) => i + 1));
  const acknowledged = facts.flatMap(({ ack = [] }) => ack);
  expect(acknowledged.filter((seq) => !seqs.includes(seq))).toEqual([]);
  expect((await checkLog({ dataDir, sessionId })).whole).toBe(true);
}

describe.skipIf(noMount !== undefined)("a real disk of 64 KiB", () => {
  test("[L21] fills up, reports it, and continues when space returns", async ({ onTestFinished }) => {
    const dataDir = temporaryDirectory();
    spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", dataDir]);
    onTestFinished(() => void spawnSync("umount", [dataDir]));
    const sessionId = newId();
    const log = await openFileLog({ dataDir, sessionId });
    const reports: StoreReport[] = [];
    const told = Promise.withResolvers<void>();
    log.onStore((report) => {
      reports.push(report);
      told.resolve();
    });
    writeFileSync(join(dataDir, "ballast"), Buffer.alloc(30_000));
    const appended = Array.from({ length: 40 }, (_, i) =>
      log.append([i % 2 === 0 ? message("m".repeat(1000)) : delta("d".repeat(1000))]),
    );
    await told.promise;
    expect(reports[0]).toMatchObject({ state: "full" });
    expect(readFileSync(sessionPaths(dataDir, sessionId).log).at(-1) ?? 0x0a).toBe(0x0a);
    rmSync(join(dataDir, "ballast"));
    await Promise.all(appended.map(({ committed }) => committed));
    await log.flush().catch(() => undefined);
    const all = await readAll(log);
    expect(all.slice(0, 40)).toEqual(appended.flatMap(({ events }) => events));
    expect(all.slice(40).map(({ type }) => type)).toEqual(["read_only"]);
    await log.close();
    expect((await checkLog({ dataDir, sessionId })).whole).toBe(true);
  });
});

describe.skipIf(noStrace !== undefined).concurrent("system calls that fail", () => {
  test.each([
    ["ENOSPC on three writes", ["write,pwrite64:error=ENOSPC:when=3..5"], "full"],
    ["EIO on a write", ["write,pwrite64:error=EIO:when=2"], "read-only"],
    ["EDQUOT on a write", ["write,pwrite64:error=EDQUOT:when=4"], "full"],
    ["a failed fdatasync", ["fdatasync:error=EIO:when=3"], "read-only"],
    ["two failed fdatasyncs", ["fdatasync:error=EIO:when=3..4"], "read-only"],
    ["an fdatasync of 1.2 s", ["fdatasync:delay_enter=1200000:when=3"], "slow"],
  ])("%s: reported, nothing lost, recovers", async (_name, faults, state) => {
    const dataDir = temporaryDirectory();
    const sessionId = newId();
    const { facts, stderr } = await run(dataDir, sessionId, 8, faults);
    expect(stderr).toBe("");
    expect(facts.flatMap((fact) => fact.state ?? [])).toEqual([state, "ok"]);
    expect(facts.at(-1)?.done).toBeGreaterThanOrEqual(16);
    await expectStored(dataDir, sessionId, facts);
  });

  test.each(["write", "fdatasync"])(
    "[L10] killed at the n-th %s of the log, for every n until it ends untouched",
    async (call) => {
      for (let n = 1; ; n++) {
        const dataDir = temporaryDirectory();
        const sessionId = newId();
        const { facts } = await run(dataDir, sessionId, 4, [`${call}:signal=SIGKILL:when=${n}`]);
        const ended = facts.some(({ done }) => done !== undefined);
        if (facts.length > 0) await expectStored(dataDir, sessionId, facts);
        if (ended) {
          expect(n).toBeGreaterThan(4);
          break;
        }
      }
    },
  );
});

test.concurrent("[L25] a data directory renamed while running, on a real disk: read-only, then on again", async () => {
  const parent = temporaryDirectory();
  const dataDir = join(parent, "data");
  mkdirSync(dataDir);
  const sessionId = newId();
  const log = await openFileLog({ dataDir, sessionId });
  await log.append([message("here")]).committed;
  renameSync(dataDir, join(parent, "moved"));
  const states: string[] = [];
  const told = Promise.withResolvers<void>();
  log.onStore(({ state }) => {
    states.push(state);
    told.resolve();
  });
  const { committed } = log.append([message("waiting")]);
  await told.promise;
  renameSync(join(parent, "moved"), dataDir);
  await committed;
  expect(states[0]).toBe("read-only");
  await log.close();
  const reader = await openLogReader({ dataDir, sessionId });
  expect((await readAll(reader)).map(({ type }) => type)).toEqual(["user_message", "user_message", "read_only"]);
  await reader.close();
});
