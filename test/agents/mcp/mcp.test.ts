/** Tools of configured tool servers in the hands of the built-in agent, with real servers on both carriers. */
import { expect, onTestFinished, test } from "vitest";
import { tryServers } from "../../../src/agents/index.ts";
import { makeDataDir, removeDataDir, survivors } from "../process/seat-fake.ts";
import { program, seatWithServers, startHttpServer } from "./seat-with-servers.ts";

const last = <Item>(list: readonly Item[]): Item | undefined => list.at(-1);

test("tools of a server that is a program are offered under its name and answer the model", async () => {
  const table = await seatWithServers({ files: program() });
  const names = await table.offered("mcp__files__echo");
  expect(names.filter((name) => name.startsWith("mcp__"))).toEqual(
    ["echo", "facts", "mixed", "shaped", "fail", "long", "hang", "odd_name__", "crash", "grow"].map(
      (tool) => `mcp__files__${tool}`,
    ),
  );
  expect(await table.call("mcp__files__echo", { words: "hello" })).toBe("hello");
  expect(last(table.all("tool_result"))).toMatchObject({ ok: true, result: "hello" });
  expect(await table.call("mcp__files__odd_name__")).toBe("odd");
  expect(await table.leave()).toEqual([]);
});

test("tools of a server over HTTP are offered and answer the model, with the headers it was given", async () => {
  const { url } = await startHttpServer();
  const env = { PATH: process.env["PATH"], WEB_TOKEN: "canary-header-value" };
  const table = await seatWithServers({ web: { url, headers: { authorization: "Bearer ${WEB_TOKEN}" } } }, { env });
  await table.offered("mcp__web__echo");
  expect(await table.call("mcp__web__echo", { words: "hello" })).toBe("hello");
  const facts = await table.call("mcp__web__facts");
  expect(facts).toContain('"authorization":"•••"');
  expect(JSON.stringify(table.events)).not.toContain("canary-header-value");
  expect(await table.leave()).toEqual([]);
});

test("every call asks first, bound to server and tool, and a refusal runs nothing", async () => {
  const table = await seatWithServers({ files: program() });
  await table.offered("mcp__files__echo");
  await table.call("mcp__files__echo", { words: "x" });
  const { request } = await table.next("request");
  expect(request).toMatchObject({ method: "approval", tool: "mcp__files__echo" });
  expect(request.method === "approval" && request.call).toContain('"server":"files","tool":"echo"');
});

test("images, links and shapes are told to the model in words, a failure as a failure, and a long text cut", async () => {
  const table = await seatWithServers({ files: program() });
  await table.offered("mcp__files__mixed");
  expect(await table.call("mcp__files__mixed")).toBe(
    "first\n[image image/png, 3 bytes, not shown]\n[resource a.txt: file:///a.txt]\ninside",
  );
  expect(await table.call("mcp__files__shaped")).toBe('{"sum":3}');
  expect(await table.call("mcp__files__fail")).toBe("it did not work");
  expect(last(table.all("tool_result"))).toMatchObject({ ok: false, error: { code: "tool_error" } });
  expect(await table.call("mcp__files__long")).toContain("bytes left out");
  expect(last(table.all("tool_result"))?.truncated).toMatchObject({ totalBytes: 200_000 });
});

test("a server sees the allow-listed environment and what its configuration names, and none of it comes up", async () => {
  const env = { PATH: process.env["PATH"], NAMED: "canary-named-value", OTHER: "canary-other-value" };
  const table = await seatWithServers({ files: { ...program("--flag"), env: ["NAMED"] } }, { env });
  await table.offered("mcp__files__facts");
  const facts = JSON.parse(await table.call("mcp__files__facts")) as { argv: string[]; env: Record<string, string> };
  expect(facts.argv).toEqual(["--flag"]);
  expect(Object.keys(facts.env).sort()).toEqual(["AI_AGENT", "NAMED", "PATH", "ROUNDTABLE_RUN"]);
  expect(facts.env["NAMED"]).toBe("•••");
  expect(JSON.stringify(table.events)).not.toMatch(/canary-(named|other)-value/);
});

