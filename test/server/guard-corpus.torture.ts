/** The whole corpus: every route, every method, every hostile head. */
import { expect, test } from "vitest";
import { countBodyBytes } from "./body-bytes.ts";
import { corpusCases, corpusFaults } from "./guard-corpus.ts";
import { createSession, openServer } from "./open-server.ts";

test("[V2] every hostile head is refused on every route with every method", async () => {
  const open = await openServer();
  const bodies = countBodyBytes();
  const target = { open, sessionId: await createSession(open), bodies };
  const cases = corpusCases(target);
  console.log(`${cases.length} heads`);
  expect(await corpusFaults(target, cases)).toEqual([]);
  bodies.stop();
  await open.close();
});
