/** A whole table of agent programs whose host is started again: each program gets its own session back, or everything is told anew. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { createAgents } from "../../src/agents/index.ts";
import type { MemberSpec, SessionEvent } from "../../src/protocol/index.ts";
import { connect, listen, newDataDir, openHost, until, type Received } from "../host/open-host.ts";
import { USD_LIMIT } from "../../src/protocol/index.ts";
import { SETTINGS } from "../host/scripted-agent.ts";

const FAKES = path.join(import.meta.dirname, "fakes");
const fake = (name: string, ...args: string[]): string[] => [process.execPath, path.join(FAKES, name), ...args];

const answered = ({ events }: Received): number =>
  events.filter((event) => event.type === "message_delivery" && event.state === "answered").length;

test("after a host restart each program resumes its session; one that lost it gets the conversation", async () => {
  const dataDir = newDataDir();
  const log = (name: string): string => path.join(dataDir, `${name}.log`);
  const members: MemberSpec[] = [
    { name: "ann", kind: "claude", command: fake("claude.mjs", `--log=${log("claude")}`) },
    { name: "bob", kind: "codex", command: fake("codex.mjs", `log=${log("codex")}`) },
    { name: "cid", kind: "pi", command: fake("pi.mjs", `--log=${log("pi")}`) },
    { name: "dot", kind: "acp", command: fake("acp.mjs", "--digest", "--log", log("acp")) },
  ];
  const names = members.map(({ name }) => name);
  const agents = createAgents({ dataDir });
  const first = await openHost(dataDir, { agentFactory: agents.factory });
  const before = await connect(first);
  const settings = { ...SETTINGS, order: names, limits: { ...SETTINGS.limits, usd: USD_LIMIT } };
  const { sessionId } = await before.create({ cwd: dataDir, title: "test", settings, members });
  const received = await listen(before, sessionId);
  await before.command(sessionId, { type: "send", text: "the word is teapot", clientMessageId: "m1" });
  await until("the first answers", () => answered(received) === 4);
  await first.close();

  const second = await openHost(dataDir, { agentFactory: createAgents({ dataDir }).factory });
  const after = await connect(second);
  const read = await listen(after, sessionId);
  await after.command(sessionId, { type: "send", text: "and now", clientMessageId: "m2" });
  await until("the second answers", () => answered(read) === 8);

  const sessions = new Map(
    read.events.flatMap((event) => (event.type === "member_session" ? [[event.member, event.nativeSessionId]] : [])),
  );
  const starts = (name: string): string[] => argumentsIn(log(name)).map((argv) => argv.join(" "));
  expect(starts("claude")[1]).toContain(`--resume=${sessions.get("ann") ?? ""}`);
  expect(starts("pi")[1]).toContain(`--session-id ${sessions.get("cid") ?? ""}`);
  // The fake of Codex knows no thread of a server before it.
  expect(warnings(read.events)).toEqual([["bob", "session_lost"]]);
  const [, asked = ""] = turnsIn(log("codex"));
  expect(asked).toMatch(/> the word is teapot[^]*\(you\)[^]*> you said: [^]*and now$/);
  const prompts = readFileSync(log("acp"), "utf8").trim().split("\n");
  expect(prompts[1]).toMatch(/and now"$/);
  expect(prompts[1]).not.toContain("The user asks you:\\n\\nthe word is teapot");
  expect(read.events.filter(({ type }) => type === "session_resume")).toHaveLength(1);
  await second.close();
});

function records(file: string): Record<string, unknown>[] {
  return readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

function argumentsIn(file: string): string[][] {
  return records(file).flatMap(({ argv }) => (Array.isArray(argv) ? [argv as string[]] : []));
}

function turnsIn(file: string): string[] {
  return records(file).flatMap(({ turn }) => (turn === undefined ? [] : [(turn as { text: string }).text]));
}

function warnings(events: readonly SessionEvent[]): (string | undefined)[][] {
  return events.flatMap((event) => (event.type === "warning" ? [[event.member, event.code]] : []));
}