test("a program gets the arguments and variables of the common shape, filled in", async () => {
  const { command } = program();
  const [node = "", ...args] = command;
  const table = await seatWithServers(
    { files: { command: [node], args: [...args, "${HOME}/x"], values: { TOKEN: "${SECRET}-more", PLAIN: "plain" } } },
    { env: { PATH: process.env["PATH"], HOME: "/nowhere", SECRET: "s3cret-value" } },
  );
  await table.offered("mcp__files__facts");
  const facts = JSON.parse(await table.call("mcp__files__facts")) as { argv: string[]; env: Record<string, string> };
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

test("a turn waits for no server; what is missing is said once, and again when it changed", async () => {
  const table = await seatWithServers({ mute: program("--mute"), gone: { command: ["no-such-program-here"] } });
  table.model.play([{ data: { choices: [{ index: 0, delta: { content: "ok" }, finish_reason: "stop" }] } }]);
  const saidOfGone = () =>
    table.all("warning").filter(({ message }) => message.startsWith("Tools from gone are not available"));
  for (let turn = 1; saidOfGone().length === 0; turn++) await table.run("hello", `before ${turn}`);
  await table.run("hello", "one");
  await table.run("hello", "two");
  const messages = table.all("warning").map(({ message }) => message);
  expect(messages.filter((message) => message.includes("mute"))).toEqual([
    "Tools from mute are not available yet: still connecting.",
  ]);
  expect(saidOfGone()).toHaveLength(1);
  expect(table.model.asked.flatMap(({ tools }) => tools).some(({ function: one }) => one.name.startsWith("mcp"))).toBe(
    false,
  );
  expect(await table.leave()).toEqual([]);
});

test("a server that ends at once is reported with its stderr", async () => {
  const table = await seatWithServers({ broken: program("--broken") });
  const from = table.events.length;
  for (;;) {
    await table.run("hello", `turn-${table.events.length}`);
    const found = table.events
      .slice(from)
      .find((event) => event.type === "warning" && /; stderr: /.test(event.message));
    if (found === undefined) continue;
    expect(found).toMatchObject({ code: "mcp", message: expect.stringContaining("the fake is out of order") });
    break;
  }
  expect(await table.leave()).toEqual([]);
});

test("a configuration that cannot be read costs the tools, not the turn", async () => {
  const table = await seatWithServers(() => {
    throw new Error("config.jsonc:3:1 mcpServers.x needs a command");
  });
  expect((await table.run("hello")).outcome).toBe("completed");
  expect(table.all("warning")).toEqual([
    {
      type: "warning",
      code: "mcp",
      message:
        "No MCP server is available: the configuration cannot be read: config.jsonc:3:1 mcpServers.x needs a command",
    },
  ]);
});

test("a list that changed is asked for again", async () => {
  const table = await seatWithServers({ files: program() });
  await table.offered("mcp__files__grow");
  await table.call("mcp__files__grow");
  await table.offered("mcp__files__grown");
  expect(await table.call("mcp__files__grown")).toBe("grown up");
});

test("a server that dies in a call fails that call, and is taken up again", async () => {
  const table = await seatWithServers({ files: program() });
  await table.offered("mcp__files__crash");
  expect(await table.call("mcp__files__crash")).toMatch(/^Error: Tool server files did not answer: /);
  await table.offered("mcp__files__echo");
  expect(await table.call("mcp__files__echo", { words: "again" })).toBe("again");
  expect(await table.leave()).toEqual([]);
});

test("a server over HTTP that is gone fails the call, and is found again when it is back", async () => {
  const server = await startHttpServer();
  const table = await seatWithServers({ web: { url: server.url } });
  await table.offered("mcp__web__echo");
  await server.end();
  expect(await table.call("mcp__web__echo", { words: "x" })).toMatch(/^Error: Tool server web did not answer: /);
  await startHttpServer(server.port);
  await table.offered("mcp__web__echo");
  expect(await table.call("mcp__web__echo", { words: "again" })).toBe("again");
});

test("an interrupted turn lets go of a call that hangs, and nothing of the server is left when the member is gone", async () => {
  const table = await seatWithServers({ files: program() });
  await table.offered("mcp__files__hang");
  const from = table.events.length;
  const hanging = table.call("mcp__files__hang");
  expect((await table.next("tool_output_delta", from)).text).toBe("hanging\n");
  table.agent.interrupt();
  expect((await table.next("turn_done", from)).outcome).toBe("interrupted");
  await hanging;
  await table.offered("mcp__files__echo");
  expect(await table.leave()).toEqual([]);
});
