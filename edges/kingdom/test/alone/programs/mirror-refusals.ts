/**
 * Runs a mirrored session many times, some in parallel, each with one failing operation.
 * Usage: mirror-refusals.ts ROOT EFFECT AT...; prints the failed operation and the errors of each as a JSON line.
 */
import path from "node:path";
import { watchDisk, type Effect } from "../breaking-disk.ts";
import { prepareDirectories } from "../life-directories.ts";
import { judge } from "../mirror-judge.ts";
import { inTree, live } from "../mirror-life.ts";

const AT_ONCE = 4;
const [root = "", effect = "EIO", ...points] = process.argv.slice(2);

let lives = 0;

async function refuse(at: number): Promise<object> {
  lives += 1;
  const own = path.join(root, `life-${lives}`);
  const disk = watchDisk(own, inTree, { at, effect: effect as Effect });
  const directories = prepareDirectories(own);
  // Each step waits for its effect: a run completes only if the mirror continues after the failure.
  const failure = await live(directories).then(
    () => [],
    (error: unknown) => [String(error)],
  );
  disk.end();
  const { hit, operations, halves } = disk;
  const wrong = await judge(directories).catch((error: unknown) => [String(error)]);
  return { at, hit, operations: operations.length, halves, wrong: [...failure, ...wrong] };
}

const waiting = points.map(Number);
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    for (let at = waiting.shift(); at !== undefined; at = waiting.shift())
      process.stdout.write(`${JSON.stringify(await refuse(at))}\n`);
  }),
);
process.exit(0);
