/** `npm start` runs the packed program. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { packedProgram } from "../../tooling/packed-program.ts";

const run = promisify(execFile);

test("npm start runs the packed program, and prints nothing about building when it is up to date", async () => {
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  const program = await packedProgram();
  const started = await run(process.execPath, ["tooling/start.ts", "--version"]);
  expect(started).toEqual({ stdout: `${version}\n`, stderr: "" });
  expect(await packedProgram(() => expect.unreachable("it was packed twice"))).toBe(program);
});
