import { expect, test } from "vitest";
import { runTwoPasses, type Pass } from "../tooling/two-passes.ts";

/** Files that fail at first, and those of them that fail again; what is said, which files ran again, and whether it holds. */
async function passes(failed: readonly string[] | undefined, failAgain: readonly string[] = []) {
  const [ran, said]: [string[], string[]] = [[], []];
  const run = async (...files: string[]): Promise<Pass> => {
    ran.push(files.join(" "));
    const isOk = files.length === 0 ? failed?.length === 0 : !failAgain.includes(files.join());
    return { isOk, failed: files.length === 0 ? failed : files };
  };
  const holds = await runTwoPasses(run, (line) => said.push(line));
  return { holds, ran, said };
}

test("nothing runs twice when every file passes", async () => {
  expect(await passes([])).toEqual({ holds: true, ran: [""], said: [] });
});

test("up to three failed files run again one by one, and are named when they pass", async () => {
  expect(await passes(["a", "b", "c"])).toEqual({
    holds: true,
    ran: ["", "a", "b", "c"],
    said: ["3 files failed at first and ran again, alone:", "  a passed", "  b passed", "  c passed"],
  });
});

test("a file that fails again fails the run, and the others are still tried", async () => {
  expect(await passes(["a", "b"], ["a"])).toEqual({
    holds: false,
    ran: ["", "a", "b"],
    said: ["2 files failed at first and ran again, alone:", "  a FAILED again", "  b passed"],
  });
});

test("more than three failed files fail the run at once, and are named", async () => {
  expect(await passes(["a", "b", "c", "d"])).toEqual({
    holds: false,
    ran: [""],
    said: ["4 files failed, too many to try them again:", "  a", "  b", "  c", "  d"],
  });
});

test("a run that failed for another reason than its files is not tried again", async () => {
  expect(await passes(undefined)).toEqual({ holds: false, ran: [""], said: [] });
});
