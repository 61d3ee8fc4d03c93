import { expect, test } from "vitest";
import { isProjectConfigIgnored, narrowConfig, type Project } from "./thread-config.ts";

const plain: Project = { directories: ["/p"], hasSettings: false, hasRules: false };
const trusted = { projects: { "/p": { trust_level: "trusted" } } };

test("hooks and notify programs are off and nothing outside the workspace is writable, whatever the user has configured", () => {
  expect(narrowConfig({ notify: ["/bin/sh"], features: { hooks: true } }, plain, true)).toMatchObject({
    "features.hooks": false,
    notify: [],
    sandbox_workspace_write: { writable_roots: [], network_access: false },
  });
});

test("in a writable thread every call of an MCP tool needs the user's approval", () => {
  const config = {
    mcp_servers: {
      hub: { command: "hub", default_tools_approval_mode: "approve", tools: { poke: { approval_mode: "approve" } } },
      "with.dots": { url: "https://example.org", default_tools_approval_mode: null },
    },
    apps: { _default: { enabled: true, default_tools_approval_mode: "writes", approvals_reviewer: "auto_review" } },
    plugins: { one: { enabled: true } },
  };
  const { mcp_servers, apps, plugins } = narrowConfig(config, plain, true);
  expect({ mcp_servers, apps, plugins }).toEqual({
    mcp_servers: {
      hub: { default_tools_approval_mode: "prompt", tools: { poke: { approval_mode: "prompt" } } },
      "with.dots": { default_tools_approval_mode: "prompt" },
    },
    apps: { _default: { default_tools_approval_mode: "prompt", approvals_reviewer: "user" } },
    plugins: undefined,
  });
  expect(narrowConfig(config, plain, false)["mcp_servers"]).toEqual({
    hub: { default_tools_approval_mode: "auto", tools: { poke: { approval_mode: "auto" } } },
    "with.dots": { default_tools_approval_mode: "auto" },
  });
});

test("a project without settings is trusted for the thread, so that Codex does not store it as trusted", () => {
  expect(narrowConfig({}, plain, true)["projects"]).toEqual({ "/p": { trust_level: "trusted" } });
});

test.each([
  ["that the user has not trusted", {}, { hasSettings: true, hasRules: false }, "untrusted"],
  ["that the user has trusted", trusted, { hasSettings: true, hasRules: false }, undefined],
  ["with rules, though the user has trusted it", trusted, { hasSettings: true, hasRules: true }, "untrusted"],
])("settings of a project %s", (_which, config, has, level) => {
  const project = { directories: ["/p/sub", "/p"], ...has };
  const own = narrowConfig(config, project, true)["projects"];
  const all = { "/p/sub": { trust_level: level }, "/p": { trust_level: level } };
  expect(own).toEqual(level === undefined ? undefined : all);
  expect(isProjectConfigIgnored(config, project)).toBe(level !== undefined);
});

test("a project that the user distrusts stays untrusted, and its notes are not read", () => {
  const config = { projects: { "/p": { trust_level: "untrusted" } } };
  expect(narrowConfig(config, plain, true)["projects"]).toEqual({ "/p": { trust_level: "untrusted" } });
  expect(isProjectConfigIgnored(config, { ...plain, hasSettings: true, hasRules: true })).toBe(false);
});
