import { afterEach, describe, expect, test } from "vitest";
import { connect, listen, newDataDir, openHost } from "../../../test/host/open-host.ts";
import { ECHO, SETTINGS } from "../../../test/host/scripted-agent.ts";
import type { Client } from "../../client/index.ts";
import type { Host } from "../../host/index.ts";
import type { MemberSpec } from "../../protocol/index.ts";
import type { AskFlags } from "../flags.ts";
import { loadConfig } from "../config/load-config.ts";
import { settingsFromFlags } from "../sessions/defaults.ts";
import { readHead } from "../../client/index.ts";
import { chooseSession } from "./choose-session.ts";

let host: Host | undefined;
afterEach(async () => {
  await host?.close();
  host = undefined;
});

type Choose = (flags: AskFlags, members?: MemberSpec[]) => Promise<string>;

const env = (home: string) => ({ HOME: home, XDG_CONFIG_HOME: home });

async function sit(): Promise<{ client: Client; sessionId: string; choose: Choose }> {
  const cwd = newDataDir();
  host = await openHost(cwd);
  const client = await connect(host);
  const models = { name: "bob", kind: "claude", model: "one" } as const;
  const { sessionId } = await client.create({ cwd, title: "t", settings: SETTINGS, members: [ECHO, models] });
  const choose: Choose = async (flags, members = []) => {
    const resolver = { members: async () => members, introduce: () => {}, introduceWhenSearched: async () => {} };
    const { overrides } = settingsFromFlags(flags);
    const { config, overridden } = loadConfig({ cwd, env: env(cwd), overrides });
    return (await chooseSession(client, { config, overridden, resolver, flags, cwd, prompt: "and now?" })).sessionId;
  };
  return { client, sessionId, choose };
}

describe("a resumed session", () => {
  test("becomes writable with --writable through one event, and stays writable", async () => {
    const { client, sessionId, choose } = await sit();
    const heard = await listen(client, sessionId);
    expect(await choose({ resume: sessionId, writable: true })).toBe(sessionId);
    expect(await choose({ continue: true, writable: true })).toBe(sessionId);
    expect(await choose({ orNew: true })).toBe(sessionId);
    expect((await readHead(client, sessionId)).head.settings?.writable).toBe(true);
    expect(heard.events.filter(({ type }) => type === "settings_changed")).toMatchObject([
      { settings: { writable: true } },
    ]);
  });

  test("stays unchanged with --fork: the fork is asked, has its own title and may be writable", async () => {
    const { client, sessionId, choose } = await sit();
    const before = (await readHead(client, sessionId)).head.seq;
    const copyId = await choose({ resume: sessionId, fork: true, name: "Another way", writable: true });
    expect(copyId).not.toBe(sessionId);
    expect((await readHead(client, sessionId)).head).toMatchObject({ seq: before, settings: { writable: false } });
    expect((await readHead(client, copyId)).head).toMatchObject({ title: "Another way", settings: { writable: true } });
    await expect(choose({ fork: true })).rejects.toMatchObject({ exitCode: 2 });
    await expect(choose({ resume: sessionId, name: "x" })).rejects.toMatchObject({ exitCode: 2 });
  });

  test("applies --config keys and limits through one event; its other limits stay", async () => {
    const { client, sessionId, choose } = await sit();
    const heard = await listen(client, sessionId);
    const config = [
      "council.timeout=90",
      "council.mode=broadcast",
      "prompts.council=Discuss.",
      "council.writable=true",
    ];
    await choose({ continue: true, config, maxTurns: 5, maxBudgetUsd: 0.5 });
    await choose({ resume: sessionId, config, maxTurns: 5 });
    const limits = { ...SETTINGS.limits, turns: 5, usd: 0.5, session: { turns: 10_000, usd: 10_000 } };
    expect(heard.events.filter(({ type }) => type === "settings_changed")).toMatchObject([
      { settings: { timeout: 90, prompt: "Discuss.", writable: true, limits } },
    ]);
    await choose({ orNew: true, maxTime: 3, config: ["council.limits.session.usd=7"] });
    const { head } = await readHead(client, sessionId);
    const session = { turns: 10_000, usd: 7, minutes: 10_000 };
    expect(head.settings?.limits).toEqual({ ...limits, minutes: 3, session });
  });

  test.each([
    ["council.members=scout", "Remove one of them"],
    ["agents.zoe.kind=pi", "Remove one of them"],
    ["threads.mirror=true", "Remove one of them"],
    ["mcpServers.files.command=x", "Remove one of them"],
    ["approvals.deny=shell", "Use --allow instead"],
  ])("does not take --config %s, which is for a new one, and stays as it is", async (pair, hint) => {
    const { client, sessionId, choose } = await sit();
    const before = (await readHead(client, sessionId)).head.seq;
    await expect(choose({ continue: true, config: ["council.timeout=90", pair] })).rejects.toMatchObject({
      message: `--config ${pair.split("=")[0]} only applies to a new session and cannot be combined with --resume or -c`,
      hint: expect.stringContaining(hint),
      exitCode: 2,
    });
    expect((await readHead(client, sessionId)).head.seq).toBe(before);
  });

  test("uses the models of -m from then on; members that already use them are not switched, and an unknown name changes nothing", async () => {
    const { client, sessionId, choose } = await sit();
    const heard = await listen(client, sessionId);
    await choose({ continue: true, model: ["one"] });
    await choose({ continue: true, model: ["bob=two"] });
    await expect(choose({ continue: true, model: ["eve=x"], writable: true })).rejects.toMatchObject({ exitCode: 2 });
    const changes = heard.events.filter(({ type }) => type === "model_switched" || type === "settings_changed");
    expect(changes).toMatchObject([{ type: "model_switched", member: "bob", model: "two" }]);
  });

  test("a new session is created with --max-turns, --max-budget-usd and --max-time", async () => {
    const { client, choose } = await sit();
    const flags = { config: ["council.limits.turns=9"], maxTurns: 3, maxBudgetUsd: 0.25, maxTime: 1.5 };
    const { head } = await readHead(client, await choose(flags, [ECHO]));
    expect(head.settings?.limits).toEqual({ turns: 3, minutes: 1.5, tokens: 2_000_000, usd: 0.25 });
  });

  test("a new session is created with them", async () => {
    const { client, choose } = await sit();
    const members = [{ name: "ada", kind: "openai" } as const, ECHO];
    const { head } = await readHead(client, await choose({ model: ["large"] }, members));
    expect(Object.values(head.members).map(({ name, model }) => [name, model])).toEqual([
      ["ada", "large"],
      ["echo", undefined],
    ]);
  });
});
