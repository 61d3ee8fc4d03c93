/** The package as users get it: packed, unpacked elsewhere, without any dependency, on the Node they have. */
import { execFile, execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import {
  compatWireNames,
  directoryExporters,
  edges,
  embedded,
  exporters,
  exportLabels,
  importLabels,
} from "../../src/cli/edges.ts";
import { createHome, mainFile, root } from "./program.ts";

const directory = realpathSync(mkdtempSync(join(tmpdir(), "rt-pack-")));
const bin = join(directory, "package", "bin", "roundtable.js");
const about = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };

beforeAll(async () => {
  // What `prepack` would build once more is there already.
  rmSync(join(root, "dist"), { recursive: true, force: true });
  cpSync(join(dirname(mainFile), "..", "dist"), join(root, "dist"), { recursive: true });
  await promisify(execFile)("npm", ["pack", "--ignore-scripts", "--pack-destination", directory], { cwd: root });
  const archive = readdirSync(directory).find((name) => name.endsWith(".tgz")) ?? "";
  execFileSync("tar", ["xzf", join(directory, archive), "-C", directory]);
});

describe("the packed program", () => {
  test("holds bin, dist and the licences of what is inside, and needs no package", () => {
    const packed = JSON.parse(readFileSync(join(directory, "package", "package.json"), "utf8")) as Record<
      string,
      unknown
    >;
    expect([packed["dependencies"], packed["optionalDependencies"]]).toEqual([undefined, undefined]);
    expect(existsSync(join(directory, "package", "src"))).toBe(false);
    expect(packed["scripts"]).toMatchObject({ prepack: "node tooling/build.ts" });
    const licences = readFileSync(join(directory, "package", "dist", "THIRD-PARTY.txt"), "utf8");
    for (const name of ["commander", "jsonc-parser", "ulid", "zod"])
      expect(licences).toMatch(new RegExp(`^${name} \\d`, "m"));
  });

  test("asks, lists and completes; stderr stays empty", async () => {
    const home = createHome();
    const run = (args: string[]) => home.run(args, { program: bin });
    const asked = await run(["-p", "Where is parseWidget?"]);
    expect({ code: asked.code, stderr: asked.stderr }).toEqual({ code: 0, stderr: "" });
    expect(asked.stdout).toContain("src/parser.js:1");
    const runs = [
      await run(["sessions", "list"]),
      await run(["doctor"]),
      await run(["config", "schema"]),
      await run(["--help"]),
    ];
    expect(runs.map((ran) => [ran.code, ran.stderr])).toEqual(runs.map(() => [0, ""]));
    const versions = await Promise.all([["--version"], ["-v"], ["-V"], ["-V", "--json"]].map(run));
    expect(versions.map((ran) => [ran.code, ran.stdout])).toEqual(versions.map(() => [0, `${about.version}\n`]));
  });

  test("has its edges: their commands, wires, formats and members are listed, and load", async () => {
    const home = createHome();
    const run = (args: string[], stdin?: string) =>
      home.run(args, { program: bin, ...(stdin === undefined ? {} : { stdin }) });
    const help = (await run(["--help"])).stdout.replaceAll(/\s+/g, " ");
    expect([exportLabels.length, importLabels.length, compatWireNames.length, embedded.length]).not.toContain(0);
    for (const label of [...exportLabels, ...importLabels]) expect(help).toContain(label);
    const serve = await run(["serve", "--compat", "none-such"]);
    for (const wire of compatWireNames) expect(serve.stderr).toContain(wire);

    const isEdge = (name: string) => edges.some((edge) => edge.name === name);
    if (isEdge("acp-agent")) {
      const initialize = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1 } };
      expect((await run(["acp"], `${JSON.stringify(initialize)}\n`)).stdout).toContain('"agentCapabilities"');
    }
    if (isEdge("lemon")) {
      expect((await run(["rpc"], '{"type":"list_sessions"}\n{"type":"quit"}\n')).stdout).toContain('"type":"ready"');
    }

    const members = embedded.map(({ name }) => name);
    const asked = await run(["-p", "Where is parseWidget?", "--json", "--members", members.join(",")]);
    expect(asked).toMatchObject({ code: 0, stderr: "" });
    const directory = join(home.directory, "out");
    for (const { name } of [...exporters, ...directoryExporters]) {
      expect(await run(["export", "--all", "--format", name, "-o", directory])).toMatchObject({ code: 0 });
    }
    const listed = await run(["import", "--list", "--json", directory]);
    expect(listed).toMatchObject({ code: 0 });
    for (const { name } of directoryExporters) expect(listed.stdout).toContain(`"format":"${name}"`);
  });

  const old = ["/usr/bin/node", "/usr/local/bin/node"].find((path) => existsSync(path) && majorOf(path) < 24);
  test.skipIf(old === undefined)(
    "on an older Node one sentence names the needed version and how to get it",
    async () => {
      const ran = await createHome().run(["-p", "x"], { program: bin, node: old ?? "" });
      expect({ code: ran.code, stdout: ran.stdout }).toEqual({ code: 1, stdout: "" });
      expect(ran.stderr).toMatch(
        /^roundtable: this is Node \d+\.\d+\.\d+, but Node 24 or newer is needed\. Get it (?:with: npm i -g node-\S+@24|from https:\/\/nodejs\.org)\n$/,
      );
    },
  );
});

function majorOf(node: string): number {
  return Number(/^v(\d+)/.exec(spawnSync(node, ["-v"]).stdout.toString())?.[1] ?? Infinity);
}
