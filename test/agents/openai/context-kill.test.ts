/** A program that is killed while its member speaks: the next one goes on with the same context, from the file. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { packedTestProgram } from "../../packed-program.ts";
import { createModelAgent } from "../../../src/agents/model/model-agent.ts";
import { systemClock } from "../../../src/kit/clock.ts";
import { newId } from "../../../src/kit/ids.ts";
import { openFileLog } from "../../../src/log/index.ts";
import { openSession } from "../../../src/session/index.ts";
import { calls, delta, startModelServer } from "../fakes/model-server.ts";
import { counted, faultsOf, isSummary } from "./context-run.ts";
import { patient } from "../../patience.ts";

const PROGRAM = await packedTestProgram("chatting-session");

test("after a compaction and a kill in mid-turn, the member continues with the compacted context", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "roundtable-context-"));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const server = await startModelServer();
  const texts = Array.from({ length: 9 }, (_, at) => `question ${at + 1}`);
  server.answer((asked) => {
    if (isSummary(asked)) return counted(asked, "Summed up.");
    const last = asked.messages.at(-1);
    if (last?.content === "question 9") return calls({ name: "list", id: "look" });
    if (last?.role !== "tool") return counted(asked, `answer to ${last?.content ?? ""}`);
    return [delta({ content: "I was abo" }), { hang: true }];
  });
  const sessionId = newId();
  const child = spawn(process.execPath, [PROGRAM, dataDir, sessionId, server.url, ...texts], { stdio: "inherit" });
  const file = join(dataDir, "logs", `${sessionId}.jsonl`);
  const written = () => (existsSync(file) ? readFileSync(file, "utf8") : "");
  await expect.poll(written, { timeout: patient(60_000), interval: 20 }).toContain("I was abo");
  child.kill("SIGKILL");
  await once(child, "exit");
  const before = server.requests.at(-1)?.messages ?? [];

  server.answer((asked) => counted(asked, "on"));
  const log = await openFileLog({ dataDir, sessionId });
  onTestFinished(() => log.close());
  const session = await openSession({
    log,
    agentFactory: (spec, setup) => createModelAgent(spec, setup, { hostTools: ["history_search"] }),
    clock: systemClock,
  });
  onTestFinished(() => session.close());
  await session.command({ type: "send", commandId: newId(), clientMessageId: newId(), text: "go on" }, "me");
  await expect.poll(() => session.isIdle, { timeout: patient(20_000) }).toBe(true);
  const after = server.requests.at(-1);
  expect(after?.messages).toEqual([
    ...before,
    { role: "assistant", content: "I was abo\n\n(The program ended here before I was done.)" },
    { role: "user", content: "go on" },
  ]);
  expect(before[1]?.content).toContain("> Summed up.");
  expect(after === undefined ? [] : faultsOf(after)).toEqual([]);
});
