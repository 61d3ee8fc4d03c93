/** Says at its start why it cannot work, leaves a file that tells so, and dies of the first thing it is asked. */
import { writeFileSync, writeSync } from "node:fs";

writeSync(2, "the licence has expired\n");
writeFileSync("has-spoken", "");
process.stdin.once("data", () => process.exit(3));
