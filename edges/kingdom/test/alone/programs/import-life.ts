/** Imports a thread once, on a failing disk. Usage: import-life.ts ROOT [AT EFFECT]; prints the operations. */
import { watchDisk, type Effect } from "../breaking-disk.ts";
import { changes, importIn, prepareThread } from "../import-life.ts";

const [root = "", at = "0", effect = "kill"] = process.argv.slice(2);
prepareThread(root);
const disk = watchDisk(root, changes, { at: Number(at), effect: effect as Effect });
await importIn(root);
process.stdout.write(`${JSON.stringify({ operations: disk.operations, halves: disk.halves })}\n`);
