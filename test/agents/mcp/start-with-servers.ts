/** Seats the built-in agent with tool servers, at a fake model server. */
import { spawn } from "node:child_process";
import { onTestFinished, vi } from "vitest";
import { createModelAgentWithMcp } from "../../../src/agents/model/mcp/create-with-servers.ts";
import type { McpServers } from "../../../src/agents/model/mcp/server-config.ts";
import type { ModelAgentDeps } from "../../../src/agents/model/model-agent.ts";
import { createProcessRecords } from "../../../src/agents/process/tracking/process-records.ts";
import { chooseProcessList } from "../../../src/agents/process/list/choose-process-list.ts";
import { packedTestProgram } from "../../packed-program.ts";
import { calls, startModelServer, text, type ModelServer } from "../fakes/model-server.ts";
import { makeDataDir, removeDataDir, survivors } from "../process/start-fake.ts";
import { startAgent, type AgentProbe } from "../agent-probe.ts";
import { patient } from "../../patience.ts";

const FAKE_SERVER = await packedTestProgram("mcp-server");

export function program(...flags: string[]): { command: string[] } {
  return { command: [process.execPath, FAKE_SERVER, ...flags] };
}

export interface ServerProbe extends AgentProbe {
  readonly model: ModelServer;
  readonly dataDir: string;
  /** Runs turns until the model was offered this tool. */
  offered(name: string): Promise<string[]>;
  /** Lets the model call it, allows the call, and returns what the model was told. */
  call(name: string, args?: object): Promise<string>;
  /** What still runs after the member has left. */
  leave(): Promise<{ pid: number; command: string }[]>;
}

let turns = 0;

export async function startWithServers(
  servers: McpServers | (() => McpServers),
  deps: ModelAgentDeps = {},
): Promise<ServerProbe> {
  const model = await startModelServer();
  const dataDir = makeDataDir();
  const records = createProcessRecords({ dataDir, processes: chooseProcessList() });
  const mcpServers = typeof servers === "function" ? servers : () => servers;
  const agent = createModelAgentWithMcp(
    { name: "local", kind: "openai", baseUrl: model.url, model: "m1" },
    { sessionId: "session", cwd: dataDir, writable: true, records, mcpServers },
    { env: { PATH: process.env["PATH"], HOME: dataDir }, ...deps },
  );
  onTestFinished(async () => {
    await agent.close();
    removeDataDir(dataDir);
  });
  const probe = await startAgent(agent);
  const nextTurn = () => `turn-${(turns += 1)}`;
  return {
    ...probe,
    model,
    dataDir,
    offered: (name) =>
      vi.waitFor(
        async () => {
          model.play(text("ok"));
          await probe.run("hello", nextTurn());
          const names = (model.requests.at(-1)?.tools ?? []).map((tool) => tool.function.name);
          if (!names.includes(name)) throw new Error(`${name} is not among ${names.join(", ")}`);
          return names;
        },
        { timeout: patient(60_000), interval: 50 },
      ),
    async call(name, args = {}) {
      model.play(calls({ name, args }), text("done"));
      const from = probe.events.length;
      probe.ask("go", nextTurn());
      const { callId, request } = await probe.next("request", from);
      const [once] = request.method === "approval" ? (request.options ?? []) : [];
      agent.answer(callId, { result: once?.value ?? null, error: null });
      await probe.next("turn_done", from);
      return model.requests.at(-1)?.messages.findLast(({ role }) => role === "tool")?.content ?? "";
    },
    async leave() {
      await agent.close();
      return survivors(dataDir);
    },
  };
}

/** The fake over HTTP; ends with the test. */
export async function startHttpServer(wantedPort = "0"): Promise<{ url: string; port: string; end(): Promise<void> }> {
  const child = spawn(process.execPath, [FAKE_SERVER, "--http", wantedPort], { stdio: ["ignore", "pipe", "ignore"] });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const end = async (): Promise<void> => {
    child.kill("SIGKILL");
    await exited;
  };
  onTestFinished(end);
  const port = await new Promise<string>((resolve) =>
    child.stdout.once("data", (chunk) => resolve(String(chunk).trim())),
  );
  return { url: `http://127.0.0.1:${port}/mcp`, port, end };
}
