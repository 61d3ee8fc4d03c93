/** The real `roundtable acp` with hostile input. */
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

const request = (id: unknown, method: string, params: unknown = {}) =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params });
const initialize = (id: unknown) => request(id, "initialize", { protocolVersion: 1, clientCapabilities: {} });
const refusal = (id: unknown, code: number, message: string) => ({ jsonrpc: "2.0", id, error: { code, message } });

test("no line ends `roundtable acp`: oversized, non-UTF-8, non-JSON, batched or deeply nested lines get an error, and the next request is answered", async () => {
  const acp = new LineProgram("acp");
  const before = '{"jsonrpc":"2.0","id":"huge","method":"session/list","params":{"cwd":"';
  await acp.write(`${initialize(1)}\n`, before, filler, '"}}\n');
  await acp.write(filler, "\n", filler, "\n");
  await acp.write(Buffer.from([0x22, 0xff, 0xfe, 0x22, 0x0a]), "{\n", `[${initialize(2)}]\n`, `${DEEP}\n`);
  await acp.write(`${request("deep", "session/list", 0).replace(":0}", `:${DEEP}}`)}\n`);
  await acp.write(`{"no":"message","deep":${DEEP}}\n`);
  await acp.write(`${request("same", "session/list")}\n${request("same", "session/list")}\n${initialize("last")}\n`);
  await acp.sees("both answers under one id", ({ id }) => id === "same", 2);
  await acp.sees("the last answer", ({ id }) => id === "last");
  const frames = acp.frames();
  const answered = frames.filter(({ id, result }) => typeof id !== "object" && result !== undefined);
  expect(answered.map(({ id }) => String(id)).toSorted()).toEqual(["1", "last", "same", "same"]);
  const batch = "Invalid request: batches are not supported. Send each message on its own line";
  expect(frames.filter(({ error }) => error !== undefined)).toEqual([
    refusal("huge", -32_600, `Invalid request: ${leftOut(before.length + TOO_MANY_BYTES + 3)}`),
    refusal(null, -32_600, `Invalid request: ${leftOut(TOO_MANY_BYTES)}`),
    refusal(null, -32_600, `Invalid request: ${leftOut(TOO_MANY_BYTES)}`),
    refusal(null, -32_600, "Invalid request: a line of 4 bytes was left out: it is not UTF-8. Send text as UTF-8"),
    refusal(null, -32_700, "Parse error: a line of 1 characters is not JSON. Send each message on its own line"),
    refusal(null, -32_600, batch),
    refusal(null, -32_600, batch),
    refusal("deep", -32_600, "Invalid request: it nests deeper than 128 levels. Send it with less nesting, or as text"),
    refusal(
      null,
      -32_600,
      'Invalid request: not a JSON-RPC message: it needs "jsonrpc": "2.0" and a method, result or error',
    ),
  ]);
  await acp.write(filler);
  expect(await acp.end()).toBe(0);
  expect(acp.frames().at(-1)).toEqual(refusal(null, -32_600, `Invalid request: ${leftOut(TOO_MANY_BYTES)}`));
  expect(acp.stderr).toBe("");
});

test("answers what an editor sent right before it closed stdin, also without a newline, and reports a partial line", async () => {
  const [whole, torn] = [new LineProgram("acp"), new LineProgram("acp")];
  await whole.write(`${initialize(1)}\n${request(2, "session/list")}`);
  await torn.write(`${initialize(1)}\n${request(2, "session/list").slice(0, -5)}`);
  expect(await Promise.all([whole.end(), torn.end()])).toEqual([0, 0]);
  expect(whole.frames().map(({ id, result }) => [id, result !== undefined])).toEqual([
    [1, true],
    [2, true],
  ]);
  expect(torn.frames().map(({ id, error }) => [id, (error as { code?: number } | undefined)?.code])).toEqual(
    expect.arrayContaining([
      [1, undefined],
      [null, -32_700],
    ]),
  );
});

test.skipIf(process.platform !== "linux")("reports an unreadable stdin and does not exit with 0", async () => {
  const { code, stderr } = await runUnreadable("acp");
  expect({ code, isReported: stderr.includes("EIO") }).toEqual({ code: 1, isReported: true });
});

test("ends when its stdout is closed, though its stdin stays open", async () => {
  expect(await runUnread("acp", `${initialize(1)}\n`, "{\n")).toEqual({ code: 0, stderr: "" });
});
