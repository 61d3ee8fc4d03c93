import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { overrideOf } from "./command-line-keys.ts";
import { loadConfig } from "./load-config.ts";
import { mcpServersFor, withoutValues, withoutSecrets } from "./mcp-servers.ts";

/** An environment with this configuration. */
function userOf(config: object): { cwd: string; env: Record<string, string> } {
  const home = mkdtempSync(join(tmpdir(), "rt-mcp-"));
  mkdirSync(join(home, "config", "roundtable"), { recursive: true });
  writeFileSync(join(home, "config", "roundtable", "config.jsonc"), JSON.stringify(config));
  return { cwd: home, env: { HOME: home, XDG_CONFIG_HOME: join(home, "config") } };
}

const FILES = { command: ["files-server", "--root", "."], env: ["FILES_TOKEN"] };
const WEB = { url: "https://example.org/mcp", headers: { Authorization: "Bearer canary-secret" } };

test("tool servers are read from the configuration, commands and URLs, each replaced as a whole", () => {
  const { cwd, env } = userOf({ mcpServers: { files: FILES, web: WEB } });
  expect(mcpServersFor(cwd, env)).toEqual({ files: FILES, web: WEB });
  expect(mcpServersFor(userOf({}).cwd, userOf({}).env)).toEqual({});
});

test("tool servers on the command line apply, and other keys there are ignored", () => {
  const { cwd, env } = userOf({ mcpServers: { files: FILES, web: WEB } });
  const said = ["mcpServers.files.disabled=true", "mcpServers.web.headers={}", "agents.zoe.model=x"].map(overrideOf);
  expect(mcpServersFor(cwd, env, said)).toEqual({ web: { url: WEB.url, headers: {} } });
});

test("tool servers are also read in the format of other programs", () => {
  const { cwd, env } = userOf({
    mcpServers: {
      GitHub: { type: "stdio", command: "npx", args: ["-y", "server"], env: { TOKEN: "${GH}", MODE: "fast" } },
      web: { type: "http", url: "https://example.org/mcp", headers: { A: "b" } },
      old: { type: "sse", url: "https://example.org/sse" },
      off: { command: "x", disabled: true },
    },
  });
  expect(mcpServersFor(cwd, env)).toEqual({
    GitHub: { command: ["npx"], args: ["-y", "server"], values: { TOKEN: "${GH}", MODE: "fast" } },
    web: { url: "https://example.org/mcp", headers: { A: "b" } },
    old: { url: "https://example.org/sse", isSse: true },
  });
});

test("shown configurations omit the values of variables", () => {
  const { config, settings } = loadConfig(
    userOf({ mcpServers: { x: { command: "x", env: { TOKEN: "canary-secret" } } } }),
  );
  expect(withoutSecrets(config).mcpServers).toEqual({ x: { command: "x", env: { TOKEN: "•••" } } });
  expect(JSON.stringify(settings.map(({ value }) => withoutValues(value)))).not.toContain("canary-secret");
});

test.each([
  [{ type: "sse", command: "x" }, 'has type "sse", which needs "url"'],
  [{ type: "stdio", url: "https://example.org" }, 'has type "stdio", which needs "command"'],
  [{ type: "ws", url: "https://example.org" }, "must be one of stdio, http, streamable-http, sse"],
  [{ command: ["x"], args: ["y"] }, 'has "args", which need a "command" given as a string'],
  [{ command: 3 }, "must be a string or a list of strings"],
  [{ command: "x", env: { A: 1 } }, "must be a list of variable names, or an object whose values are strings"],
  [{ command: "x", autoApprove: ["y"] }, 'unknown key "mcpServers.files.autoApprove"'],
])("what of that shape cannot be used is refused with the reason (%j)", (server, why) => {
  const { cwd, env } = userOf({ mcpServers: { files: server } });
  expect(() => mcpServersFor(cwd, env)).toThrow(why);
});

test.each([
  [{ files: {} }, 'needs either "command" or "url"'],
  [{ files: { ...FILES, url: "https://example.org" } }, 'needs either "command" or "url"'],
  [{ files: { command: ["x"], headers: {} } }, 'has "headers", which need "url"'],
  [{ web: { url: "https://example.org", env: ["X"] } }, 'has "env", which needs "command"'],
  [{ web: { url: "file:///etc/passwd" } }, "must be an http or https URL"],
  [
    { files: { command: ["x"], env: ["A=b"] } },
    "must be a list of variable names, or an object whose values are strings",
  ],
  [{ files: { command: ["x"], envs: [] } }, "envs"],
  [{ "a.b": FILES }, "a.b"],
])("what is no tool server is refused with its place and the reason (%j)", (mcpServers, why) => {
  const { cwd, env } = userOf({ mcpServers });
  expect(() => mcpServersFor(cwd, env)).toThrow(why);
});

test("shown configurations omit the values of headers", () => {
  const { config, settings } = loadConfig(userOf({ mcpServers: { files: FILES, web: WEB } }));
  const hidden = { ...WEB, headers: { Authorization: "•••" } };
  expect(withoutSecrets(config).mcpServers).toEqual({ files: FILES, web: hidden });
  expect(settings.map(({ value }) => withoutValues(value))).toContainEqual(hidden);
  expect(JSON.stringify([withoutSecrets(config), settings.map(({ value }) => withoutValues(value))])).not.toContain(
    "canary-secret",
  );
});
