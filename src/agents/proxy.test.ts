import { expect, test } from "vitest";
import { proxiesOf, useProxy } from "./proxy.ts";

const HERE = "localhost,127.0.0.1,[::1],::1";

test("the proxy is read from upper and lower case variables and never used for localhost", () => {
  expect(proxiesOf({ HTTPS_PROXY: "http://p:1", NO_PROXY: "a.test, .b.test" })).toEqual({
    https_proxy: "http://p:1",
    no_proxy: `a.test,.b.test,${HERE}`,
  });
  expect(proxiesOf({ http_proxy: "http://small:1", HTTP_PROXY: "http://large:1" })).toEqual({
    http_proxy: "http://small:1",
    no_proxy: HERE,
  });
  for (const env of [{}, { HTTP_PROXY: " " }, { HTTP_PROXY: "http://p:1", no_proxy: "a.test,*" }])
    expect(proxiesOf(env)).toBeUndefined();
});

test("an invalid proxy is reported without its value", () => {
  expect(useProxy({ HTTP_PROXY: "user:canary secret" })).toBe(
    "the proxy that HTTP_PROXY or HTTPS_PROXY names is not an address",
  );
  expect(useProxy({})).toBeUndefined();
});
