import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratchTree } from "../../../test/agents/scratch-tree.ts";
import { seenFrom } from "../search/references.ts";
import { createTextReader } from "../../../src/agents/index.ts";
import { checkLocation } from "./check-locations.ts";
import { readClaims } from "./claims.ts";

const LOCK =
  "/** Takes it. */\nexport function takeLock(path) {\n  return new Lock(path);\n}\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\nclass Lock {\n  release() {}\n}\n";
const PATHS = ["src/lock.ts", "a/index.ts", "b/index.ts", "gone.ts", "image.png"];

async function verdictsOn(text: string) {
  const above = await scratchTree({
    "beside.ts": "beside\n",
    "in/src/lock.ts": LOCK,
    "in/a/index.ts": "one\n",
    "in/b/index.ts": "one\ntwo\n",
    "in/hidden.txt": "secret\n",
    "in/image.png": "x",
  });
  const root = join(above, "in");
  await symlink("/etc", join(root, "away"));
  const files = { paths: PATHS, root, reader: createTextReader(root) };
  const { locations: places } = readClaims("codex", seenFrom(root, text.replaceAll("ROOT", root)), ["codex"]);
  const verdicts = await Promise.all(places.map((place) => checkLocation(place, files)));
  return verdicts.map(({ kind, sentence }) =>
    kind === "holds" ? kind : `${kind}: ${sentence.replaceAll(root, "ROOT")}`,
  );
}

test.each([
  ["`src/lock.ts:2` defines `takeLock`.", "holds"],
  ["`lock.ts:2`", "holds"],
  ["`ROOT/src/lock.ts:2`", "holds"],
  ["`src/lock.ts` has 25 lines.", "holds"],
  ["`src/lock.ts` has 26 lines.", "wrong: `src/lock.ts` has 25 lines, not 26."],
  ["`src/lock.ts:26`", "wrong: `src/lock.ts:26`: the file has only 25 lines."],
  ["`src/lock.ts:20-26`", "wrong: `src/lock.ts:20`: the file has only 25 lines."],
  ["`lib/lock.ts:2`", "wrong: `lib/lock.ts:2`: there is no such file; there is `src/lock.ts`."],
  ["`src/bridge.ts`", "wrong: `src/bridge.ts`: there is no such file."],
  ["`gone.ts:1`", "wrong: `gone.ts` cannot be read: it was deleted, or access is denied."],
  ["`src/lock.ts:2` has `takeLock`.", "holds"],
  ["`src/lock.ts:23` has `takeLock`.", "wrong: `src/lock.ts:23`: `takeLock` is not there; it is on line 2."],
  ["`src/lock.ts:2` has `giveLock`.", "wrong: `src/lock.ts:2`: `giveLock` is not there; the file does not contain it."],
  ["`Lock` is defined in `src/lock.ts:2`.", "wrong: `src/lock.ts:2`: `Lock` is not defined there but on line 23."],
  [
    "`Bridge` is defined in `src/lock.ts`.",
    "wrong: `src/lock.ts`: `Bridge` is not defined there; the file does not contain that name.",
  ],
  ["`src/lock.ts:3` `return new Lock(path);`", "holds"],
  ["`src/lock.ts:3`\n\n```ts\nreturn   new Lock(path);\n// …\n```", "holds"],
  ["`src/lock.ts:3`\n\n```ts\nreturn new Lo …\n```", "holds"],
  [
    "`src/lock.ts:3`\n\n```ts\nreturn new Lock(path);\nreturn null;\n```",
    "wrong: `src/lock.ts:3`: 1 of 2 quoted lines is not in the file, for example `return null;`.",
  ],
  ["`index.ts:2`", "holds"],
  ["`index.ts:3`", "unproven: `index.ts:3` matches none of the files it could mean: `a/index.ts` and `b/index.ts`."],
  ["`image.png`, `src/lock.ts`", "holds"],
])("%j: %s", async (text, expected) => {
  expect((await verdictsOn(text))[0]).toBe(expected);
});

test("files outside the directory are never opened, and unlisted files are not shown", async () => {
  expect(await verdictsOn("`../beside.ts:1`, `/etc/hosts.conf:1`, `~/x.txt:1`")).toEqual([
    "unproven: `../beside.ts:1` is outside this directory, so I did not check it.",
    "unproven: `/etc/hosts.conf:1` is outside this directory, so I did not check it.",
    "unproven: `~/x.txt:1` is outside this directory, so I did not check it.",
  ]);
  expect(await verdictsOn("`away/host.conf:1`")).toEqual(["wrong: `away/host.conf:1`: there is no such file."]);
  expect(await verdictsOn("`hidden.txt:1` has `otherThing`.")).toEqual(["holds"]);
  expect(await verdictsOn("`hidden.txt:9`")).toEqual(["wrong: `hidden.txt:9`: the file has only 1 line."]);
});
