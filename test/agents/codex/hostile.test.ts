import { readdirSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { hostilePrompts } from "../hostile-prompts.ts";
import { openHost } from "./codex-host.ts";

const host = openHost();
afterAll(() => host.close());

test("hostile prompts reach Codex byte for byte, its arguments stay the same, and nothing is run", async () => {
  expect(hostilePrompts.length).toBeGreaterThanOrEqual(37);
  const probe = await host.start({ isReadOnly: true });
  for (const [at, { text }] of hostilePrompts.entries()) {
    probe.agent.send({ kind: "turn", turnId: `t${at}`, text, attachments: [] });
    await probe.next("turn_done", probe.events.length);
  }
  const turns = host.log().flatMap(({ turn }) => (turn === undefined ? [] : [turn.text]));
  expect(turns.map((text, at) => text === hostilePrompts[at]?.text.toWellFormed())).toEqual(
    hostilePrompts.map(() => true),
  );
  expect(host.log().flatMap(({ argv }) => (argv === undefined ? [] : [argv.at(-1)]))).toEqual(["app-server"]);
  expect(readdirSync(host.dataDir).toSorted()).toEqual(["fake.log", "run"]);
});
