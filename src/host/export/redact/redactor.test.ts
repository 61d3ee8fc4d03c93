import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRangeStream } from "./range-stream.ts";
import { applyRanges, applyToChunk } from "./ranges.ts";
import { createRedactor } from "./redactor.ts";

/** Concatenated, so that no file of ours contains anything that looks like a key. */
const joined = (...parts: readonly string[]): string => parts.join("");
const RANDOM = "q7Zr2Lk9Xc4Vb8Nm1Ws6Tg3Yh5Jd0PfA";

const SECRETS: Readonly<Record<string, string>> = {
  anthropic: joined("sk-ant-", "api03-", RANDOM),
  openai: joined("sk-", "proj-", RANDOM),
  short: joined("sk-", RANDOM),
  github: joined("ghp_", RANDOM),
  "github, fine": joined("github_pat_", RANDOM),
  aws: joined("AKIA", "IOSFODNN7EXAMPLE"),
  slack: joined("xoxb-", "1234567890-", RANDOM),
  google: joined("AIza", RANDOM),
  gitlab: joined("glpat-", RANDOM),
  stripe: joined("sk_live_", RANDOM),
  jwt: joined("eyJhbGciOiJIUzI1NiJ9", ".eyJzdWIiOiIxMjM0NTY3ODkwIn0", ".dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P"),
};

describe("keys and tokens are redacted by their format", () => {
  test.each(Object.entries(SECRETS))("%s", (_, secret) => {
    const redactor = createRedactor({});
    expect(redactor.redact(`before ${secret} after`)).toBe("before [redacted] after");
    expect(redactor.redact(`"${secret}"`)).toBe('"[redacted]"');
    expect(redactor.redact(`https://example.com/?x=${secret}&y=1`)).not.toContain(secret.slice(0, 12));
    expect(redactor.counts.secret).toBe(3);
  });
});

test("a secret is recognised by the text before it, and only the secret is redacted", () => {
  const redactor = createRedactor({});
  const redact = (text: string) => redactor.redact(text);
  expect(redact(`Authorization: Bearer ${RANDOM}`)).toBe("Authorization: Bearer [redacted]");
  expect(redact(`curl -H 'authorization: token ${RANDOM}'`)).toBe("curl -H 'authorization: token [redacted]'");
  expect(redact("postgres://joe:hunter2@db.example.com/x")).toBe("postgres://joe:[redacted]@db.example.com/x");
  expect(redact("OPENAI_API_KEY=abc")).toBe("OPENAI_API_KEY=[redacted]");
  expect(redact('export GH_TOKEN="some thing"')).toBe('export GH_TOKEN="[redacted] thing"');
  expect(redact('{"password": "hunter2"}')).toBe('{"password": "[redacted]"}');
  expect(redact(String.raw`{\"clientSecret\":\"abc123\"}`)).toBe(String.raw`{\"clientSecret\":\"[redacted]\"}`);
  expect(redact("api_key: 'abc'")).toBe("api_key: '[redacted]'");
  expect(redact(`salt = "${RANDOM}"`)).toBe('salt = "[redacted]"');
  expect(redact(`Set-Cookie: sid=${RANDOM}; Path=/`)).toBe("Set-Cookie: [redacted]");
});

test("an armoured private key is redacted whole, also when its end is missing", () => {
  const redactor = createRedactor({});
  const redact = (text: string) => redactor.redact(text);
  const begin = joined("-----BEGIN RSA ", "PRIVATE KEY-----");
  const end = joined("-----END RSA ", "PRIVATE KEY-----");
  expect(redact(`a\n${begin}\nMIIE\nabc=\n${end}\nb`)).toBe("a\n[redacted]\nb");
  expect(redact(`a ${begin}\\nMIIE\\n${end} b`)).toBe("a [redacted] b");
  expect(redact(`a ${begin}\nMIIE`)).toBe("a [redacted]");
});

