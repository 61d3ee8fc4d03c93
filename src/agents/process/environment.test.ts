import { expect, test } from "vitest";
import { childEnvironment } from "./environment.ts";

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

test("[A69] a program gets the allow list, the names of its member, our marks, and nothing else", () => {
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

test("[A69] some names are never passed, even when a configuration asks for them", () => {
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
