/** Where a session of a foreign file comes to lie and goes on, and what a kill leaves of it. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { AgentFactory, TurnInput } from "../../src/agents/index.ts";
import { readTranscript } from "../../src/host/index.ts";
import { newId } from "../../src/kit/ids.ts";
import { acquireLock } from "../../src/log/index.ts";
import type { MemberSpec } from "../../src/protocol/index.ts";
import { connect, openHost } from "../host/open-host.ts";
import { createScriptedAgent } from "../host/scripted-agent.ts";
import { bring, copyOf, fileOf, newDirectory, readBack, writeLines } from "./import-file.ts";
import { mainFile } from "./properties.ts";

const CLAUDE: MemberSpec = { name: "anna", kind: "claude", model: "opus" };

/** A store of Claude Code whose conversation took place in a directory that is there. */
function ownStore(): { home: string; cwd: string; file: string; nativeId: string } {
  const [home, cwd] = [newDirectory(), newDirectory()];
  const nativeId = "0b1cd0e5-1d40-4cf6-8468-9b16ce2ba533";
  const line = (uuid: string, parentUuid: string | null, rest: object) => ({
    uuid,
    parentUuid,
    cwd,
    sessionId: nativeId,
    timestamp: "2026-02-01T10:00:00Z",
    ...rest,
  });
  const file = writeLines(fileOf(home, "projects", cwd.replaceAll(/[^a-zA-Z0-9]/g, "-"), `${nativeId}.jsonl`), [
    line("a", null, { type: "user", message: { role: "user", content: "Remember the word plum." } }),
    line("b", "a", {
      type: "assistant",
      message: { role: "assistant", model: "opus", content: [{ type: "text", text: "Plum." }] },
    }),
  ]);
  return { home, cwd, file, nativeId };
}

