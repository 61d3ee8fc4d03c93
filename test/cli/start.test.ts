/** `npm start` runs the packed program. */
import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
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

test("npm start in a checkout where nothing is installed says what to run first", async () => {
  const checkout = mkdtempSync(path.join(tmpdir(), "checkout-"));
  mkdirSync(path.join(checkout, "tooling"));
  copyFileSync("package.json", path.join(checkout, "package.json"));
  copyFileSync("tooling/installed.js", path.join(checkout, "tooling", "installed.js"));
  const started = await run("npm", ["start"], {
    cwd: checkout,
    env: { ...process.env, npm_config_cache: checkout },
  }).catch((error: { code: number; stderr: string }) => error);
  expect(started).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("roundtable: nothing is installed here yet. Run npm ci --ignore-scripts first.\n"),
  });
});
