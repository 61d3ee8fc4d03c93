/** A sample of the cuts through the whole life of a session; the torture test has all of them. */
import { expect, test } from "vitest";
import { MemoryFiles } from "../log/memory-files.ts";
import { createRandom } from "../log/seeded-random.ts";
import { FIRST, judge, live, nothingPromised } from "./session-life.ts";
import { cutAt, operationsOfLife, refusedAt } from "./session-life-cuts.ts";

const seed = Number(process.env["ROUNDTABLE_SEED"] ?? Date.now() % 1_000_000);
const CUTS = 20;
const FAULTS = 12;
/** Fewer than a life has. */
const REFUSABLE = 200;

test("a life that is not cut ends as promised: every step was acknowledged, one session is left", async () => {
  const files = new MemoryFiles();
  const promised = nothingPromised();
  await live(files, promised);
  expect(Object.fromEntries(promised.cuts)).toEqual({ [FIRST]: ["list"], "01J0000000000000000000000B": ["nowhere"] });
  expect(promised.events.get(FIRST)?.filter((event) => event.type === "turn_end")).toHaveLength(2);
  expect(await judge(files.restart(), promised)).toEqual([]);
});

test(`[L81] ${CUTS} kills and ${CUTS} power cuts at random operations of a life: whole, nothing acknowledged lost`, async () => {
  console.log(`session life seed: ${seed}`);
  const random = createRandom(seed);
  const operations = await operationsOfLife();
  for (let cut = 0; cut < CUTS; cut++) {
    const at = 1 + Math.floor(random() * operations);
    for (const kind of ["kill", "power"] as const) {
      const wrong = await cutAt({ at, kind, seed: seed + cut });
      expect({ at, kind, seed: seed + cut, wrong }).toEqual({ at, kind, seed: seed + cut, wrong: [] });
    }
  }
});

test("[L83] an operation that the disk refuses, at random places of a life, leaves every session whole where it was or goes", async () => {
  const random = createRandom(seed);
  for (let fault = 0; fault < FAULTS; fault++) {
    const at = 1 + Math.floor(random() * REFUSABLE);
    const error = random() < 0.5 ? "EIO" : "ENOSPC";
    const { wrong } = await refusedAt(at, error);
    expect({ at, error, wrong }).toEqual({ at, error, wrong: [] });
  }
});

test("the judge notices a lost log, a session in two places, half a copy and a lost attachment", async () => {
  const whole = async () => {
    const files = new MemoryFiles();
    const promised = nothingPromised();
    // Long enough that the fork is made and nothing was deleted yet.
    files.fault = { at: 1, operations: ["link"], effect: "kill" };
    await live(files, promised);
    return { files: files.restart(), promised };
  };
  const log = `/data/logs/${FIRST}.jsonl`;
  const damages: Record<string, (files: MemoryFiles) => void> = {
    'place "nowhere"': (files) => files.moveAway(log, "/data/lost"),
    "is in the list and in the trash": (files) => {
      for (const directory of ["/data/trash", `/data/trash/${FIRST}`, `/data/trash/${FIRST}/logs`])
        files.mkdir(directory);
      files.replaceContent(`/data/trash/${FIRST}/logs/${FIRST}.jsonl`, files.contentOf(log) ?? Buffer.alloc(0));
    },
    "is half a copy": (files) => {
      const half = [...files.paths()].find((path) => path.startsWith("/data/forks/") && path.endsWith(".jsonl"));
      const lines = files
        .contentOf(half ?? "")
        ?.toString()
        .split("\n")
        .slice(0, 4)
        .join("\n");
      files.replaceContent("/data/logs/01J0000000000000000000000B.jsonl", Buffer.from(`${lines ?? ""}\n`));
    },
    "an attachment is gone": (files) => files.moveAway(`/data/blobs/${FIRST}`, "/data/elsewhere"),
  };
  for (const [words, damage] of Object.entries(damages)) {
    const { files, promised } = await whole();
    damage(files);
    expect((await judge(files, promised)).join("; "), words).toContain(words);
  }
});
