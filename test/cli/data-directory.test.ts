/** The data directory must be private: another user could have planted a server, a token or a log in it. */
import { createServer } from "node:http";
import {
  chmodSync,
  chownSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { connect, openHost } from "../host/open-host.ts";
import { ECHO, SETTINGS } from "../host/scripted-agent.ts";
import { createHomeHere, type HomeHere } from "./run-here.ts";

const NOBODY = 65_534;
const asRoot = test.skipIf(process.getuid?.() !== 0);

async function talk(home: HomeHere): Promise<string> {
  const host = await openHost(home.dataDir);
  const client = await connect(host);
  const { sessionId } = await client.create({ cwd: "/", title: "A talk", settings: SETTINGS, members: [ECHO] });
  await host.close();
  return sessionId;
}

/** A server of somebody else, as it would stand in a directory that anybody can write to. */
async function plantServer(directory: string): Promise<{ asked: string[]; close: () => void }> {
  const asked: string[] = [];
  const server = createServer((request, answer) => {
    asked.push(request.url ?? "");
    answer.end('{"ok":true,"code":"planted"}');
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  writeFileSync(
    join(directory, "server.json"),
    JSON.stringify({ url: `http://127.0.0.1:${port}`, pid: process.pid, version: "0" }),
  );
  writeFileSync(join(directory, "token"), `${"x".repeat(43)}\n`);
  return { asked, close: () => server.close() };
}

test("a data directory that others can write is refused with the fix, and no planted server is contacted", async () => {
  const home = createHomeHere();
  mkdirSync(home.dataDir, { recursive: true });
  chmodSync(home.dataDir, 0o777);
  const planted = await plantServer(home.dataDir);
  const commands = [["web", "--no-open"], ["sessions", "list"], ["serve"], ["doctor"], ["agents"]];
  for (const args of commands) {
    const ran = await home.run(args);
    expect({ args, code: ran.code, stdout: ran.stdout }).toEqual({ args, code: 5, stdout: "" });
    expect(ran.stderr).toBe(
      `roundtable: the data directory ${home.dataDir} can be written by other users: its mode is 0777. Run \`chmod 700 ${home.dataDir}\`.\n`,
    );
  }
  planted.close();
  expect(planted.asked).toEqual([]);
  expect(readdirSync(home.dataDir).sort()).toEqual(["server.json", "token"]);
});

asRoot(
  "a data directory of another user, behind another user's link, or with another user's files is refused",
  async () => {
    const home = createHomeHere();
    const id = await talk(home);
    chownSync(home.dataDir, NOBODY, NOBODY);
    expect((await home.run(["sessions", "list"])).stderr).toContain(`belongs to another user, uid ${NOBODY}`);
    chownSync(home.dataDir, 0, 0);

    const real = `${home.dataDir}.real`;
    renameSync(home.dataDir, real);
    symlinkSync(real, home.dataDir);
    expect(await home.run(["sessions", "list"])).toMatchObject({ code: 0, stderr: "" });
    lchownSync(home.dataDir, NOBODY, NOBODY);
    expect((await home.run(["sessions", "rename", id, "x"])).stderr).toContain(
      `is reached through the link ${home.dataDir}, which another user could have made`,
    );
    rmSync(home.dataDir);
    renameSync(real, home.dataDir);

    const planted = await plantServer(home.dataDir);
    chownSync(join(home.dataDir, "server.json"), NOBODY, NOBODY);
    expect((await home.run(["web", "--no-open"])).stderr).toContain(
      "server.json in the data directory belongs to another user",
    );
    planted.close();
    expect(planted.asked).toEqual([]);
  },
);

test("a log, token or lock that is a symbolic link is refused, and its target stays unchanged", async () => {
  const home = createHomeHere();
  const id = await talk(home);
  const foreign = join(dirname(home.dataDir), "foreign.txt");
  for (const name of [`logs/${id}.jsonl`, `logs/${id}.lock`]) {
    writeFileSync(foreign, "not a log\n");
    const file = join(home.dataDir, name);
    renameSync(file, `${foreign}.kept`);
    symlinkSync(foreign, file);
    const ran = await home.run(["sessions", "rename", id, "taken over"]);
    expect(ran.code).not.toBe(0);
    expect(ran.stderr).toContain(`${file} is a symbolic link; not opened`);
    expect(readFileSync(foreign, "utf8")).toBe("not a log\n");
    rmSync(file);
    renameSync(`${foreign}.kept`, file);
  }
  symlinkSync(foreign, join(home.dataDir, "server.json"));
  expect((await home.run(["web", "--no-open"])).stderr).toContain("server.json is a symbolic link; not opened");
});

test("a configuration that others can write is refused with the fix", async () => {
  const home = createHomeHere();
  const configFile = join(dirname(home.dataDir), "config", "roundtable", "config.jsonc");
  mkdirSync(dirname(configFile), { recursive: true, mode: 0o700 });
  writeFileSync(configFile, "{}", { mode: 0o600 });
  for (const [directory, mode] of [
    [configFile, "600"],
    [dirname(configFile), "700"],
  ] as const) {
    chmodSync(directory, 0o777);
    const ran = await home.run(["config", "show"]);
    expect([ran.code, ran.stdout]).toEqual([5, ""]);
    expect(ran.stderr).toMatch(/^roundtable: the configuration (directory )?\S+ can be written by other users/);
    expect(ran.stderr).toContain(`Run \`chmod ${mode} ${directory}\`.`);
    chmodSync(directory, 0o700);
  }
  expect(await home.run(["config", "show"])).toMatchObject({ code: 0 });
});
