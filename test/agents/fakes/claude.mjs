// Starts the fake of this name in a third of the time: members get too little of our environment to find the cache.
import { enableCompileCache } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

enableCompileCache(join(tmpdir(), "roundtable-tests-compiled"));
await import("./claude.ts");