test("text that only resembles a secret stays", () => {
  const redactor = createRedactor({});
  const redact = (text: string) => redactor.redact(text);
  for (const text of [
    "const token = getToken();",
    "password: string",
    "API_KEY=$OTHER_KEY",
    "api_key: process.env.KEY",
    "commit: 3f9a1c0de4b75a6f8e2d1c0b9a8f7e6d5c4b3a29",
    "sessionId: 01ARZ3NDEKTSV4RRFFQ69G5FAV",
    "the key: value of a map; sort_key=name",
    "see src/transcript/selectors/messages.ts:12",
    "risk-free, ask-me-anything",
    "The bearer of this letter",
    "uuid: 550e8400-e29b-41d4-a716-446655440000",
  ]) {
    expect(redact(text)).toBe(text);
  }
});

test("home paths become ~, and the user name is redacted unless it is an everyday word", () => {
  const redactor = createRedactor({ homes: ["/data/people/jane"], users: ["jane"], terms: [] });
  expect(redactor.redact("/data/people/jane/app and /home/bob/x, /Users/eve, C:\\Users\\Eve\\x")).toBe(
    "~/app and ~/x, ~, ~\\x",
  );
  expect(redactor.redact("Jane wrote -data-jane-app; janet did not")).toBe(
    "[user] wrote -data-[user]-app; janet did not",
  );
  expect(redactor.counts).toStrictEqual({ secret: 0, home: 4, user: 2, word: 0 });
  expect(redactor.unredacted).toStrictEqual([]);
  const common = createRedactor({ users: ["root"] });
  expect(common.redact("the root cause")).toBe("the root cause");
  expect(common.unredacted).toStrictEqual(['The user name "root" is too common a word to be redacted.']);
});

test("chosen words are redacted everywhere, in any case", () => {
  const redactor = createRedactor({ terms: ["Acme", "a.b(c"] });
  expect(redactor.redact("ACME's acmeServer a.b(c axbxc")).toBe("[redacted]'s [redacted]Server [redacted] axbxc");
  expect(redactor.counts.word).toBe(3);
});

test("a secret recognised once by its context is found everywhere", () => {
  const redactor = createRedactor({});
  const alone = `it was ${RANDOM}.`;
  expect(redactor.redact(alone)).toBe(alone);
  redactor.learn(`MY_TOKEN=${RANDOM}`);
  expect(redactor.redact(alone)).toBe("it was [redacted].");
  // Everyday words are not learned.
  redactor.learn("MY_TOKEN=something");
  expect(redactor.redact("something else")).toBe("something else");
});

const pieces = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 30 });
const texts = fc.array(
  fc.oneof(
    fc.constantFrom(...Object.values(SECRETS), "DB_PASSWORD=xyzzy", "/home/jane/x", "Acme", "jane", "\n", " "),
    fc.string({ maxLength: 12 }),
  ),
  { maxLength: 12 },
);

test("chunks redacted as they arrive join to the redacted text", () => {
  const redactor = createRedactor({ users: ["jane"], terms: ["Acme"] });
  fc.assert(
    fc.property(texts, pieces, (parts, sizes) => {
      const text = parts.join(" ");
      const stream = createRangeStream((part) => redactor.find(part));
      const cut: string[] = [];
      for (let at = 0, step = 0; at < text.length; step += 1) {
        const size = sizes[step % sizes.length] ?? 1;
        cut.push(text.slice(at, at + size));
        at += size;
      }
      for (const chunk of cut) stream.push(chunk);
      const ranges = stream.end();
      let at = 0;
      const joinedAgain = cut.map((chunk) => {
        const out = applyToChunk(chunk, at, ranges);
        at += chunk.length;
        return out;
      });
      expect(joinedAgain.join("")).toBe(applyRanges(text, redactor.find(text)));
      for (const secret of Object.values(SECRETS)) expect(joinedAgain.join("")).not.toContain(secret);
    }),
    { numRuns: 300 },
  );
});

test("a stream of any length is scanned through a window, without missing anything at its borders", () => {
  const redactor = createRedactor({});
  const secret = SECRETS["github"] ?? "";
  const filler = "lorem ipsum dolor\n".repeat(1_000);
  const text = Array.from({ length: 60 }, (_, at) => `${filler.slice(at * 7)} ${secret} `).join("");
  const stream = createRangeStream((part) => redactor.find(part));
  for (let at = 0; at < text.length; at += 1_009) stream.push(text.slice(at, at + 1_009));
  const redacted = applyRanges(text, stream.end());
  expect(redacted).not.toContain(secret);
  expect(redacted.split("[redacted]")).toHaveLength(61);
});
