/**
 * A program of its own, so that it can be another user: runs one shell script as an agent in the sandbox and writes down
 * what came of it. In: one JSON object on standard input; out: one on standard output.
 */
import { readFileSync } from "node:fs";
import { chooseProcessTable } from "../../../src/agents/process/process-table.ts";
import { spawnSupervised } from "../../../src/agents/process/supervised-process.ts";
import { prepareSandbox } from "../../../src/agents/sandbox/wrap-command.ts";
import type { Inside, Outcome } from "./inside.ts";

const { request, script, env, dataDir, stopAfterLine } = JSON.parse(readFileSync(0, "utf8")) as Inside;
process.stdout.write(JSON.stringify(await run()));

async function run(): Promise<Outcome> {
  const command = { program: "/bin/sh", cwd: request.workspace, env, dataDir };
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
    table: chooseProcessTable(),
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
  const { code, signal, stderr, sandboxFault } = await program.done;
  const rest = { ...(how === undefined ? {} : { how }), ...(sandboxFault === undefined ? {} : { sandboxFault }) };
  return { kind: "ran", out: lines.join("\n"), err: stderr, code, signal, ...rest };
}
