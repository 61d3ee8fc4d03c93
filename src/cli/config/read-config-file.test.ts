import { mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CONFIG_BYTES_MAX, parseConfig, readConfigFile } from "./read-config-file.ts";

function refusal(text: string): { message: string; hint: string | undefined; exitCode: number } {
  try {
    parseConfig(text, "c.jsonc");
  } catch (error) {
    const { message, hint, exitCode } = error as { message: string; hint: string | undefined; exitCode: number };
    return { message, hint, exitCode };
  }
  throw new Error("it was accepted");
}

test("a file with comments and trailing commas is read", () => {
  const text = `\ufeff{
  // who
  "$schema": "./roundtable.schema.json",
  "council": {
    "members": ["claude", "local"], "timeout": 60.5, "auto_rounds": 2, "mode": "sequential", "preamble": "Be brief.",
    "limits": { "turns": 4, "minutes": 3, "tokens": 1000, "usd": 0.5, },
  },
  "requests": { "timeout": 10 },
  "prompts": { "council": "Discuss." },
  "agents": {
    "claude": { "kind": "claude", "model": "m", "prompt": "p", "prompts": { "council": "c" }, "color": "#ff8800", "env": ["A_KEY"] },
    "local": { "kind": "openai", "baseUrl": "http://127.0.0.1:11434/v1", "model": "m", "color": "cyan" },
    "gemini": { "kind": "acp", "command": ["gemini", "--acp"] },
  },
}`;
  expect(parseConfig(text, "c.jsonc").value).toEqual({
    $schema: "./roundtable.schema.json",
    council: {
      members: ["claude", "local"],
      timeout: 60.5,
      auto_rounds: 2,
      mode: "sequential",
      preamble: "Be brief.",
      limits: { turns: 4, minutes: 3, tokens: 1000, usd: 0.5 },
    },
    requests: { timeout: 10 },
    prompts: { council: "Discuss." },
    agents: {
      claude: { kind: "claude", model: "m", prompt: "p", prompts: { council: "c" }, color: "#ff8800", env: ["A_KEY"] },
      local: { kind: "openai", baseUrl: "http://127.0.0.1:11434/v1", model: "m", color: "cyan" },
      gemini: { kind: "acp", command: ["gemini", "--acp"] },
    },
  });
});

test("an empty file and one with only comments set nothing", () => {
  expect([parseConfig("", "c").value, parseConfig("// nothing\n", "c").value]).toEqual([{}, {}]);
});

