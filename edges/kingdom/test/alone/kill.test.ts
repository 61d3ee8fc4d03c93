/** A process killed repeatedly at random moments while it writes thread files. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { packedTestProgram } from "../../../../test/packed-program.ts";
import { newDataDir } from "../../../../test/host/open-host.ts";
import { createRandom } from "../../../../test/session/random.ts";
import { newProject, openMirrored } from "./mirrored-session.ts";
import { readThread } from "./thread-reader.ts";
import { rounds } from "../../../../test/rounds.ts";

const PROGRAM = await packedTestProgram("talker");
const KILLS = Number(process.env["KILLS"] ?? rounds(4, 500));
const MESSAGES_A_LIFE = 12;

function firstLine(child: ChildProcess): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let text = "";
  child.stdout?.on("data", (chunk: Uint8Array) => {
    text += String(chunk);
    if (text.includes("\n")) resolve(text.split("\n")[0] ?? "");
  });
  return promise;
}

test("whenever the process is killed, nothing is written twice and nothing is lost", async () => {
  const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000);
  console.log(`seed ${seed}`);
  const random = createRandom(seed);
  const [dataDir, project] = [newDataDir(), newProject()];
  let sessionId: string | undefined;
  for (let kill = 0; kill < KILLS; kill += 1) {
    const args = [PROGRAM, dataDir, project, String(MESSAGES_A_LIFE), ...(sessionId === undefined ? [] : [sessionId])];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    const exited = once(child, "exit");
    sessionId = await firstLine(child);
    await new Promise((resolve) => setTimeout(resolve, random.integer(250)));
    child.kill("SIGKILL");
    await exited;
  }
  const table = await openMirrored({ dataDir, project, ...(sessionId === undefined ? {} : { sessionId }) });
  const spoken = () => [...table.of("user_message"), ...table.of("turn_end")].sort((a, b) => a.seq - b.seq);
  const dir = await table.dir();
  await table.sees("everything to be written", () => table.of("mirrored").length >= spoken().length);
  const { messages, streams } = readThread(dir);
  expect(streams).toEqual([]);
  expect(messages.map(({ from, body }) => (from === "king" ? body : from))).toEqual(
    spoken().map((event) => (event.type === "user_message" ? event.text : event.member)),
  );
  expect(messages.map(({ number }) => number)).toEqual(messages.map((_, index) => index + 1));
  expect(table.of("mirrored").map(({ eventSeq }) => eventSeq)).toEqual(spoken().map(({ seq }) => seq));
  await table.close();
});