describe("position of an import", () => {
  test("continues an imported session of a local program in its own session and directory, repeating nothing", async () => {
    const { home, cwd, file, nativeId } = ownStore();
    const dataDir = newDirectory();
    const { sessionId } = await bring(file, { dataDir, members: [CLAUDE], env: { CLAUDE_CONFIG_DIR: home } });
    const { head } = await readTranscript(dataDir, sessionId);
    expect({
      cwd: head.cwd,
      members: Object.values(head.members).map(({ spec, nativeSessionId }) => [spec, nativeSessionId]),
    }).toEqual({ cwd, members: [[CLAUDE, nativeId]] });
    const asked: { native: string | undefined; heard: TurnInput["missed"] }[] = [];
    const agentFactory: AgentFactory = (spec, seat) => {
      const agent = createScriptedAgent(spec, seat);
      return {
        capabilities: { ...agent.capabilities, keepsContext: true },
        start: (up) => agent.start(up),
        send: (input) => {
          if (input.kind === "turn") asked.push({ native: seat.nativeSessionId, heard: input.missed });
          agent.send(input);
        },
        interrupt: () => agent.interrupt(),
        answer: (callId, result) => agent.answer(callId, result),
        close: () => agent.close(),
      };
    };
    const host = await openHost(dataDir, { agentFactory });
    const client = await connect(host);
    const ack = await client.command(sessionId, {
      type: "send",
      text: "Which word?",
      to: ["anna"],
      attachments: [],
      clientMessageId: newId(),
    });
    expect(ack).toMatchObject({ ok: true });
    await expect.poll(() => asked).toEqual([{ native: nativeId, heard: undefined }]);
    client.close();
    await host.close();
    const again = await bring(file, { dataDir, members: [CLAUDE], env: { CLAUDE_CONFIG_DIR: home } });
    expect(again).toEqual({
      sessionId,
      isNew: false,
      added: 0,
      warnings: ["anna has continued this conversation here, in its own session; nothing was added."],
    });
  });

  test("[H206] a file from elsewhere chooses neither the directory nor a program's session, with a warning", async () => {
    const { cwd, file } = ownStore();
    const [dataDir, here] = [newDirectory(), newDirectory()];
    const copy = path.join(newDirectory(), path.basename(file));
    cpSync(file, copy);
    const { sessionId, warnings } = await bring(copy, { dataDir, cwd: here });
    const { head } = await readTranscript(dataDir, sessionId);
    expect({ cwd: head.cwd, native: head.members["claude"]?.nativeSessionId, warnings }).toEqual({
      cwd: here,
      native: undefined,
      warnings: [`The conversation is not stored where its program stores it: ${cwd}. It continues in ${here}.`],
    });
    const inDirectory = newDirectory();
    const own = await bring(copy, { dataDir: inDirectory, cwd });
    expect((await readTranscript(inDirectory, own.sessionId)).head.cwd).toBe(cwd);
    expect(own).toEqual({ sessionId, isNew: true, added: 2, warnings: [] });
  });

  test("[H207] a kill before a new session is in its place leaves none, and the next import makes it", async () => {
    const { file } = await mainFile(copyOf("claude-everything"));
    const wanted = newDirectory();
    const { sessionId } = await bring(file, { dataDir: wanted });
    const whole = await readBack(wanted, sessionId);
    const log = readFileSync(path.join(wanted, "logs", `${sessionId}.jsonl`));
    const blobs = path.join("blobs", sessionId);
    const [image = ""] = readdirSync(path.join(wanted, blobs));
    const cuts: ((dataDir: string, building: string) => void)[] = [
      (_dataDir, building) => writeFileSync(fileOf(building, "logs", `${sessionId}.jsonl`), log.subarray(0, 5000)),
      (dataDir, building) => {
        writeFileSync(fileOf(building, "logs", `${sessionId}.jsonl`), log);
        cpSync(path.join(wanted, blobs, image), fileOf(dataDir, blobs, image));
      },
      (dataDir) =>
        writeFileSync(
          fileOf(dataDir, "logs", `${sessionId}.epoch`),
          readFileSync(path.join(wanted, "logs", `${sessionId}.epoch`)),
        ),
      (dataDir) => writeFileSync(fileOf(dataDir, "logs", `${sessionId}.jsonl`), ""),
    ];
    for (const cut of cuts) {
      const dataDir = newDirectory();
      const building = path.join(dataDir, "forks", sessionId);
      cut(dataDir, building);
      const host = await openHost(dataDir);
      const client = await connect(host);
      expect(await client.list()).toEqual([]);
      client.close();
      await host.close();
      expect(await bring(file, { dataDir })).toMatchObject({ sessionId, isNew: true });
      expect(await readBack(dataDir, sessionId)).toEqual(whole);
      expect(existsSync(building)).toBe(false);
      expect(readdirSync(path.join(dataDir, blobs))).toEqual([image]);
    }
  });

  test("a session that is open elsewhere is left alone, and so is one that is no import of this kind", async () => {
    const { file } = await mainFile(copyOf("pi-everything"));
    const dataDir = newDirectory();
    const { sessionId } = await bring(file, { dataDir });
    const log = path.join(dataDir, "logs", `${sessionId}.jsonl`);
    const before = readFileSync(log);
    const lock = await acquireLock({ dataDir, sessionId, holder: { pid: process.pid, socket: "", hostId: newId() } });
    await expect(bring(file, { dataDir })).rejects.toMatchObject({ code: "busy" });
    if ("release" in lock) lock.release();
    expect(readFileSync(log).equals(before)).toBe(true);
    const other = newDirectory();
    mkdirSync(path.join(other, "logs"));
    const { file: claude } = await mainFile(copyOf("claude-branches"));
    const made = await bring(claude, { dataDir: other });
    renameSync(path.join(other, "logs", `${made.sessionId}.jsonl`), path.join(other, "logs", `${sessionId}.jsonl`));
    rmSync(path.join(other, "logs", `${made.sessionId}.epoch`));
    await expect(bring(file, { dataDir: other })).rejects.toMatchObject({ code: "conflict" });
  });

  test("a session that was put away compressed is known again: its file makes no second one and adds what is new", async () => {
    const { file } = await mainFile(copyOf("pi-everything"));
    const whole = readFileSync(file, "utf8");
    writeFileSync(file, whole.slice(0, whole.lastIndexOf("\n", whole.length / 2) + 1));
    const [dataDir, atOnce] = [newDirectory(), newDirectory()];
    const { sessionId } = await bring(file, { dataDir });
    const host = await openHost(dataDir);
    const client = await connect(host);
    expect(await client.command(sessionId, { type: "archive", archived: true })).toMatchObject({ ok: true });
    client.close();
    await host.close();
    const later = await openHost(dataDir);
    const again = await connect(later);
    await again.compressSession(sessionId);
    again.close();
    await later.close();
    expect(readdirSync(path.join(dataDir, "logs"))).toContain(`${sessionId}.jsonl.zst`);
    writeFileSync(file, whole);
    expect(await bring(file, { dataDir })).toMatchObject({ sessionId, isNew: false });
    await bring(file, { dataDir: atOnce });
    const wanted = await readBack(atOnce, sessionId);
    expect((await readBack(dataDir, sessionId)).filter((line) => wanted.includes(line))).toEqual(wanted);
  });
});
