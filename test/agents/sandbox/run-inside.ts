/**
 * A program of its own, so that it can be another user: runs shell scripts as agents in the sandbox and writes down what
 * came of each. In and out: a line of JSON for each.
 */
import { createInterface } from "node:readline";
import { chooseProcessList } from "../../../src/agents/process/list/choose-process-list.ts";
import { spawnSupervised } from "../../../src/agents/process/supervised-process.ts";
import { prepareSandbox } from "../../../src/agents/sandbox/wrap-command.ts";
import type { Inside, Outcome } from "./inside.ts";

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await run(JSON.parse(line) as Inside))}\n`);
}

async function run({ request, program: agent, script, env, dataDir, stopAfterLine }: Inside): Promise<Outcome> {
  const command = { program: agent, cwd: request.workspace, env, dataDir };
  const prepared = await prepareSandbox(request, command);
  if (prepared.kind !== "sandboxed") return { kind: prepared.kind, reason: prepared.reason };
  const args = ["-c", script];
  const lines: string[] = [];
  const asked = Promise.withResolvers<void>();
  const spawned = await spawnSupervised({
    member: "fake",
    ...command,
    args,
    wrapped: prepared.wrap(args),
    marker: "none",
    processes: chooseProcessList(),
    onLine: (line) => {
      if (line.kind === "oversize") return;
      lines.push(line.text);
      if (line.text === stopAfterLine) asked.resolve();
    },
  });
  if (!spawned.ok) return { kind: "failed", reason: spawned.message };
  const { process: program } = spawned;
  program.endInput();
  const how = await Promise.race([
    asked.promise.then(async () => (await program.stop({ isFinal: true })).how),
    program.done.then(() => undefined),
  ]);
  const { code, signal, stderr, sandboxError: sandboxFault } = await program.done;
  const rest = { ...(how === undefined ? {} : { how }), ...(sandboxFault === undefined ? {} : { sandboxFault }) };
  return { kind: "ran", out: lines.join("\n"), err: stderr, code, signal, ...rest };
}
