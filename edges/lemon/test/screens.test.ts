/** Assumptions of other programs' screens beyond the format. */
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { createHome, mainFile, type Home } from "../../../test/cli/program.ts";
import { RpcClient } from "./rpc-client.ts";

const homes: Home[] = [];
const clients: RpcClient[] = [];

function newHome(): Home {
  const home = createHome();
  homes.push(home);
  return home;
}

function open(home: Home, args: readonly string[] = []): RpcClient {
  const client = new RpcClient(home, args);
  clients.push(client);
  return client;
}

afterEach(async () => {
  for (const client of clients.splice(0)) {
    expect(client.wrong).toStrictEqual([]);
    if (client.child.exitCode === null) client.child.kill("SIGKILL");
    await client.exit;
  }
  for (const home of homes.splice(0)) rmSync(home.directory, { recursive: true, force: true });
});

test("after a reset nothing of the stopped turns is sent, and the session and its counts start empty on the screen", async () => {
  const client = open(newHome());
  client.send({ type: "prompt", text: "/try slow 200" });
  const { session_id: id } = await client.next("session_started");
  await client.event("message_update");
  client.send({ type: "reset" });
  client.send({ type: "prompt", text: "/try silence" });
  await client.next("session_started");
  const at = client.lines.findLastIndex((line) => line.type === "session_started");
  await client.event("agent_end");
  client.send({ type: "stats" });
  expect((await client.next("stats")).stats).toMatchObject({ session_id: id, message_count: 2, turn_count: 1 });
  const types = client.lines.map((line) => (line.type === "event" ? line.event.type : line.type));
  expect(types.slice(at - 2, at + 3)).toStrictEqual([
    "message_update",
    "agent_end",
    "session_started",
    "active_session",
    "agent_start",
  ]);
  expect(client.session().messages.flatMap((one) => (one.role === "user" ? [one.content] : []))).toStrictEqual([
    "/try silence",
  ]);
  client.send({ type: "reset" });
  client.send({ type: "stats" });
  expect((await client.next("stats")).stats).toMatchObject({ message_count: 0, turn_count: 0 });
  expect(client.lines.at(-1)?.type).toBe("stats");
});

test("a script named mix, as the docs have it, is what a screen starts, and its reader finds whole lines", async () => {
  const home = newHome();
  const [, script = ""] =
    /```sh\n(#!\/bin\/sh\n[\s\S]*?)```/.exec(readFileSync("edges/lemon/docs/protocol.md", "utf8")) ?? [];
  const bin = join(home.directory, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "mix"), script);
  writeFileSync(join(bin, "roundtable"), `#!/bin/sh\nexec "${process.execPath}" "${mainFile}" "$@"\n`);
  for (const name of ["mix", "roundtable"]) chmodSync(join(bin, name), 0o755);
  const args = [
    "run",
    "--no-start",
    "scripts/debug_agent_rpc.exs",
    "--",
    "--cwd",
    home.project,
    "--system_prompt",
    "Be kind.",
  ];
  const child = spawn(join(bin, "mix"), args, {
    env: { ...home.env, PATH: `${bin}:${home.env["PATH"] ?? ""}` },
    stdio: "pipe",
  });
  try {
    const said = "one\u2028two\u2029three";
    const found: string[] = [];
    for await (const line of createInterface({ input: child.stdout, crlfDelay: Infinity })) {
      const { type, event } = JSON.parse(line) as {
        type: string;
        event?: { type: string; data?: { content?: unknown }[] };
      };
      if (type === "ready") child.stdin.write(`${JSON.stringify({ type: "prompt", text: said })}\n`);
      if (event?.type === "message_start") found.push(JSON.stringify(event.data?.[0]?.content));
      if (event?.type === "agent_end") child.stdin.end(`{"type":"quit"}\n`);
    }
    expect(found[0]).toBe(JSON.stringify(said));
  } finally {
    child.kill("SIGKILL");
  }
});

test("an unknown model named by a screen means the default members, at the start and for a session", async () => {
  const home = newHome();
  home.env["PATH"] = join(home.directory, "nothing");
  const model = "anthropic:claude-sonnet-4-20250514";
  const client = open(home, ["--model", model]);
  const table = { provider: "roundtable", id: "scout" };
  expect((await client.next("ready")).model).toStrictEqual(table);
  client.send({ type: "start_session", cwd: home.project, model });
  const { session_id, ...started } = await client.next("session_started");
  expect(started.model).toStrictEqual(table);
  client.send({ type: "list_running_sessions" });
  expect((await client.next("running_sessions")).sessions).toStrictEqual([
    { session_id, cwd: home.project, is_streaming: false, model: table },
  ]);
  client.send({ type: "list_sessions" });
  expect((await client.next("sessions_list")).sessions).toMatchObject([{ id: session_id, model: table }]);
  client.send({ type: "start_session", cwd: home.project, model: "codex:some" });
  expect((await client.next("error")).message).toContain("there is no codex on this machine");
  const named = open(home, ["--model", "roundtable:critic"]);
  named.send({ type: "start_session", cwd: join(home.project, "src") });
  expect((await named.next("session_started")).model).toStrictEqual({ provider: "roundtable", id: "critic" });
  client.send({ type: "set_config", key: "frobnicate", value: false });
  expect((await client.next("error")).message).toBe("unknown config key: frobnicate");
});
