import { readdirSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { hostilePrompts } from "../hostile-prompts.ts";
import { openHost } from "./seat-codex.ts";

const host = openHost();
afterAll(() => host.close());

test("hostile prompts reach Codex byte for byte, its arguments stay the same, and nothing is run", async () => {
  expect(hostilePrompts.length).toBeGreaterThanOrEqual(37);
  const table = await host.seat({ isReadOnly: true });
  for (const [at, { text }] of hostilePrompts.entries()) {
    table.agent.send({ kind: "turn", turnId: `t${at}`, text, attachments: [] });
    await table.next("turn_done", table.events.length);
  }
  const turns = host.log().flatMap(({ turn }) => (turn === undefined ? [] : [turn.text]));
  expect(turns.map((text, at) => text === hostilePrompts[at]?.text.toWellFormed())).toEqual(
    hostilePrompts.map(() => true),
  );
  expect(host.log().flatMap(({ argv }) => (argv === undefined ? [] : [argv.at(-1)]))).toEqual(["app-server"]);
  expect(readdirSync(host.dataDir).toSorted()).toEqual(["fake.log", "run"]);
});
