/** Closes its input before anything was read, says that it did, and lives on. */
import { closeSync } from "node:fs";
import { say, stay } from "./speak.mjs";

closeSync(0);
say({ ready: true });
stay();
