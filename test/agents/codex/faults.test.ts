import { chmodSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createHandClock } from "../hand-clock.ts";
import { settle } from "../agent-probe.ts";
import { impatient, killMarked, survivors } from "../process/start-fake.ts";
import { openHost, type CodexHost } from "./codex-host.ts";

let host: CodexHost;
beforeEach(() => {
  host = openHost();
});
afterEach(async () => {
  await host.close();
});

test("a server that exits at once ends the turn with exit code and sanitised stderr", async () => {
  const probe = await host.start({ faults: ["--dies-at-once"] });
  const { error } = await probe.run("hello");
  expect({ code: error?.code, message: error?.message, detail: error?.detail }).toEqual({
    code: "crashed",
    message: "codex exited before its answer was complete (exit code 3).",
    detail: "no config at all",
  });
});

test("a program that is no program ends the turn with a sentence", async () => {
  const file = path.join(host.dataDir, "codex");
  writeFileSync(file, "not a program");
  const codes = [];
  const closed = await host.start({ command: [file] });
  codes.push((await closed.run("hello")).error?.code);
  chmodSync(file, 0o755);
  const wrong = await host.start({ command: [file] });
  codes.push((await wrong.run("hello")).error?.code);
  expect(codes).toEqual(["not_found", "crashed"]);
});

test("noise, unknown messages, repeated starts and ends cost a warning and no event", async () => {
  const probe = await host.start();
  const end = await probe.run("noise");
  expect(end.outcome).toBe("completed");
  expect(probe.text()).toBe("after the noise");
  expect(probe.all("tool_result").map(({ nativeId, result }) => [nativeId, result])).toEqual([["call-turn-1", "done"]]);
  expect(probe.all("warning").map(({ code }) => code)).toEqual(["unreadable_line", "protocol", "unasked"]);
  await probe.run("hello", "two");
  expect(probe.all("turn_done").map(({ turnId }) => turnId)).toEqual(["turn-1", "two"]);
});

test("warns of a line over the limit, and the turn continues", async () => {
  const probe = await host.start({ limits: { lineBytesMax: 64 * 1024 } });
  expect((await probe.run("long line")).outcome).toBe("completed");
  expect(probe.all("warning").map(({ code }) => code)).toEqual(["line_oversize"]);
  expect(probe.text()).toBe("after the long line");
});

test("output that comes byte by byte is read exactly", async () => {
  const probe = await host.start({ faults: ["--bytewise"] });
  await probe.run("é ✓ 🂡 end");
  expect(probe.text()).toBe("you said: é ✓ 🂡 end");
});

test("a server killed in mid-line ends the turn, with a warning of the partial line", async () => {
  const probe = await host.start();
  const end = await probe.run("half a line");
  expect([end.error?.code, end.error?.message]).toEqual([
    "crashed",
    "codex exited before its answer was complete (signal SIGKILL).",
  ]);
  expect(probe.all("warning").map(({ code }) => code)).toEqual(["unfinished_line"]);
});

test("kills a server that closes stdout; the turn has the reason", async () => {
  const probe = await host.start();
  expect((await probe.run("closed output")).error?.code).toBe("output_closed");
  expect((await probe.run("hello", "two")).outcome).toBe("completed");
  expect(host.starts()).toHaveLength(2);
});

test("an exited server ends its turn soon, even if its pipe is held open", async () => {
  const probe = await host.start();
  // Whoever holds it does so for minutes.
  expect((await probe.run("held pipe")).error?.code).toBe("crashed");
  killMarked(host.dataDir);
});

test("silence is warned of and then ends the turn", async () => {
  const clock = createHandClock();
  const probe = await host.start({ limits: { silenceWarnMs: 100, silenceMs: 200 }, clock });
  probe.ask("silent");
  await probe.next("member_models");
  // What it says of the turn is on its way before it writes the turn down.
  while (host.log().every(({ turn }) => turn === undefined)) await settle();
  for (let turn = 0; turn < 5; turn++) await settle();
  clock.advance(100);
  expect(probe.all("warning").map(({ code }) => code)).toEqual(["silent"]);
  expect(probe.all("turn_done")).toEqual([]);
  clock.advance(100);
  expect((await probe.next("turn_done")).error?.code).toBe("silent");
  expect(probe.all("warning")).toHaveLength(1);
});

test("closing a member with an unresponsive server leaves no process", async () => {
  const probe = await host.start({ faults: ["--deaf"], limits: impatient });
  probe.ask("deaf");
  await probe.next("text_delta");
  await probe.agent.close();
  expect(await survivors(host.dataDir)).toEqual([]);
});
