/** Tools of configured tool servers in the hands of the built-in agent, with real servers on both carriers. */
import { expect, onTestFinished, test } from "vitest";
import { tryServers } from "../../../src/agents/index.ts";
import { makeDataDir, removeDataDir, survivors } from "../process/start-fake.ts";
import { program, startWithServers, startHttpServer } from "./start-with-servers.ts";

const last = <Item>(list: readonly Item[]): Item | undefined => list.at(-1);

test("tools of a server that is a program are offered under its name and answer the model", async () => {
  const probe = await startWithServers({ files: program() });
  const names = await probe.offered("mcp__files__echo");
  expect(names.filter((name) => name.startsWith("mcp__"))).toEqual(
    ["echo", "facts", "mixed", "shaped", "fail", "long", "hang", "odd_name__", "crash", "grow"].map(
      (tool) => `mcp__files__${tool}`,
    ),
  );
  expect(await probe.call("mcp__files__echo", { words: "hello" })).toBe("hello");
  expect(last(probe.all("tool_result"))).toMatchObject({ ok: true, result: "hello" });
  expect(await probe.call("mcp__files__odd_name__")).toBe("odd");
  expect(await probe.leave()).toEqual([]);
});

test("tools of a server over HTTP are offered and answer the model, with the headers it was given", async () => {
  const { url } = await startHttpServer();
  const env = { PATH: process.env["PATH"], WEB_TOKEN: "canary-header-value" };
  const probe = await startWithServers({ web: { url, headers: { authorization: "Bearer ${WEB_TOKEN}" } } }, { env });
  await probe.offered("mcp__web__echo");
  expect(await probe.call("mcp__web__echo", { words: "hello" })).toBe("hello");
  const facts = await probe.call("mcp__web__facts");
  expect(facts).toContain('"authorization":"•••"');
  expect(JSON.stringify(probe.events)).not.toContain("canary-header-value");
  expect(await probe.leave()).toEqual([]);
});

test("every call asks first, bound to server and tool, and a refusal runs nothing", async () => {
  const probe = await startWithServers({ files: program() });
  await probe.offered("mcp__files__echo");
  await probe.call("mcp__files__echo", { words: "x" });
  const { request } = await probe.next("request");
  expect(request).toMatchObject({ method: "approval", tool: "mcp__files__echo" });
  expect(request.method === "approval" && request.call).toContain('"server":"files","tool":"echo"');
});

test("describes images, links and objects to the model as text, with errors and truncation", async () => {
  const probe = await startWithServers({ files: program() });
  await probe.offered("mcp__files__mixed");
  expect(await probe.call("mcp__files__mixed")).toBe(
    "first\n[image image/png, 3 bytes, not shown]\n[resource a.txt: file:///a.txt]\ninside",
  );
  expect(await probe.call("mcp__files__shaped")).toBe('{"sum":3}');
  expect(await probe.call("mcp__files__fail")).toBe("it did not work");
  expect(last(probe.all("tool_result"))).toMatchObject({ ok: false, error: { code: "tool_error" } });
  expect(await probe.call("mcp__files__long")).toContain("bytes left out");
  expect(last(probe.all("tool_result"))?.truncated).toMatchObject({ totalBytes: 200_000 });
});

test("a server sees only allow-listed and configured variables, and no event has them", async () => {
  const env = { PATH: process.env["PATH"], NAMED: "canary-named-value", OTHER: "canary-other-value" };
  const probe = await startWithServers({ files: { ...program("--flag"), env: ["NAMED"] } }, { env });
  await probe.offered("mcp__files__facts");
  const facts = JSON.parse(await probe.call("mcp__files__facts")) as { argv: string[]; env: Record<string, string> };
  expect(facts.argv).toEqual(["--flag"]);
  expect(Object.keys(facts.env).sort()).toEqual(["AI_AGENT", "NAMED", "PATH", "ROUNDTABLE_RUN"]);
  expect(facts.env["NAMED"]).toBe("•••");
  expect(JSON.stringify(probe.events)).not.toMatch(/canary-(named|other)-value/);
});

test("a program gets the arguments and variables of the common shape, filled in", async () => {
  const { command } = program();
  const [node = "", ...args] = command;
  const probe = await startWithServers(
    { files: { command: [node], args: [...args, "${HOME}/x"], values: { TOKEN: "${SECRET}-more", PLAIN: "plain" } } },
    { env: { PATH: process.env["PATH"], HOME: "/nowhere", SECRET: "s3cret-value" } },
  );
  await probe.offered("mcp__files__facts");
  const facts = JSON.parse(await probe.call("mcp__files__facts")) as { argv: string[]; env: Record<string, string> };
  expect([facts.argv, facts.env["PLAIN"], facts.env["TOKEN"]]).toEqual([["/nowhere/x"], "plain", "•••"]);
});

