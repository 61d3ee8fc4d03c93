/** The programs that speak on stdin and stdout, as they are run, against lines that no client writes. */
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { once } from "node:events";
import { afterAll, afterEach, expect, test } from "vitest";
import { LINE_BYTES_MAX } from "../../src/kit/io/stdin-lines.ts";
import { createHome, jsonLines, mainFile } from "../cli/program.ts";
import { until } from "../host/open-host.ts";

const home = createHome();
const children: ChildProcessWithoutNullStreams[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});
afterAll(() => expect(children).toEqual([]));

type Frame = Record<string, unknown>;

class Program {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<unknown>;
  stdout = "";
  stderr = "";
  code: number | null = null;

  constructor(command: "acp" | "rpc") {
    this.child = spawn(process.execPath, [mainFile, command], { cwd: home.project, env: home.env, stdio: "pipe" });
    children.push(this.child);
    // A program that has ended reads no more; what it said is what is looked at.
    this.child.stdin.on("error", () => {});
    this.child.stdout.setEncoding("utf8").on("data", (text: string) => (this.stdout += text));
    this.child.stderr.setEncoding("utf8").on("data", (text: string) => (this.stderr += text));
    this.ended = once(this.child, "close").then(([code]) => (this.code = code as number | null));
  }

  /** Resolves when all of it has been taken. */
  async write(...parts: (string | Buffer)[]): Promise<void> {
    for (const part of parts) await new Promise((done) => this.child.stdin.write(part, done));
  }

  frames(): Frame[] {
    return jsonLines(this.stdout.slice(0, this.stdout.lastIndexOf("\n") + 1));
  }

  async sees(what: string, isIt: (frame: Frame) => boolean, count = 1): Promise<Frame[]> {
    await until(what, () => this.frames().filter(isIt).length >= count);
    return this.frames().filter(isIt);
  }

  async end(): Promise<number | null> {
    this.child.stdin.end();
    await this.ended;
    return this.code;
  }
}

const request = (id: unknown, method: string, params: unknown = {}) =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params });
const initialize = (id: unknown) => request(id, "initialize", { protocolVersion: 1, clientCapabilities: {} });
const DEEP = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
const TOO_MANY_BYTES = 2 * LINE_BYTES_MAX;
const filler = Buffer.alloc(TOO_MANY_BYTES, "x");
const leftOut = (bytes: number) =>
  `a line of ${bytes} bytes was left out; at most ${LINE_BYTES_MAX} are read. Send less at once, or name a file instead of its content`;
const refusal = (id: unknown, code: number, message: string) => ({ jsonrpc: "2.0", id, error: { code, message } });

test("no line ends `roundtable acp`: what is too long, no UTF-8, no JSON, a batch or too deep is answered with an error, and the next request is answered", async () => {
  const acp = new Program("acp");
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
    refusal("deep", -32_600, "Invalid request: it nests deeper than 128 levels. Send it flatter, or as a text"),
    refusal(
      null,
      -32_600,
      'Invalid request: this is no message: it needs "jsonrpc": "2.0", and a method or the answer to one',
    ),
  ]);
  await acp.write(filler);
  expect(await acp.end()).toBe(0);
  expect(acp.frames().at(-1)).toEqual(refusal(null, -32_600, `Invalid request: ${leftOut(TOO_MANY_BYTES)}`));
  expect(acp.stderr).toBe("");
});

test("answers what an editor sent right before it closed stdin, also without a newline, and reports a partial line", async () => {
  const [whole, torn] = [new Program("acp"), new Program("acp")];
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

test.skipIf(process.platform !== "linux").for(["acp", "rpc"] as const)(
  "`roundtable %s` reports an unreadable stdin and does not exit with 0",
  async (command) => {
    // A file whose first bytes nobody can read.
    const unreadable = openSync("/proc/self/mem", "r");
    const child = spawn(process.execPath, [mainFile, command], {
      cwd: home.project,
      env: home.env,
      stdio: [unreadable, "ignore", "pipe"],
    });
    closeSync(unreadable);
    let stderr = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    const [code] = (await once(child, "close")) as [number];
    expect({ code, isSaid: stderr.includes("EIO") }).toEqual({ code: 1, isSaid: true });
  },
);

test.for([
  ["acp", `${initialize(1)}\n`, "{\n"],
  ["rpc", "", '{"type":"ping"}\n'],
] as const)("`roundtable %s` ends when its stdout is closed, though its stdin stays open", async (given) => {
  const [command, first, then] = given;
  const program = new Program(command);
  await program.write(first);
  await program.sees("its first word", () => true);
  program.child.stdout.destroy();
  await program.write(then);
  await program.ended;
  expect({ code: program.code, stderr: program.stderr }).toEqual({ code: 0, stderr: "" });
});

test("no line ends `roundtable rpc`: what is too long, no UTF-8, deep or double is answered with an error line, and the next command is answered", async () => {
  const rpc = new Program("rpc");
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
