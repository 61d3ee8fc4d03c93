/** How each kind of agent is told how hard to think, as its program gets it. */
import { afterEach, expect, test } from "vitest";
import { startAcpFake, type AcpFakeOptions } from "./acp/start-acp-fake.ts";
import { startClaude } from "./claude/start-claude.ts";
import { openHost } from "./codex/codex-host.ts";
import { startOpenAi } from "./openai/start-openai.ts";
import { startPi } from "./pi/start-pi.ts";

const leaving: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(leaving.splice(0).map((leave) => leave()));
});

test("Claude Code and Pi get it as an argument, and a level that they do not know not at all", async () => {
  const argvOf = async (effort: string) => {
    const [claude, pi] = await Promise.all([startClaude({ effort }), startPi({ effort })]);
    leaving.push(
      () => claude.leave(),
      () => pi.leave(),
    );
    await Promise.all([claude.run("hello"), pi.run("hello")]);
    const args = [claude.got(), pi.got()].map((got) =>
      (got.find(({ argv }) => argv !== undefined)?.argv ?? []).join(" "),
    );
    return args.map((line) => /--effort=\S+|--thinking \S+/.exec(line)?.[0]);
  };
  expect(await argvOf("high")).toEqual(["--effort=high", "--thinking high"]);
  expect(await argvOf("--dangerous")).toEqual([undefined, undefined]);
});

test("Codex gets it with every turn", async () => {
  const host = openHost();
  leaving.push(() => host.close());
  const probe = await host.start({ effort: "xhigh" });
  await probe.run("one", "one");
  await probe.run("two", "two");
  expect(host.log().flatMap(({ turn, effort }) => (turn === undefined ? [] : [effort]))).toEqual(["xhigh", "xhigh"]);
});

test("sets the effort of an ACP agent by its own option; warns without one, or without that level", async () => {
  const tell = async (options: AcpFakeOptions) => {
    const probe = await startAcpFake(options);
    leaving.push(() => probe.leave());
    const end = await probe.run("facts");
    const text = probe.all("text_delta").map((one) => one.text);
    const { effort } = JSON.parse(text.join("")) as { effort: string };
    return [end.outcome, effort, ...probe.all("warning").map(({ message }) => message)];
  };
  expect(await tell({ flags: ["--thinks"], spec: { effort: "high" } })).toEqual(["completed", "high"]);
  expect(await tell({ flags: ["--thinks"], spec: { effort: "huge" } })).toEqual([
    "completed",
    "medium",
    'member does not support the effort "huge": it offers low, medium, high. It uses its own.',
  ]);
  expect(await tell({ spec: { effort: "high" } })).toEqual([
    "completed",
    "medium",
    'member does not support the effort "high": it does not let a client choose one. It uses its own.',
  ]);
});

test("a model server gets it as its API has it, and not at all where none was chosen", async () => {
  const bodyOf = async (spec: Parameters<typeof startOpenAi>[0]) => {
    const probe = await startOpenAi(spec);
    await probe.run("hello");
    return probe.server.requests[0]?.body ?? {};
  };
  expect((await bodyOf({ spec: { effort: "low" } }))["reasoning_effort"]).toBe("low");
  expect(await bodyOf({})).not.toHaveProperty("reasoning_effort");
  const responses = await bodyOf({ spec: { effort: "low", api: "responses" } });
  expect(responses["reasoning"]).toEqual({ summary: "auto", effort: "low" });
});