test("servers are tried once side by side: how many tools each has, or why it cannot be used, and nothing stays", async () => {
  const cwd = makeDataDir();
  onTestFinished(() => removeDataDir(cwd));
  const tried = await tryServers(
    { files: program(), broken: program("--broken"), web: { url: "http://127.0.0.1:1/mcp?token=secret" } },
    { cwd, env: { PATH: process.env["PATH"] } },
  );
  expect(tried.map(({ name, reachedBy, outcome }) => [name, outcome.ok, reachedBy])).toEqual([
    ["files", true, program().command.join(" ")],
    ["broken", false, program("--broken").command.join(" ")],
    ["web", false, "http://127.0.0.1:1/mcp"],
  ]);
  expect(tried[1]?.outcome).toMatchObject({ why: expect.stringContaining("the fake is out of order") });
  expect(await survivors(cwd)).toEqual([]);
});

test("a turn waits for no server; warns once about missing ones, and again on a change", async () => {
  const probe = await startWithServers({ mute: program("--mute"), gone: { command: ["no-such-program-here"] } });
  probe.model.play([{ data: { choices: [{ index: 0, delta: { content: "ok" }, finish_reason: "stop" }] } }]);
  const saidOfGone = () =>
    probe.all("warning").filter(({ message }) => message.startsWith("Tools from gone are not available"));
  for (let turn = 1; saidOfGone().length === 0; turn++) await probe.run("hello", `before ${turn}`);
  await probe.run("hello", "one");
  await probe.run("hello", "two");
  const messages = probe.all("warning").map(({ message }) => message);
  expect(messages.filter((message) => message.includes("mute"))).toEqual([
    "Tools from mute are not available yet: still connecting.",
  ]);
  expect(saidOfGone()).toHaveLength(1);
  expect(
    probe.model.requests.flatMap(({ tools }) => tools).some(({ function: one }) => one.name.startsWith("mcp")),
  ).toBe(false);
  expect(await probe.leave()).toEqual([]);
});

test("a server that ends at once is reported with its stderr", async () => {
  const probe = await startWithServers({ broken: program("--broken") });
  const from = probe.events.length;
  for (;;) {
    await probe.run("hello", `turn-${probe.events.length}`);
    const found = probe.events
      .slice(from)
      .find((event) => event.type === "warning" && /; stderr: /.test(event.message));
    if (found === undefined) continue;
    expect(found).toMatchObject({ code: "mcp", message: expect.stringContaining("the fake is out of order") });
    break;
  }
  expect(await probe.leave()).toEqual([]);
});

test("a configuration that cannot be read costs the tools, not the turn", async () => {
  const probe = await startWithServers(() => {
    throw new Error("config.jsonc:3:1 mcpServers.x needs a command");
  });
  expect((await probe.run("hello")).outcome).toBe("completed");
  expect(probe.all("warning")).toEqual([
    {
      type: "warning",
      code: "mcp",
      message:
        "No MCP server is available: the configuration cannot be read: config.jsonc:3:1 mcpServers.x needs a command",
    },
  ]);
});

test("a list that changed is asked for again", async () => {
  const probe = await startWithServers({ files: program() });
  await probe.offered("mcp__files__grow");
  await probe.call("mcp__files__grow");
  await probe.offered("mcp__files__grown");
  expect(await probe.call("mcp__files__grown")).toBe("grown up");
});

test("a server that dies in a call fails the call and is restarted", async () => {
  const probe = await startWithServers({ files: program() });
  await probe.offered("mcp__files__crash");
  expect(await probe.call("mcp__files__crash")).toMatch(/^Error: Tool server files did not answer: /);
  await probe.offered("mcp__files__echo");
  expect(await probe.call("mcp__files__echo", { words: "again" })).toBe("again");
  expect(await probe.leave()).toEqual([]);
});

test("an unreachable HTTP server fails the call and is reconnected when it is back", async () => {
  const server = await startHttpServer();
  const probe = await startWithServers({ web: { url: server.url } });
  await probe.offered("mcp__web__echo");
  await server.end();
  expect(await probe.call("mcp__web__echo", { words: "x" })).toMatch(/^Error: Tool server web did not answer: /);
  await startHttpServer(server.port);
  await probe.offered("mcp__web__echo");
  expect(await probe.call("mcp__web__echo", { words: "again" })).toBe("again");
});

test("an interrupt abandons a hanging call, and closing the member leaves no process", async () => {
  const probe = await startWithServers({ files: program() });
  await probe.offered("mcp__files__hang");
  const from = probe.events.length;
  const hanging = probe.call("mcp__files__hang");
  expect((await probe.next("tool_output_delta", from)).text).toBe("hanging\n");
  probe.agent.interrupt();
  expect((await probe.next("turn_done", from)).outcome).toBe("interrupted");
  await hanging;
  await probe.offered("mcp__files__echo");
  expect(await probe.leave()).toEqual([]);
});
