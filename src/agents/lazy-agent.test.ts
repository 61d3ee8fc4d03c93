import { expect, test } from "vitest";
import { settleDown, sitDown } from "../../test/agents/table-of-one.ts";
import { AgentKind, type MemberSpec } from "../protocol/index.ts";
import { lazyKinds } from "./kinds.ts";
import { createLazyAgent } from "./lazy-agent.ts";
import { createProcessRecords } from "./process/tracking/process-records.ts";
import { chooseProcessTable } from "./process/table/choose-process-table.ts";

const capabilities = lazyKinds.claude.capabilities({ name: "a", kind: "claude" });

test("what a kind is said to be able to do before it is loaded is what its agent says", async () => {
  const records = createProcessRecords({ dataDir: "/nowhere", table: chooseProcessTable() });
  const setup = { sessionId: "s", cwd: "/", writable: false, records };
  const specs: MemberSpec[] = [
    ...AgentKind.options.map((kind): MemberSpec => ({ name: "one", kind, baseUrl: "http://127.0.0.1:1/v1" })),
    { name: "one", kind: "acp", command: ["gemini", "--acp"] },
    { name: "one", kind: "acp", command: ["/usr/bin/opencode", "acp"] },
    { name: "one", kind: "acp", command: ["agent", "acp"] },
    { name: "one", kind: "cursor", command: ["cursor-agent", "-p"] },
  ];
  for (const spec of specs) {
    // Without a command an acp member is nobody, whatever its kind can do.
    if (spec.kind === "embedded" || (spec.kind === "acp" && spec.command === undefined)) continue;
    const kind = lazyKinds[spec.kind];
    const agent = await kind.load(spec, setup);
    expect([spec.kind, spec.command, kind.capabilities(spec)]).toEqual([spec.kind, spec.command, agent.capabilities]);
    await agent.close();
  }
});

test("an agent whose code cannot be loaded ends each turn errored and says so; one closed while it loads says nothing", async () => {
  const load = () => Promise.reject(new Error("no such file"));
  const table = await sitDown(createLazyAgent({ member: "ada", capabilities, load }));
  expect(await table.run("hello")).toMatchObject({ outcome: "errored", error: { code: "not_started" } });
  await table.agent.close();
  const loading = Promise.withResolvers<never>();
  const late = createLazyAgent({ member: "ada", capabilities, load: () => loading.promise });
  const events: unknown[] = [];
  const started = late.start((event) => void events.push(event));
  const closed = late.close();
  loading.reject(new Error("gone"));
  await Promise.all([started, closed]);
  late.send({ kind: "turn", turnId: "t", text: "x", attachments: [] });
  await settleDown();
  expect(events).toEqual([]);
});
