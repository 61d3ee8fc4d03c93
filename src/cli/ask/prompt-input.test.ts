import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const MODULE = fileURLToPath(new URL("prompt-input.ts", import.meta.url));

/** Starts reading, then blocks longer than the silence limit. */
const HELD_UP = `
  import { readStdin } from ${JSON.stringify(MODULE)};
  const reading = readStdin({ isOptional: true, warn: (line) => console.log(line) });
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_100);
  console.log(await reading);
`;

test("input piped in time is read even when the process was suspended past the deadline", () => {
  const args = ["--input-type=module", "--eval", HELD_UP];
  const { stdout } = spawnSync(process.execPath, args, { input: "the whole diff", encoding: "utf8" });
  expect(stdout).toBe("the whole diff\n");
});
