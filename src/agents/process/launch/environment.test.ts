import { expect, test } from "vitest";
import type { AgentKind } from "../../../protocol/index.ts";
import { childEnvironment, programEnvironment, vendorsOf } from "./environment.ts";

const parent = {
  PATH: "/bin",
  HOME: "/home/ada",
  LC_ALL: "C.UTF-8",
  XDG_DATA_HOME: "/data",
  https_proxy: "http://proxy",
  SSL_CERT_FILE: "/certs",
  EMPTY: undefined,
  API_KEY: "key",
  OTHER_KEY: "other",
  ROUNDTABLE_TOKEN: "token",
  ROUNDTABLE_RUN: "outer",
  AI_AGENT: "outer",
  NODE_OPTIONS: "--require evil",
  LD_PRELOAD: "evil.so",
  CLAUDECODE: "1",
  CODEX_THREAD_ID: "t",
  CODEX_HOME: "/codex",
};

test("[A69] a clean environment has only the allow list, the member's own variables and our markers", () => {
  expect(childEnvironment({ parent, named: ["API_KEY", "CODEX_HOME", "EMPTY", "ABSENT"], marker: "m" })).toEqual({
    PATH: "/bin",
    HOME: "/home/ada",
    LC_ALL: "C.UTF-8",
    XDG_DATA_HOME: "/data",
    https_proxy: "http://proxy",
    SSL_CERT_FILE: "/certs",
    API_KEY: "key",
    CODEX_HOME: "/codex",
    AI_AGENT: "roundtable",
    ROUNDTABLE_RUN: "m",
  });
});

test("[A69] some variables are never passed, even when configured", () => {
  const named = ["ROUNDTABLE_TOKEN", "NODE_OPTIONS", "LD_PRELOAD", "CLAUDECODE", "CODEX_THREAD_ID", "AI_AGENT"];
  expect(
    childEnvironment({ parent: { ...parent, PATH: undefined }, named, set: { NO_COLOR: "1" }, marker: "m" }),
  ).toEqual({
    HOME: "/home/ada",
    LC_ALL: "C.UTF-8",
    XDG_DATA_HOME: "/data",
    https_proxy: "http://proxy",
    SSL_CERT_FILE: "/certs",
    NO_COLOR: "1",
    AI_AGENT: "roundtable",
    ROUNDTABLE_RUN: "m",
  });
});

const terminal = {
  PATH: "/bin",
  JAVA_HOME: "/java",
  SSH_AUTH_SOCK: "/run/agent",
  AWS_PROFILE: "work",
  AWS_SECRET_ACCESS_KEY: "aws",
  AZURE_OPENAI_API_KEY: "azure",
  ANTHROPIC_API_KEY: "anthropic",
  GEMINI_API_KEY: "gemini",
  GROQ_API_KEY: "groq",
  LOCAL_KEY: "local",
  ROUNDTABLE_TOKEN: "token",
  NODE_OPTIONS: "--require evil",
  LD_PRELOAD: "evil.so",
  LD_LIBRARY_PATH: "/evil",
  DYLD_LIBRARY_PATH: "/evil",
  GIT_AUTHOR_NAME: "Ada",
  GIT_CEILING_DIRECTORIES: "/home",
  GIT_SSH_COMMAND: "evil",
  GIT_SSH: "evil",
  GIT_EXTERNAL_DIFF: "evil",
  GIT_PAGER: "evil",
  GIT_EDITOR: "evil",
  GIT_SEQUENCE_EDITOR: "evil",
  GIT_ASKPASS: "evil",
  GIT_PROXY_COMMAND: "evil",
  GIT_CONFIG_COUNT: "1",
  GIT_CONFIG_KEY_0: "core.fsmonitor",
  GIT_CONFIG_VALUE_0: "evil",
  GIT_CONFIG_GLOBAL: "/evil",
  GIT_EXEC_PATH: "/evil",
  GIT_TEMPLATE_DIR: "/evil",
  GIT_DIR: "/evil",
  CLAUDECODE: "1",
  PWD: "/elsewhere",
  SHLVL: "3",
};
const everybody = {
  PATH: "/bin",
  JAVA_HOME: "/java",
  SSH_AUTH_SOCK: "/run/agent",
  AWS_PROFILE: "work",
  AWS_SECRET_ACCESS_KEY: "aws",
  LOCAL_KEY: "local",
  GIT_AUTHOR_NAME: "Ada",
  GIT_CEILING_DIRECTORIES: "/home",
};
const marks = { AI_AGENT: "roundtable", ROUNDTABLE_RUN: "m" };

test("a program gets the terminal's environment without our secrets, other vendors' keys and variables that run code", () => {
  const of = (kind: AgentKind, command?: string) =>
    programEnvironment(
      { variables: terminal, vendors: vendorsOf({ kind, ...(command === undefined ? {} : { command: [command] }) }) },
      { named: [], marker: "m" },
    );
  const { ANTHROPIC_API_KEY, AZURE_OPENAI_API_KEY, GEMINI_API_KEY, GROQ_API_KEY } = terminal;
  expect(of("claude")).toEqual({ ...everybody, ...marks, ANTHROPIC_API_KEY });
  expect(of("codex")).toEqual({ ...everybody, ...marks, AZURE_OPENAI_API_KEY });
  expect(of("acp", "/opt/bin/gemini")).toEqual({ ...everybody, ...marks, GEMINI_API_KEY });
  expect(of("acp", "claude-agent-acp")).toEqual({ ...everybody, ...marks, ANTHROPIC_API_KEY });
  expect(of("acp", "somebody")).toEqual({ ...everybody, ...marks });
  const all = { ANTHROPIC_API_KEY, AZURE_OPENAI_API_KEY, GEMINI_API_KEY, GROQ_API_KEY };
  expect(of("pi")).toEqual({ ...everybody, ...marks, ...all });
});

test("a configuration passes, sets, removes and withholds variables; those an agent kind needs are set last", () => {
  const environment = {
    variables: terminal,
    changes: { JAVA_HOME: null, AWS_PROFILE: "other", NEW: "yes", NO_COLOR: "0" },
    withheld: ["LOCAL_KEY"],
  };
  const { JAVA_HOME: _gone, LOCAL_KEY: _withheld, ...rest } = everybody;
  expect(
    programEnvironment(environment, {
      named: ["GEMINI_API_KEY", "GIT_SSH_COMMAND"],
      set: { NO_COLOR: "1" },
      marker: "m",
    }),
  ).toEqual({
    ...rest,
    ...marks,
    AWS_PROFILE: "other",
    NEW: "yes",
    NO_COLOR: "1",
    GEMINI_API_KEY: "gemini",
    GIT_SSH_COMMAND: "evil",
  });
});
