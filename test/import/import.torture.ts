/** `TORTURE=1 npx vitest run --project torture test/import`: many cuts and much harm. */
import { test } from "vitest";
import { recorded } from "./import-file.ts";
import { growsAlike, seedOfRun, standsHarm } from "./properties.ts";

const linear = recorded.filter((name) => name !== "claude-branches");

test.for(linear)("%s, cut in 60 ways", async (name) => growsAlike(name, { rounds: 60, seed: seedOfRun() }));

test.for(recorded)("%s, harmed in 100 ways", async (name) => standsHarm(name, { rounds: 100, seed: seedOfRun() }));
