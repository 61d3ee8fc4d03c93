/** Minimal driver of an agent program: parses each line and prints its text. */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, openSync, realpathSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { devNull, tmpdir } from "node:os";
import path from "node:path";
import { newState } from "../../src/agents/drivers/claude/state.ts";
import { handleHostToolMessage } from "../../src/agents/drivers/claude/host-tools-server.ts";
import { HOST_TOOL_SERVER } from "../../src/agents/drivers/claude/tool-blocks.ts";
import { nativeProgram } from "../../src/agents/drivers/codex/adapter.ts";
import { extensionSource } from "../../src/agents/drivers/pi/extension.ts";
import { hostToolSchemas } from "../../src/protocol/index.ts";
import type { Subject } from "../../test/agents/real/subjects.ts";

type Line = Record<string, unknown> & { type?: string; method?: string; id?: number };
export type MeasuredAgent = "claude" | "codex" | "pi";

interface BareOptions {
  /** With the permissions and tools of a member; calls are not answered. */
  readonly isSeated?: boolean;
}

interface BareAgent {
  /** Time to the first text; resolves when the turn is over. */
  turn(text: string): Promise<{ firstMs: number }>;
  close(): Promise<void>;
}

interface Protocol {
  command(command: readonly string[]): readonly string[];
  /** Sent in order, each after the answer to the previous one. */
  readonly opening: (cwd: string) => readonly Line[];
  isAnswer(line: Line): boolean;
  prompt(text: string, opened: readonly Line[]): Line;
  /** Text of a chunk; undefined for other lines. */
  textOf(line: Line): unknown;
  isEnd(line: Line): boolean;
}

const inner = (line: Line, ...keys: string[]): unknown =>
  keys.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], line);

const protocols: Readonly<Record<MeasuredAgent, Protocol>> = {
  claude: {
    command: (command) => [
      ...command,
      "-p",
      "--input-format=stream-json",
      "--output-format=stream-json",
      "--verbose",
      "--include-partial-messages",
      "--permission-prompt-tool=stdio",
    ],
    opening: () => [{ type: "control_request", request_id: "1", request: { subtype: "initialize" } }],
    isAnswer: (line) => line.type === "control_response",
    prompt: (text) => ({ type: "user", message: { role: "user", content: text } }),
    textOf: (line) => inner(line, "event", "delta", "text"),
    isEnd: (line) => line.type === "result",
  },
  codex: {
    command: ([program = ""]) => [nativeProgram(program), "app-server"],
    opening: (cwd) => [
      { id: 1, method: "initialize", params: { clientInfo: { name: "bare", title: "bare", version: "1" } } },
      { id: 2, method: "thread/start", params: { cwd, approvalPolicy: "on-request", sandbox: "read-only" } },
    ],
    isAnswer: (line) => line.id !== undefined && line.method === undefined,
    prompt: (text, opened) => ({
      id: 3,
      method: "turn/start",
      params: { threadId: inner(opened[1] ?? {}, "result", "thread", "id"), input: [{ type: "text", text }] },
    }),
    textOf: (line) => (line.method === "item/agentMessage/delta" ? inner(line, "params", "delta") : undefined),
    isEnd: (line) => line.method === "turn/completed",
  },
  pi: {
    command: (command) => [...command, "--mode", "rpc", "--model", "fake/fake-text"],
    opening: () => [{ id: 1, type: "get_state" }],
    isAnswer: (line) => line.type === "response",
    prompt: (text) => ({ id: 2, type: "prompt", message: text }),
    textOf: (line) =>
      inner(line, "assistantMessageEvent", "type") === "text_delta"
        ? inner(line, "assistantMessageEvent", "delta")
        : undefined,
    isEnd: (line) => line.type === "agent_settled",
  },
};

export async function openBareAgent(
  agent: MeasuredAgent,
  subject: Subject,
  { isSeated = false }: BareOptions = {},
): Promise<BareAgent> {
  const protocol = protocols[agent];
  const home = realpathSync(mkdtempSync(path.join(tmpdir(), "roundtable-bench-")));
  const cwd = path.join(home, "project");
  mkdirSync(cwd);
  subject.prepare(home);
  const [program = "", ...args] = [
    ...protocol.command(subject.spec.command ?? []),
    ...(isSeated && agent === "pi" ? ["--extension", seatedPi(home)] : []),
  ];
  const child = spawn(program, args, {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", LANG: "C.UTF-8", HOME: home, TMPDIR: home, ...subject.env },
    stdio: ["pipe", "pipe", "ignore"],
  });
  const screen = openSync(devNull, "w");
  let onLine: (line: Line) => void = () => {};
  let rest = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines.filter((one) => one !== "")) {
      const parsed = JSON.parse(line) as Line;
      if (isSeated && parsed.type === "control_request") child.stdin.write(tableAnswer(parsed));
      else onLine(parsed);
    }
  });
  const send = (line: Line) => child.stdin.write(`${JSON.stringify(line)}\n`);
  const next = (isIt: (line: Line) => boolean) =>
    new Promise<Line>((resolve) => (onLine = (line) => isIt(line) && resolve(line)));
  const opened: Line[] = [];
  for (const line of protocol.opening(cwd)) {
    send(isSeated ? seated[agent](line) : line);
    opened.push(await next((answer) => protocol.isAnswer(answer)));
  }
  return {
    async turn(text) {
      const startedMs = performance.now();
      let firstMs = Number.NaN;
      const ended = next((line) => {
        const piece = protocol.textOf(line);
        if (typeof piece === "string") {
          writeSync(screen, piece);
          if (Number.isNaN(firstMs)) firstMs = performance.now() - startedMs;
        }
        return protocol.isEnd(line);
      });
      send(protocol.prompt(text, opened));
      await ended;
      return { firstMs };
    },
    async close() {
      const ended = new Promise((resolve) => child.once("close", resolve));
      child.stdin.end();
      const late = setTimeout(() => child.kill("SIGKILL"), 3_000);
      await ended;
      clearTimeout(late);
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function seatedPi(home: string): string {
  const file = path.join(home, "roundtable.cjs");
  writeFileSync(
    file,
    extensionSource({ mark: "bare", isWritable: false, tools: hostToolSchemas(), walled: [], free: ["read"] }),
  );
  return file;
}

/** Opening lines with the permissions and tools of a member; Pi has them in its extension. */
const seated: Readonly<Record<MeasuredAgent, (line: Line) => Line>> = {
  pi: (line) => line,
  claude: (line) => ({ ...line, request: { ...(line["request"] as object), sdkMcpServers: [HOST_TOOL_SERVER] } }),
  codex(line) {
    const params = line["params"] as Record<string, unknown>;
    if (line.method === "initialize") {
      return { ...line, params: { ...params, capabilities: { experimentalApi: true } } };
    }
    const dynamicTools = hostToolSchemas().map((tool) => Object.assign({ type: "function" }, tool));
    return { ...line, params: { ...params, approvalPolicy: "never", dynamicTools } };
  },
};

/** Claude Code asks for the host tools over its control protocol. */
function tableAnswer(line: Line): string {
  const { write = [] } = handleHostToolMessage(
    newState({ nativeSessionId: undefined }, undefined, true),
    line["request_id"] as string,
    line["request"] as Line,
    { isWritable: true },
  );
  return write.join("");
}
