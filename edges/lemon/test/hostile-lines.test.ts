/** The real `roundtable rpc` with hostile input. */
import { afterEach, expect, test } from "vitest";
import {
  DEEP,
  filler,
  killPrograms,
  leftOut,
  LineProgram,
  runUnread,
  runUnreadable,
  TOO_MANY_BYTES,
} from "../../../test/wires/line-program.ts";

afterEach(killPrograms);

test("no line ends `roundtable rpc`: oversized, non-UTF-8, deeply nested or batched lines get an error line, and the next command is answered", async () => {
  const rpc = new LineProgram("rpc");
  await rpc.sees("it to be ready", ({ type }) => type === "ready");
  await rpc.write('{"type":"prompt","text":"', filler, '"}\n', filler, "\n", filler, "\n");
  await rpc.write(Buffer.from([0xff, 0xfe, 0x0a]), `${DEEP}\n`, `[{"type":"ping"}]\n`);
  await rpc.write(`{"type":"ui_response","id":"no","result":${DEEP}}\n`);
  await rpc.write('{"type":"ping"}\n{"type":"ping"}\n{"type":"list_sessions"}\n');
  await rpc.sees("the list", ({ type }) => type === "sessions_list");
  expect(rpc.frames().flatMap(({ type, message }) => (type === "error" ? [message] : [type]))).toEqual([
    "ready",
    leftOut(TOO_MANY_BYTES + 27),
    leftOut(TOO_MANY_BYTES),
    leftOut(TOO_MANY_BYTES),
    "a line of 2 bytes was left out: it is not UTF-8. Send text as UTF-8",
    "unknown command",
    "unknown command",
    expect.stringContaining("no"),
    "pong",
    "pong",
    "sessions_list",
  ]);
  await rpc.write(filler);
  expect(await rpc.end()).toBe(0);
  expect(
    rpc
      .frames()
      .slice(-2)
      .map(({ message }) => message),
  ).toEqual([leftOut(TOO_MANY_BYTES), "stdin closed"]);
});

test.skipIf(process.platform !== "linux")("reports an unreadable stdin and does not exit with 0", async () => {
  const { code, stderr } = await runUnreadable("rpc");
  expect({ code, isReported: stderr.includes("EIO") }).toEqual({ code: 1, isReported: true });
});

test("ends when its stdout is closed, though its stdin stays open", async () => {
  expect(await runUnread("rpc", "", '{"type":"ping"}\n')).toEqual({ code: 0, stderr: "" });
});
