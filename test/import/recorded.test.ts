/** Session files that real programs have written (for some: in the form they write) become sessions. */
import { expect, test } from "vitest";
import { findSessionsIn } from "../../src/host/index.ts";
import { externalFormats } from "../edge-parts.ts";
import { bring, copyOf, fixtureOf, newDirectory, recorded, stateOf, readBack } from "./import-file.ts";

test.for(recorded)("%s reads as it was, and the files stay as they are", async (name) => {
  const [dataDir, store] = [newDirectory(), copyOf(name)];
  const before = stateOf(store);
  const { sessions: found, remarks } = await findSessionsIn(store, externalFormats);
  expect(remarks).toEqual([]);
  const read: string[] = [];
  for (const { path: file, format, title, messages } of found) {
    const { sessionId, isNew, warnings } = await bring(file, { dataDir, format });
    expect(isNew).toBe(true);
    read.push(`${format} · ${title} · ${messages} messages`, ...warnings.map((one) => `! ${one}`));
    read.push(...(await readBack(dataDir, sessionId)));
  }
  expect(stateOf(store)).toEqual(before);
  await expect(`${read.join("\n")}\n`).toMatchFileSnapshot(`${fixtureOf(name)}.told.txt`);
});
