/** Every fault of the disk at every operation of a scripted run, one by one until the run passes untouched. */
import { describe, expect, test } from "vitest";
import type { Defect } from "./broken-files.ts";
import { checkHistory, emptyHistory, runScenario, type Cut } from "./history.ts";
import { MemoryFiles, type Fault } from "./memory-files.ts";
import { createRandom } from "./seeded-random.ts";
import { rounds } from "../rounds.ts";

const OPERATIONS_MAX = 2000;

type FaultKind = Omit<Fault, "at">;

/** At every operation in torture; otherwise at the first and, from a random one on, at every so many. */
const STEP = rounds(4, 1);

/** The first wrong thing found with the fault at one operation after the other; undefined when the run passed untouched. */
async function firstWrong(kind: FaultKind, cuts: readonly Cut[], defect?: Defect): Promise<string | undefined> {
  const step = defect === undefined ? STEP : 1;
  const second = 2 + Math.floor(Math.random() * step);
  for (let at = 1; at < OPERATIONS_MAX; at = at === 1 ? second : at + step) {
    const files = new MemoryFiles();
    files.fault = { ...kind, at };
    const history = emptyHistory();
    await runScenario(files, history, { defect });
    const { hits } = files;
    if (hits === 0) {
      expect(at).toBeGreaterThan(1);
      return undefined;
    }
    files.fault = undefined;
    const seed = at * 7919;
    for (const cut of cuts) {
      const after = cut === "power" ? files.powerCut(createRandom(seed)) : files.restart();
      const wrong = await checkHistory(after, history, cut, defect);
      if (wrong.length > 0) return `fault at operation ${at} (${cut}, seed ${seed}): ${wrong.join("; ")}`;
    }
  }
  return "the run never passed untouched";
}

/** A power cut leaves a copy of the files and a restart goes on with them, so that one comes last. */
const BOTH: readonly Cut[] = ["power", "kill"];
const writing = ["write", "overwrite", "create", "mkdir", "rename"] as const;

describe("a fault at the n-th operation", () => {
  test.each<[string, FaultKind]>([
    ["short write", { effect: "short-write", operations: ["write"] }],
    ["ENOSPC", { effect: { error: "ENOSPC" }, operations: writing }],
    ["EDQUOT", { effect: { error: "EDQUOT" }, operations: writing }],
    ["EROFS", { effect: { error: "EROFS" }, operations: [...writing, "truncate"] }],
    [
      "EIO",
      { effect: { error: "EIO" }, operations: [...writing, "truncate", "unlink", "read", "open", "stat", "fstat"] },
    ],
    ["EMFILE", { effect: { error: "EMFILE" }, operations: ["open", "create"] }],
    ["failed fdatasync", { effect: { error: "EIO" }, operations: ["datasync"] }],
    ["failed directory sync", { effect: { error: "EIO" }, operations: ["syncDirectory"] }],
  ])(
    "[L9] %s, once and lasting: nothing acknowledged is lost, doubled or torn, and the log recovers",
    async (_name, kind) => {
      expect(await firstWrong(kind, BOTH)).toBeUndefined();
      expect(await firstWrong({ ...kind, persistent: true }, BOTH)).toBeUndefined();
    },
  );

  test("[L10] a kill: every delivered event is in the file, and no line is partial", async () => {
    expect(await firstWrong({ effect: "kill" }, ["kill"])).toBeUndefined();
  });

  test("[L11] a power cut: everything up to the last acknowledged sync event is there, the rest is whole or shown", async () => {
    expect(await firstWrong({ effect: "kill" }, ["power"])).toBeUndefined();
  });
});

describe("the checker finds each deliberate defect", () => {
  test.each<[Defect, Cut, RegExp]>([
    ["ack-before-write", "kill", /acknowledged .* is lost/],
    ["split-write", "kill", /a half line after a kill/],
    ["skip-recovery", "power", /opened for writing after a half line/],
    ["reuse-epoch", "kill", /epoch 1 again/],
  ])("%s is noticed after a %s cut", async (defect, cut, words) => {
    expect(await firstWrong({ effect: "kill" }, [cut], defect)).toMatch(words);
  });
});
