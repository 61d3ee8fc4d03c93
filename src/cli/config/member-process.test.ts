import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { overrideOf } from "./command-line-keys.ts";
import { loadConfig } from "./load-config.ts";
import { memberSandboxFor } from "./member-process.ts";
import { trust } from "./trust.ts";

function project() {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "rt-sandbox-")));
  const cwd = join(home, "project");
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, "config") };
  const user = join(home, "config", "roundtable", "config.jsonc");
  const own = join(cwd, ".roundtable", "config.jsonc");
  mkdirSync(cwd);
  return {
    home,
    cwd,
    env,
    says: (value: unknown) => write(user, value),
    projectSays: async (value: unknown) => trust(own, write(own, value), env),
    of: (member: string, ...pairs: string[]) => memberSandboxFor({ cwd, member }, env, pairs.map(overrideOf)),
    warnings: () => loadConfig({ cwd, env }).warnings,
  };
}

function write(file: string, value: unknown): string {
  const text = JSON.stringify(value);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return text;
}

const acp = { kind: "acp", command: ["x"] };

describe("the sandbox of a member", () => {
  test("is automatic by default", () => {
    expect(project().of("claude")).toEqual({
      settings: { mode: "auto", write: [], sockets: [] },
      mayWorkUnguarded: false,
    });
  });

  test("uses the user's general setting, overridden by the member's own", () => {
    const { says, of, home } = project();
    says({
      sandbox: { mode: "require", write: ["~/cache", "/opt/x"], sockets: ["docker"] },
      agents: {
        one: { ...acp, sandbox: "off" },
        two: { ...acp, sandbox: { write: [] }, unguarded: "allow" },
      },
    });
    const write = [join(home, "cache"), "/opt/x"];
    expect(of("claude").settings).toEqual({ mode: "require", write, sockets: ["docker"] });
    expect(of("one")).toEqual({ settings: { mode: "off", write, sockets: ["docker"] }, mayWorkUnguarded: false });
    expect(of("two")).toEqual({
      settings: { mode: "require", write: [], sockets: ["docker"] },
      mayWorkUnguarded: true,
    });
  });

  test("can be changed on the command line, key by key", () => {
    const { says, of } = project();
    says({ sandbox: "require", agents: { one: { ...acp, sandbox: "require" } } });
    expect(of("claude", "sandbox=off").settings.mode).toBe("off");
    expect(of("claude", "sandbox.write=/a,/b").settings).toEqual({ mode: "require", write: ["/a", "/b"], sockets: [] });
    expect(of("one", "sandbox=off").settings.mode).toBe("require");
    expect(of("one", "agents.one.sandbox=auto").settings.mode).toBe("auto");
    expect(of("one", "agents.one.sandbox.write=/a").settings).toEqual({ mode: "require", write: ["/a"], sockets: [] });
    expect(of("one", "agents.one.unguarded=allow").mayWorkUnguarded).toBe(true);
  });

  test("an invalid value or relative path is named", () => {
    const { of } = project();
    expect(() => of("claude", "sandbox=on")).toThrow("must be one of auto, require, off, or an object");
    expect(() => of("claude", "sandbox.write=cache")).toThrow("must be an absolute path, or start with ~/");
  });
});

describe("a trusted project's file", () => {
  test("can make the sandbox stricter", async () => {
    const { projectSays, of, warnings } = project();
    await projectSays({ sandbox: "require", agents: { one: { ...acp, sandbox: "require" } } });
    expect(of("claude").settings.mode).toBe("require");
    expect(of("one").settings.mode).toBe("require");
    expect(warnings()).toEqual([]);
  });

  test.each([
    ["auto", "off"],
    ["require", "auto"],
    ["require", { mode: "off" }],
  ])("does not turn %j into %j", async (mine, theirs) => {
    const { says, projectSays, of, warnings } = project();
    says({ sandbox: mine });
    await projectSays({ sandbox: theirs, agents: { one: { ...acp, sandbox: theirs } } });
    expect(of("claude").settings.mode).toBe(mine);
    expect(of("one").settings.mode).toBe(mine);
    expect(warnings()).toEqual([
      expect.stringContaining('"sandbox" in a project file only applies where it is stricter than yours'),
      expect.stringContaining('"agents.one.sandbox" in a project file'),
    ]);
  });

  test("cannot open paths or sockets, or grant consent", async () => {
    const { says, projectSays, of, warnings } = project();
    says({ sandbox: { write: ["/mine"] } });
    const opened = { mode: "require", write: ["/theirs"], sockets: ["docker"] };
    await projectSays({ sandbox: opened, agents: { one: { ...acp, sandbox: opened, unguarded: "allow" } } });
    const settings = { mode: "require", write: ["/mine"], sockets: [] };
    expect(of("claude").settings).toEqual(settings);
    expect(of("one")).toEqual({ settings, mayWorkUnguarded: false });
    expect(warnings()).toHaveLength(3);
  });

  test("that redefines the user's agent keeps its stricter sandbox and none of its permissions", async () => {
    const { says, projectSays, of } = project();
    says({
      agents: {
        strict: { ...acp, sandbox: "require" },
        open: { ...acp, sandbox: { mode: "off", write: ["/mine"] }, unguarded: "allow" },
      },
    });
    expect(of("open")).toMatchObject({ settings: { mode: "off" }, mayWorkUnguarded: true });
    await projectSays({ agents: { strict: acp, open: acp } });
    expect(of("strict").settings.mode).toBe("require");
    expect(of("open")).toEqual({ settings: { mode: "auto", write: [], sockets: [] }, mayWorkUnguarded: false });
  });
});
