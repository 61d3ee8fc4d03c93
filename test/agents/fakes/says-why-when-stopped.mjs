/** Closes its input before anything was read, and says why only when it is told to leave. */
import { closeSync, writeSync } from "node:fs";
import { say, stay } from "./speak.mjs";

const leave = () => {
  writeSync(2, "the licence has expired\n");
  process.exit(3);
};
process.on("SIGINT", leave).on("SIGTERM", leave);
closeSync(0);
say({ ready: true });
stay();
