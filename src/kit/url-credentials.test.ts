import { expect, test } from "vitest";
import { credentialsOf, withoutCredentials } from "./url-credentials.ts";

test("user and password are removed from a URL in any form", () => {
  const clean = [
    "http://host/v1",
    "https://user:hunter22@host:8080/v1?a=b@c",
    "https://user:hunt@er22@host/v1",
    "HTTPS://hunter22@host/v1",
    "https:\\\\user:hunter22@host/v1",
    "http:/user:hunter22@host/v1",
    "https://u:hunter22@not a host/v1",
  ].map(withoutCredentials);
  expect(clean.slice(0, 4)).toEqual([
    "http://host/v1",
    "https://host:8080/v1?a=b@c",
    "https://host/v1",
    "HTTPS://host/v1",
  ]);
  expect(clean.filter((url) => /hunt|er22/.test(url))).toEqual([]);
});

test("user and password are decoded", () => {
  expect(credentialsOf("https://user:p%40ss%@host/v1")).toEqual({ username: "user", password: "p%40ss%" });
  expect(credentialsOf("https://user:p%40ss@host/v1")).toEqual({ username: "user", password: "p@ss" });
  expect([credentialsOf("https://host/v1"), credentialsOf("no address")]).toEqual([undefined, undefined]);
});
