/**
 * Runs a mirrored session once, on a failing disk. Usage: mirror-life.ts ROOT [AT EFFECT]
 * Prints the operations as JSON if it completes.
 */
import { watchDisk, type Effect } from "../breaking-disk.ts";
import { prepareDirectories } from "../life-directories.ts";
import { changes, live } from "../mirror-life.ts";

const [root = "", at = "0", effect = "kill"] = process.argv.slice(2);
const disk = watchDisk(root, changes, { at: Number(at), effect: effect as Effect });
await live(prepareDirectories(root));
process.stdout.write(`${JSON.stringify({ operations: disk.operations, halves: disk.halves })}\n`);
process.exit(0);
