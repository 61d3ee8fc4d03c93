/** The programs of examples/, run as their reader would. */
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { createHome, mainFile, root } from "./cli/program.ts";
import { startServing } from "./server/serve-program.ts";

const example = (name: string) => join(root, "examples", name);
const run = promisify(execFile);

test("the API client creates a session, sends a message and prints the answer", async () => {
  const serving = await startServing();
  try {
    const { home } = serving;
    const args = [example("api-client.mjs"), "where is parseWidget?"];
    const { stdout } = await run(process.execPath, args, {
      cwd: home.project,
      env: { ...home.env, ROUNDTABLE_HOME: home.dataDir },
    });
    expect(stdout).toContain("src/parser.js");
  } finally {
    await serving.stop();
  }
});

test("the echo agent answers as a member of the configuration", async () => {
  const home = createHome();
  home.configure({ agents: { echo: { kind: "acp", command: [process.execPath, example("echo-agent.mjs")] } } });
  const { stdout, stderr, code } = await home.run(["-p", "hello", "--members", "echo", "--allow-unguarded", "echo"]);
  expect([stdout, code], stderr).toEqual([expect.stringMatching(/You wrote \d+ characters, ending with:[^]*hello/), 0]);
});

test("the review script prints the answer of each member and exits as the run did", async () => {
  const home = createHome();
  const bin = join(home.directory, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "roundtable"), `#!/bin/sh\nexec "${process.execPath}" "${mainFile}" "$@"\n`, { mode: 0o755 });
  const { stdout } = await run(process.execPath, [example("review.mjs"), "where is parseWidget?"], {
    cwd: home.project,
    env: { ...home.env, PATH: `${bin}:${home.env["PATH"]}` },
  });
  expect(stdout).toMatch(/^## scout \(completed\)[^]*src\/parser\.js[^]*Continue with: roundtable --resume /);
});
