import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { loadConfig } from "./load-config.ts";
import { mcpServersFor } from "./mcp-servers.ts";
import { CONFIG_BYTES_MAX } from "./read-config-file.ts";
import { trust, trustFile } from "./trust.ts";

interface Place {
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly user: string;
  readonly own: string;
  readonly shared: string;
}

/** A directory inside a checkout whose root has the files. */
function place(): Place {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "rt-project-")));
  const root = join(home, "project");
  const cwd = join(root, "deep");
  mkdirSync(cwd, { recursive: true });
  write(join(root, ".git", "HEAD"), "ref: refs/heads/main\n");
  return {
    cwd,
    env: { HOME: home, XDG_CONFIG_HOME: join(home, "config") },
    user: join(home, "config", "roundtable", "config.jsonc"),
    own: join(root, ".roundtable", "config.jsonc"),
    shared: join(root, ".mcp.json"),
  };
}

function write(file: string, value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return text;
}

const program = (command: string) => ({ command });

test("servers of a trusted .mcp.json override the user's and are overridden by the project's own, by name", async () => {
  const { cwd, env, user, own, shared } = place();
  write(user, { mcpServers: { one: program("user"), two: program("user"), four: program("user") } });
  const text = write(
    shared,
    '{\n  "mcpServers": {\n    "two": { "command": "shared" },\n    "three": { "command": "shared" } } }',
  );
  await trust(shared, text, env);
  await trust(own, write(own, { mcpServers: { three: program("own") } }), env);
  const { config, settings, warnings } = loadConfig({ cwd, env });
  expect(warnings).toEqual([]);
  expect(config.mcpServers).toEqual({
    one: program("user"),
    two: program("shared"),
    three: program("own"),
    four: program("user"),
  });
  expect(settings.find(({ path }) => path === "mcpServers.two")?.origin).toBe(`${shared}:3:12`);
  expect(Object.keys(mcpServersFor(cwd, env))).toEqual(["one", "two", "four", "three"]);
});

test("an untrusted or since changed .mcp.json is not used, with one warning for both files", async () => {
  const { cwd, env, own, shared } = place();
  const text = write(shared, { mcpServers: { one: program("x") } });
  expect(loadConfig({ cwd, env }).config.mcpServers).toBeUndefined();
  expect(loadConfig({ cwd, env }).warnings).toEqual([
    `the project's ${shared} is not trusted and was ignored. Read it, then run: roundtable config trust`,
  ]);
  write(own, {});
  expect(loadConfig({ cwd, env }).warnings).toEqual([
    `the project's ${shared} and ${own} are not trusted and were ignored. Read them, then run: roundtable config trust`,
  ]);
  await trust(own, "{}", env);
  await trust(shared, text, env);
  expect(loadConfig({ cwd, env }).warnings).toEqual([]);
  write(shared, `${text} `);
  expect(loadConfig({ cwd, env })).toMatchObject({ warnings: [expect.stringContaining(`${shared} is not trusted`)] });
  expect(mcpServersFor(cwd, env)).toEqual({});
});

test("one without servers needs no trust, and outside a checkout only the directory itself is searched", () => {
  const { cwd, env, shared } = place();
  for (const empty of ["", "{}", '{ "mcpServers": {} }', '{ "inputs": [], "mcpServers": {} }']) {
    write(shared, empty);
    expect(loadConfig({ cwd, env }).warnings).toEqual([]);
  }
  const outside = mkdtempSync(join(tmpdir(), "rt-outside-"));
  write(join(outside, ".mcp.json"), { mcpServers: { one: program("x") } });
  mkdirSync(join(outside, "below"));
  expect(loadConfig({ cwd: join(outside, "below"), env }).warnings).toEqual([]);
  expect(loadConfig({ cwd: outside, env }).warnings).toHaveLength(1);
});

test("unknown keys of other programs are ignored, and an unusable server does not affect the others", async () => {
  const { cwd, env, shared } = place();
  const others = { autoApprove: ["*"], alwaysAllow: [], timeout: 60, cwd: "/", description: "x", oauth: { a: 1 } };
  const text = write(shared, {
    inputs: [{ id: "token" }],
    mcpServers: {
      program: {
        type: "local",
        command: "npx",
        args: ["-y", "x"],
        env: { A: "${A}" },
        url: null,
        headers: {},
        ...others,
      },
      web: { type: "streamableHttp", url: "https://example.org/mcp", headers: { A: "b" }, env: {}, ...others },
      off: { command: "x", enabled: false },
      "my server": { command: "x" },
      nothing: { note: "to do" },
      socket: { type: "ws", url: "https://example.org" },
      text: "x",
    },
  });
  await trust(shared, text, env);
  const { config, warnings } = loadConfig({ cwd, env });
  expect(config.mcpServers).toEqual({
    program: { type: "stdio", command: "npx", args: ["-y", "x"], env: { A: "${A}" } },
    web: { type: "http", url: "https://example.org/mcp", headers: { A: "b" } },
    off: { command: "x", disabled: true },
  });
  expect(warnings).toEqual([
    expect.stringMatching(
      /\.mcp\.json:1:\d+: the name "mcpServers\.my server" must be a name: .*; this tool server and 3 others in the file are skipped$/,
    ),
  ]);
});

test.each([
  ['{\n  "mcpServers": {\n    "a": { "command": "x" }\n', ":4:1: not valid JSON: close brace expected"],
  ['{ "mcpServers": [] }', ':1:17: "mcpServers" must be an object'],
  ["[1]", ":1:1: the file must be an object"],
  ['{ "mcpServers": { "a": {}, "a": {} } }', ':1:28: the key "a" is given twice'],
  ["[".repeat(200_000), ": values are nested too deeply"],
])("a file that is none is a warning with its place, trusted or not, and nothing stops (%#)", async (text, why) => {
  const { cwd, env, shared } = place();
  write(shared, text);
  const warnings = [`${shared}${why}; the file was ignored`];
  expect(loadConfig({ cwd, env }).warnings).toEqual(warnings);
  await trust(shared, text, env);
  expect(loadConfig({ cwd, env }).warnings).toEqual(warnings);
});

test("an oversized file and a directory of that name are ignored too; a damaged trust record is an error", () => {
  const { cwd, env, shared } = place();
  write(shared, " ".repeat(CONFIG_BYTES_MAX + 1));
  expect(loadConfig({ cwd, env }).warnings).toEqual([
    expect.stringMatching(/bytes long; at most \d+ are allowed; the file was ignored$/),
  ]);
  mkdirSync(join(cwd, ".mcp.json"));
  expect(loadConfig({ cwd, env }).warnings).toEqual([
    `the configuration ${join(cwd, ".mcp.json")} is not a file; the file was ignored`,
  ]);
  write(shared, { mcpServers: { one: program("x") } });
  write(trustFile(env), "[1]");
  expect(() => loadConfig({ cwd: dirname(shared), env })).toThrow("is damaged");
});
