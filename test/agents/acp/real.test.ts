/**
 * The real programs, against a fake model server. Runs only when both are named:
 *   ROUNDTABLE_REAL_AGENTS  a folder with gemini/ and opencode/, each an npm prefix with the program installed
 *   ROUNDTABLE_FAKE_MODEL   the address of a fake model server that plays the scenario named in `[[fake: …]]`
 */
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createAcpAgent } from "../../../src/agents/drivers/acp/adapter.ts";
import { createOpencodeAgent } from "../../../src/agents/drivers/opencode/adapter.ts";
import type { Agent, AgentSetup } from "../../../src/agents/index.ts";
import { hostServerName } from "../../../src/agents/host-tools/server-name.ts";
import { createProcessRecords } from "../../../src/agents/process/tracking/process-records.ts";
import { chooseProcessList } from "../../../src/agents/process/list/choose-process-list.ts";
import { makeDataDir, removeDataDir, survivors } from "../process/start-fake.ts";
import { startAgent, type AgentProbe } from "../agent-probe.ts";
import { patient } from "../../patience.ts";

const agents = process.env["ROUNDTABLE_REAL_AGENTS"] ?? "";
const server = process.env["ROUNDTABLE_FAKE_MODEL"] ?? "";
const isWanted = agents !== "" && server !== "";
const program = (name: string): string => path.join(agents, name, "node_modules", ".bin", name);

const opencodeConfig = {
  model: "fake/fake-text",
  provider: {
    fake: {
      npm: "@ai-sdk/openai-compatible",
      name: "Fake",
      options: { baseURL: `${server}/v1`, apiKey: "none" },
      models: { "fake-text": { name: "Fake", limit: { context: 128_000, output: 8_000 } } },
    },
  },
};

const subjects = {
  gemini(setup: AgentSetup): Agent {
    const env = ["GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL", "GEMINI_CLI_TRUST_WORKSPACE"];
    const command = [program("gemini"), "--acp"];
    return createAcpAgent({ name: "gemini", kind: "acp", command, env, model: "gemini-2.5-flash" }, setup);
  },
  opencode(setup: AgentSetup): Agent {
    const command = [program("opencode"), "acp"];
    return createOpencodeAgent(
      { name: "opencode", kind: "opencode", command, env: ["OPENCODE_CONFIG_CONTENT"] },
      setup,
    );
  },
};

const QUESTION = { id: "q", text: "Which?", options: [{ label: "A", value: "a" }], multiple: false, freeText: true };

