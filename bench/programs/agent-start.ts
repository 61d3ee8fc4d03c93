/**
 * `agent-start.ts plain | sandboxed`: time from the start of an agent's program to its first line. The program prints
 * at once, so only the start is measured; the sandbox is probed before, as in a running server.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { chooseProcessList } from "../../src/agents/process/list/choose-process-list.ts";
import { spawnSupervised } from "../../src/agents/process/supervised-process.ts";
import { prepareSandbox } from "../../src/agents/sandbox/wrap-command.ts";

const isSandboxed = process.argv[2] === "sandboxed";
const root = mkdtempSync(path.join(homedir(), ".roundtable-bench-"));
const [home, workspace] = [path.join(root, "home"), path.join(root, "work")];
for (const directory of [home, workspace]) mkdirSync(directory);
execFileSync("git", ["init", "-q", workspace]);
const env = { PATH: process.env["PATH"] ?? "", HOME: home };
const command = { program: "/bin/sh", cwd: workspace, env, dataDir: path.join(root, "data") };
const settings = { mode: isSandboxed ? ("require" as const) : ("off" as const), write: [], sockets: [] };
const request = { settings, agent: "claude", workspace, isWritable: true };

async function start(): Promise<number> {
  const began = performance.now();
  const prepared = await prepareSandbox(request, command);
  if (isSandboxed && prepared.kind !== "sandboxed") throw new Error(`there is no sandbox here: ${prepared.kind}`);
  const args = ["-c", "echo ready"];
  const first = Promise.withResolvers<number>();
  const spawned = await spawnSupervised({
    member: "bench",
    ...command,
    args,
    ...(prepared.kind === "sandboxed" ? { wrapped: prepared.wrap(args) } : {}),
    marker: "none",
    processes: chooseProcessList(),
    onLine: () => first.resolve(performance.now() - began),
  });
  if (!spawned.ok) throw new Error(spawned.message);
  const ms = await first.promise;
  spawned.process.endInput();
  await spawned.process.done;
  return ms;
}

try {
  await start();
  process.stdout.write(`${JSON.stringify({ ms: await start() })}\n`);
} finally {
  rmSync(root, { recursive: true, force: true });
}
