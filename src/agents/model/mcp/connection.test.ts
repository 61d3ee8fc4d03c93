import { expect, test } from "vitest";
import { createScrub } from "./connection.ts";
import { fillIn } from "./server-config.ts";

const ENV = { KEY: "sk-0123456789", SHORT: "ab", OTHER: "not-this-one" };

test("secrets given to a server are redacted from every text, and nothing else is", () => {
  const text = "sk-0123456789 ab not-this-one Bearer sk-0123456789 user:pa55word ?token=t0ken-value t0ken-value";
  const ofProgram = createScrub({ command: ["x"], env: ["KEY", "SHORT", "MISSING"] }, ENV);
  expect(ofProgram(text)).toBe("••• ab not-this-one Bearer ••• user:pa55word ?token=t0ken-value t0ken-value");
  const url = "https://user:pa55word@example.org/mcp?token=t0ken-value";
  const ofAddress = createScrub({ url, headers: { authorization: "Bearer ${KEY}", plain: "header-value" } }, ENV);
  expect(ofAddress(text)).toBe("••• ab not-this-one ••• user:••• ••• •••");
  expect(ofAddress("header-value")).toBe("•••");
});

test("an unset variable in a header is reported without the rest of the header", () => {
  expect(fillIn("Bearer ${KEY} ${OTHER}", ENV)).toBe("Bearer sk-0123456789 not-this-one");
  expect(() => fillIn("secret-part ${MISSING}", ENV)).toThrow(/^the variable MISSING is not set$/);
});

test("other programs' variable syntax is supported, and values set for a program are its secrets", () => {
  expect(fillIn("${env:KEY} ${NONE:-else} ${OTHER:-x} ${NONE:-}", ENV)).toBe("sk-0123456789 else not-this-one ");
  expect(() => fillIn("${input:token}", ENV)).toThrow(
    "interactive inputs such as ${input:token} are not supported; use an environment variable",
  );
  const scrub = createScrub({ command: ["x"], values: { A: "Bearer ${KEY}", B: "plain-secret" } }, ENV);
  expect(scrub("Bearer sk-0123456789 plain-secret not-this-one")).toBe("••• ••• not-this-one");
});