describe.each(["gemini", "opencode"] as const)("the real %s", (name) => {
  const isHere = isWanted && existsSync(program(name));
  let dataDir = "";
  let project = "";

  beforeEach(() => {
    dataDir = makeDataDir();
    project = path.join(dataDir, "project");
    mkdirSync(project);
    vi.stubEnv("HOME", dataDir);
    for (const directory of ["CONFIG", "DATA", "CACHE", "STATE"])
      vi.stubEnv(`XDG_${directory}_HOME`, path.join(dataDir, directory));
    vi.stubEnv("GEMINI_API_KEY", "none");
    vi.stubEnv("GOOGLE_GEMINI_BASE_URL", server);
    vi.stubEnv("GEMINI_CLI_TRUST_WORKSPACE", "true");
    vi.stubEnv("OPENCODE_CONFIG_CONTENT", JSON.stringify(opencodeConfig));
  });

  afterEach(async () => {
    vi.unstubAllEnvs();
    if (dataDir === "") return;
    expect(await survivors(dataDir, patient(3_000))).toEqual([]);
    removeDataDir(dataDir);
  });

  async function start(more: Partial<AgentSetup> = {}): Promise<AgentProbe> {
    const records = createProcessRecords({ dataDir, processes: chooseProcessList() });
    return startAgent(subjects[name]({ sessionId: "s", cwd: project, writable: true, records, ...more }));
  }

  async function runAnswering(
    probe: AgentProbe,
    text: string,
    result: "allow" | "deny",
    turnId: string,
  ): Promise<void> {
    const from = probe.events.length;
    probe.ask(text, turnId);
    const { callId } = await probe.next("request", from);
    probe.agent.answer(callId, { result, error: null });
    await probe.next("turn_done", from);
  }

  test.skipIf(!isHere)("says, thinks, and fails with a reason", async () => {
    const probe = await start();
    await probe.run("hello [[fake: echo]]", "one");
    expect(probe.text()).toContain("you said: hello");
    await probe.run("think [[fake: thinking]]", "two");
    expect(probe.all("thinking_delta").length).toBeGreaterThan(0);
    expect(probe.all("turn_done").map(({ outcome }) => outcome)).toEqual(["completed", "completed"]);
    expect((await probe.run("x [[fake: unauthorized]]", "three")).error).toMatchObject({ code: "auth_required" });
    await probe.agent.close();
  });

  test.skipIf(!isHere)("asks before it writes, writes when allowed, and not when denied", async () => {
    const probe = await start();
    const file = path.join(project, "written.txt");
    await runAnswering(probe, `w [[fake: tool kind=write path="${file}"]]`, "deny", "one");
    expect(existsSync(file)).toBe(false);
    expect(probe.all("tool_result").map(({ error }) => error?.code)).toEqual(["tool_denied"]);
    await runAnswering(probe, `w [[fake: tool kind=write path="${file}"]]`, "allow", "two");
    expect(readFileSync(file, "utf8")).toBe("written by the fake model\n");
    expect(probe.all("tool_result").map(({ ok }) => ok)).toEqual([false, true]);
    await probe.agent.close();
  });

  test.skipIf(!isHere)("runs nothing and asks nothing in a read-only session", async () => {
    const probe = await start({ writable: false });
    const file = path.join(project, "owned.txt");
    await probe.run(`w [[fake: tool kind=write path="${file}"]]`, "one");
    await probe.run(`c [[fake: tool command="touch ${file}"]]`, "two");
    expect(probe.all("request")).toEqual([]);
    expect(existsSync(file)).toBe(false);
    expect(probe.all("turn_done").map(({ outcome }) => outcome)).toEqual(["completed", "completed"]);
    await probe.agent.close();
  });

  test.skipIf(!isHere)("stops in text and in a tool, and continues afterwards", async () => {
    const probe = await start();
    probe.ask("[[fake: slow]]", "one");
    await probe.next("text_delta");
    probe.agent.interrupt();
    await probe.next("turn_done");
    const from = probe.events.length;
    probe.ask('x [[fake: tool command="tail -f /dev/null"]]', "two");
    const { callId } = await probe.next("request", from);
    probe.agent.answer(callId, { result: true, error: null });
    await vi.waitFor(async () => expect(await tails(dataDir)).not.toEqual([]), {
      timeout: patient(20_000),
      interval: 100,
    });
    probe.agent.interrupt();
    await probe.next("turn_done", from);
    await probe.run("after [[fake: echo]]", "three");
    expect(await tails(dataDir)).toEqual([]);
    expect(probe.all("turn_done").map(({ outcome }) => outcome)).toEqual(["interrupted", "interrupted", "completed"]);
    expect(probe.all("member_session")).toHaveLength(1);
    await probe.agent.close();
  });

  test.skipIf(!isHere)(
    "uses host tools without asking, and waits minutes for an answer",
    { timeout: patient(300_000) },
    async () => {
      const probe = await start({ writable: false });
      const own = hostServerName({ sessionId: "s", member: name });
      const called = name === "gemini" ? `mcp_${own}_` : `${own}_`;
      const calls: [string, object][] = [
        ["agents_list", {}],
        ["plan_update", { items: [{ text: "Look", status: "pending" }] }],
        ["user_question", { title: "T", questions: [QUESTION] }],
        ["ui_confirm", { title: "Sure?", message: "Really" }],
        ["ui_notify", { message: "Hello" }],
      ];
      for (const [tool, args] of calls) {
        const from = probe.events.length;
        probe.ask(`t [[fake: tool name=${called}${tool} args=${JSON.stringify(args)}]]`, tool);
        const call = await probe.next("host_call", from);
        expect(call).toEqual({ type: "host_call", callId: call.callId, tool, args });
        // Beyond the 60 s after which some agents give a tool up.
        if (tool === "user_question") await new Promise((resolve) => setTimeout(resolve, BLOCKING_MS));
        probe.agent.answer(call.callId, { result: `answer-${tool}`, error: null });
        expect((await probe.next("turn_done", from)).outcome).toBe("completed");
        expect(probe.events.slice(from).filter(({ type }) => type === "tool_result")).toMatchObject([{ ok: true }]);
        expect(probe.all("tool_call_start").at(-1)?.name).toBe(tool);
        expect(probe.text()).toContain(`answer-${tool}`);
      }
      expect(probe.all("request")).toEqual([]);
      expect(probe.all("warning")).toEqual([]);
      await probe.agent.close();
    },
  );

  test.skipIf(!isHere)("knows after a restart what was said, and reads none of it back", async () => {
    const first = await start();
    await first.run("my name is Ada [[fake: echo]]", "one");
    const nativeSessionId = first.all("member_session")[0]?.nativeSessionId ?? "";
    await first.agent.close();
    const second = await start({ nativeSessionId });
    await second.run("who [[fake: echo]]", "two");
    expect(second.text()).toMatch(/^turn 2; you said: my name is Ada .*who/s);
    expect(second.all("member_session").map((event) => event.nativeSessionId)).toEqual([nativeSessionId]);
    await second.agent.close();
  });
});

/** How long a question stays open in the test. */
const BLOCKING_MS = Number(process.env["ROUNDTABLE_BLOCKING_MS"] ?? 75_000);

/** Living `tail` programs that carry the mark of this data directory. */
async function tails(dataDir: string): Promise<string[]> {
  return (await survivors(dataDir, 0)).map(({ command }) => command).filter((command) => /(^|\/)tail -f/.test(command));
}
