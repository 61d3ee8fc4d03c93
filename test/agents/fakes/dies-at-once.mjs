/** Says why it cannot work and leaves, before it was asked anything. */
import { writeSync } from "node:fs";

writeSync(2, "the licence has expired\n");
process.exit(3);
