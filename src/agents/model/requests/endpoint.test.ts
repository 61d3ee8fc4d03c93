import { expect, test } from "vitest";
import type { MemberSpec } from "../../../protocol/index.ts";
import { findEndpoint, shellVariables } from "./endpoint.ts";

const member = (rest: Partial<MemberSpec>): MemberSpec => ({ name: "m", kind: "openai", ...rest });
const KEY = "sk-canary-0123456789";

function found(spec: Partial<MemberSpec>, env: Record<string, string> = {}) {
  const result = findEndpoint(member(spec), env);
  if (!result.ok) throw new Error(result.error.message);
  return result.endpoint;
}

test.each(["ftp://host/v1", "file:///etc/passwd", "javascript:alert(1)", "not an address", "", "//host/v1"])(
  "%s is no address a member is asked at",
  (baseUrl) => {
    const result = findEndpoint(member({ baseUrl }), { OPENAI_API_KEY: KEY });
    expect(result).toMatchObject({
      ok: false,
      error: { code: "unsupported", hint: expect.stringMatching(/http or https/) },
    });
  },
);

test("credentials in a URL are sent as a header and never shown", () => {
  const header = `Basic ${Buffer.from("user:hunter22").toString("base64")}`;
  const endpoint = found({ baseUrl: "https://user:hunter22@host/v1" });
  expect(endpoint.headers).toEqual({ authorization: header });
  expect(JSON.stringify(endpoint)).not.toContain("hunter22");
  expect(endpoint.redact(`bad login hunter22, ${header}`)).toBe("bad login •••, Basic •••");
  // They are added where the log has the address without them.
  const configured = findEndpoint(
    member({ baseUrl: "https://host/v1" }),
    {},
    { username: "user", password: "hunter22" },
  );
  expect(configured).toMatchObject({ ok: true, endpoint: { headers: { authorization: header } } });
});

test("trailing slashes, query and fragment are removed", () => {
  expect(found({ baseUrl: "http://127.0.0.1:8080/v1//?key=abc#x" }).baseUrl).toBe("http://127.0.0.1:8080/v1");
});

test("the key comes from the member's variable, otherwise from the usual one for exactly that host", () => {
  const env = { OPENAI_API_KEY: KEY, MY_TOKEN: "other-0123456789", LANG: "C" };
  const keyOf = (spec: Partial<MemberSpec>) => found(spec, env).headers["authorization"] ?? null;
  expect(keyOf({})).toBe(`Bearer ${KEY}`);
  expect(keyOf({ baseUrl: "https://api.openai.com/v1", env: ["MY_TOKEN"] })).toBe("Bearer other-0123456789");
  expect(keyOf({ baseUrl: "https://elsewhere.example/v1", env: ["LANG", "MY_TOKEN"] })).toBe("Bearer other-0123456789");
  expect(keyOf({ baseUrl: "https://elsewhere.example/v1" })).toBe(null);
  expect(keyOf({ baseUrl: "https://api.openai.com.evil.example/v1" })).toBe(null);
  expect(keyOf({ baseUrl: "http://api.openai.com/v1" })).toBe(null);
  expect(keyOf({ baseUrl: "http://127.0.0.1:11434/v1" })).toBe(null);
});

test("a missing key error says which variable to set", () => {
  expect(findEndpoint(member({}), { OPENAI_API_KEY: "  " })).toEqual({
    ok: false,
    error: {
      code: "unsupported",
      message: "m cannot start: api.openai.com needs a key, and OPENAI_API_KEY is not set.",
      hint: "Set OPENAI_API_KEY, or name another variable in the member's env.",
    },
  });
});

test("a server that refuses without a key is answered with the member's own setting", () => {
  const found = findEndpoint(member({ baseUrl: "http://127.0.0.1:11434/v1" }), {});
  expect(found.ok && found.endpoint.keyHint).toBe(
    "No API key was sent. Name the variable that holds it in agents.m.env.",
  );
});

test("[A232] a key that cannot be a header is rejected without being shown", () => {
  const result = findEndpoint(member({}), { OPENAI_API_KEY: `${KEY}\nx: y` });
  expect(result.ok).toBe(false);
  expect(JSON.stringify(result)).not.toContain(KEY);
});

test("[A232] a server's message about the key is shown without the key", () => {
  expect(found({}, { OPENAI_API_KEY: KEY }).redact(`wrong key ${KEY}!`)).toBe("wrong key •••!");
  expect(found({ baseUrl: "http://127.0.0.1/v1", env: ["X_KEY"] }, { X_KEY: "x" }).redact("exact")).toBe("exact");
});

test("[A232] a shell sees none of the member's secret variables", () => {
  expect(shellVariables(member({ env: ["CI", "OPENAI_API_KEY", "GH_TOKEN", "DB_PASSWORD", "MY_SECRET"] }))).toEqual([
    "CI",
  ]);
});