const refusals: readonly (readonly [string, string, string?])[] = [
  [
    '{\n  "council": {\n    "auto_round": 3\n  }\n}',
    'c.jsonc:3:5: unknown key "council.auto_round"',
    'Did you mean "council.auto_rounds"?',
  ],
  ['{ "counsil": {} }', 'c.jsonc:1:3: unknown key "counsil"', 'Did you mean "council"?'],
  [
    '{ "zzzzzzzzzzzzzz": 1 }',
    'c.jsonc:1:3: unknown key "zzzzzzzzzzzzzz"',
    "Known keys: $schema, council, requests, threads, prompts, approvals, sandbox, mcpServers, agents",
  ],
  [
    '{ "council": { "limits": { "dollars": 5 } } }',
    'c.jsonc:1:28: unknown key "council.limits.dollars"',
    "Known keys: turns, minutes, tokens, usd, session",
  ],
  [
    '{\n"agents": {\n"claude": {\n  "kind": "claude", "modle": "x" } } }',
    'c.jsonc:4:21: unknown key "agents.claude.modle"',
    'Did you mean "agents.claude.model"?',
  ],
  [
    '{ "council": { "auto_rounds": -1 } }',
    'c.jsonc:1:31: "council.auto_rounds" must be an integer, 0 or more, found -1',
  ],
  [
    '{ "council": { "auto_rounds": 1.5 } }',
    'c.jsonc:1:31: "council.auto_rounds" must be an integer, 0 or more, found 1.5',
  ],
  [
    '{ "council": { "auto_rounds": "3" } }',
    'c.jsonc:1:31: "council.auto_rounds" must be an integer, 0 or more, found "3"',
  ],
  [
    '{ "council": { "mode": "both" } }',
    'c.jsonc:1:24: "council.mode" must be one of broadcast, sequential, found "both"',
  ],
  ['{ "council": { "preamble": "  " } }', 'c.jsonc:1:28: "council.preamble" must be a non-empty string, found "  "'],
  ['{ "council": { "timeout": -1 } }', 'c.jsonc:1:27: "council.timeout" must be a positive number, found -1'],
  ['{ "requests": { "timeout": null } }', 'c.jsonc:1:28: "requests.timeout" must be a positive number, found null'],
  ['{ "council": { "members": [] } }', 'c.jsonc:1:27: "council.members" must name at least one member, found []'],
  [
    '{ "council": { "members": ["A"] } }',
    'c.jsonc:1:28: "council.members.0" must be a lower-case name: a letter, then letters, digits, - and _, at most 32 characters, found "A"',
  ],
  ['{ "council": 3 }', 'c.jsonc:1:14: "council" must be an object, found 3'],
  ["[]", "c.jsonc:1:1: the configuration must be an object, found []"],
  [
    '{ "agents": { "Big": { "kind": "pi" } } }',
    'c.jsonc:1:15: the name "agents.Big" must be a lower-case name: a letter, then letters, digits, - and _, at most 32 characters',
  ],
  ['{ "agents": { "a": { "kind": "acp" } } }', 'c.jsonc:1:20: "agents.a" needs "command" because its kind is acp'],
  [
    '{ "agents": { "a": { "kind": "openai" } } }',
    'c.jsonc:1:20: "agents.a" needs "baseUrl" because its kind is openai',
  ],
  [
    '{ "agents": { "a": { "model": "x" } } }',
    expect.stringMatching(/^c\.jsonc:1:20: "agents\.a\.kind" must be one of .*, but it is missing$/),
  ],
  ['{ "agents": { "a": { "kind": "pi", "color": "mauve" } } }', expect.stringContaining("must be one of red, green")],
  ['{\n  "council": {\n}\n', "c.jsonc:4:1: not valid JSON: close brace expected"],
  ['{ "a" 1 }', "c.jsonc:1:7: not valid JSON: colon expected"],
  ['{ "council": {}, "council": {} }', 'c.jsonc:1:18: the key "council" is given twice', "Keep one of them"],
  ['{ "sandbox": { "wirte": [] } }', 'c.jsonc:1:16: unknown key "sandbox.wirte"', 'Did you mean "sandbox.write"?'],
  ['{ "sandbox": { "mode": "on" } }', 'c.jsonc:1:24: "sandbox.mode" must be one of auto, require, off, found "on"'],
  ['{ "sandbox": 1 }', 'c.jsonc:1:14: "sandbox" must be one of auto, require, off, or an object, found 1'],
  [
    '{ "agents": { "a": { "kind": "pi", "env": { "A": 1 } } } }',
    'c.jsonc:1:43: "agents.a.env" must be a list of variable names, or an object whose values are strings or null, found {"A":1}',
  ],
  [
    '{ "agents": { "a": { "kind": "openai", "baseUrl": "localhost:11434/v1" } } }',
    'c.jsonc:1:51: "agents.a.baseUrl" must be an http or https URL, found "localhost:11434/v1"',
  ],
];

test.each(refusals)("%j is rejected with its position and the reason", (text = "", message, hint) => {
  expect(refusal(text)).toEqual({ message, hint, exitCode: 2 });
});

test("a non-file or an oversized file is a one-sentence error", () => {
  const directory = mkdtempSync(join(tmpdir(), "rt-config-"));
  const long = join(directory, "long.jsonc");
  writeFileSync(long, " ".repeat(CONFIG_BYTES_MAX + 1));
  expect(() => readConfigFile(directory)).toThrow(`the configuration ${directory} is not a file`);
  expect(() => readConfigFile(long)).toThrow("bytes long");
  symlinkSync(join(directory, "none"), join(directory, "link.jsonc"));
  expect(() => readConfigFile(join(directory, "link.jsonc"))).toThrow("is a link to a missing file");
  expect(() => readConfigFile(join(directory, "none"))).toThrow("(ENOENT)");
});
