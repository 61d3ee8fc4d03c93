import { array, assert, constantFrom, property, stringMatching } from "fast-check";
import { expect, test } from "vitest";
import type { PendingCall } from "./pending-call.ts";
import { judgeCall } from "./judge-call.ts";
import { parseRule, ruleText, type Rule, type Verdict } from "./rule.ts";
import { unwrapCommand } from "./describe-call.ts";

const command = (text: string): PendingCall => ({
  tool: "shell",
  changesFiles: false,
  subjects: [{ kind: "command", text }],
  isWhole: true,
});
const change = (...paths: string[]): PendingCall => ({
  tool: "apply_patch",
  changesFiles: true,
  subjects: paths.map((text) => ({ kind: "path", text })),
  isWhole: true,
});
const rules = (verdict: Verdict, ...texts: string[]): Rule[] =>
  texts.map((text) => parseRule(text, verdict) ?? expect.fail(text));
const verdictOf = (list: readonly Rule[], call: PendingCall) => judgeCall(list, call)?.verdict;

/** Each starts like the allowed command and also does, or may do, something else. */
const HOSTILE = [
  "git status; rm -rf ~",
  "git status;rm x",
  "git status && id",
  "git status & id",
  "git status || id",
  "git status | sh",
  "git status |& sh",
  "git status $(id)",
  "git status `id`",
  "git status\nid",
  "git status\r\nid",
  "git status\u2028id",
  "git status > .git/hooks/pre-commit",
  "git status >> x",
  "git status <(id)",
  "git status >(id)",
  "git status $HOME",
  "git status ${IFS}x",
  "git status {a,b}",
  "git status *",
  "git status ?",
  "git status [a-z]",
  "git status (id)",
  "git status 'unclosed",
  'git status "unclosed',
  "git status 'a'\"",
  "git status \0id",
  "git status \u202Ex",
  "git status \u001B[2K",
  "git status %COMSPEC% & id",
];

/** They look like more than one command, but are one with harmless arguments. */
const HARMLESS = [
  " git status",
  "git  status ;",
  "git status\tx",
  "git status < /etc/passwd",
  "git status <<EOF\nid\nEOF",
  "git status <<< x",
  "git status $'\\x3bid'",
  "git status \\\nid",
  "git status \\; id",
  "git status ~root",
  "git status # ; id",
  "git status 'a;b' HEAD^ 100%",
  "git status 2>&1 >/dev/null",
  "time git status",
  "git status && git status --short",
];

test("a rule is a tool, or a tool and a pattern, and nothing else", () => {
  expect(parseRule("shell: git status*", "allow")).toEqual({ tool: "shell", match: "git status*", verdict: "allow" });
  expect(parseRule("  mcp__x__* ", "deny")).toEqual({ tool: "mcp__x__*", verdict: "deny" });
  expect(parseRule("edit:src/**", "ask")).toEqual({ tool: "edit", match: "src/**", verdict: "ask" });
  expect(parseRule("shell: a: b", "ask")).toEqual({ tool: "shell", match: "a: b", verdict: "ask" });
  expect(
    ["", ":", "shell:", "shell: ", ": x", "two words", "shell: a\nb", "x".repeat(2_000)].map((one) =>
      parseRule(one, "allow"),
    ),
  ).toEqual(Array.from({ length: 8 }, () => undefined));
  expect(rules("deny", "shell: rm *", "write").map(ruleText)).toEqual(["deny shell: rm *", "deny write"]);
});

test("[A371] deny rules precede ask rules, ask rules precede allow rules, wherever they are written", () => {
  const list = [
    ...rules("allow", "shell: git *"),
    ...rules("ask", "shell: git push*"),
    ...rules("deny", "shell: git push --force*"),
  ];
  const said = ["git status", "git push", "git push --force origin", "ls"].map((text) =>
    judgeCall(list, command(text)),
  );
  expect(said).toEqual([
    { verdict: "allow", by: "allow shell: git *" },
    { verdict: "ask", by: "ask shell: git push*", reason: "it runs git push" },
    { verdict: "deny", by: "deny shell: git push --force*", reason: "it runs git push --force origin" },
    undefined,
  ]);
});

test.each(HOSTILE.map((text) => [text]))("[A372] a pattern for git status does not allow %j", (text) => {
  for (const rule of ["shell: git status*", "shell: *", "shell: git *", "shell: **"]) {
    expect([rule, verdictOf(rules("allow", rule), command(text))]).toEqual([rule, undefined]);
  }
});

test.each(HARMLESS.map((text) => [text]))("[A372] a pattern for git status allows %j", (text) => {
  expect(verdictOf(rules("allow", "shell: git status*"), command(text))).toBe("allow");
});

test("[A372] a pattern allows its command, also with quoted words, and a rule without wildcard exactly itself", () => {
  const list = rules(
    "allow",
    "shell: git status*",
    "shell: git log *",
    "shell: make && make test",
    "shell: npm run ?x",
  );
  for (const text of [
    "git status",
    "git status --short src/a.ts",
    "git log '-n 5'",
    'git log "a b"',
    "make && make test",
    "npm run äx",
  ]) {
    expect([text, verdictOf(list, command(text))]).toEqual([text, "allow"]);
  }
  for (const text of ["git stat", "GIT status", "make && make tests", "PAGER=x git status", "x=1", "npm run x"]) {
    expect([text, verdictOf(list, command(text))]).toEqual([text, undefined]);
  }
  expect(verdictOf(rules("allow", "shell: *"), command("PAGER=id git log"))).toBeUndefined();
});

test("[A372] for any words around a second command, a pattern for the first does not allow the line", () => {
  const around = constantFrom(
    "; id",
    "& id",
    "| id",
    "$(id)",
    "`id`",
    "\nid\n",
    "> x",
    "$x",
    "(id)",
    "&& id",
    "<(id)",
    "* ",
  );
  // Behind "--" a glob is never an option.
  const word = stringMatching(/^[\w ./:=@%+,~^#!-]{0,8}$/).filter((text) => !text.split(" ").includes("--"));
  assert(
    property(array(word, { maxLength: 3 }), around, array(word, { maxLength: 3 }), (before, second, after) => {
      const line = `git status ${before.join(" ").replaceAll("#", "")} ${second} ${after.join(" ")}`;
      expect(verdictOf(rules("allow", "shell: git status*"), command(line))).toBeUndefined();
    }),
  );
});

test("[A373] a denied command is denied after another one, in another case and inside another one", () => {
  const list = [...rules("allow", "shell"), ...rules("deny", "shell: rm *", "edit: .env", "edit: secrets/**")];
  for (const text of [
    "rm -rf x",
    "true; rm x",
    "a && rm x",
    "echo $(rm x)",
    "a\nrm x",
    "RM x",
    "(rm x)",
    "{ rm x; }",
  ]) {
    expect([text, verdictOf(list, command(text))]).toEqual([text, "deny"]);
  }
  expect([".env", ".ENV", "secrets/a/b"].map((one) => verdictOf(list, change(one)))).toEqual(["deny", "deny", "deny"]);
  expect(verdictOf(list, command("ls | wc"))).toBe("allow");
});

test("[A374] edit is any tool that changes files, every path must be allowed, and governing files never by a wildcard", () => {
  const list = rules("allow", "edit: src/**", "edit: .git/config");
  expect(verdictOf(list, change("src/a.ts", "src/deep/b.ts"))).toBe("allow");
  expect(verdictOf(list, change("src/a.ts", "package.json"))).toBeUndefined();
  expect(verdictOf(list, change("/etc/src/a"))).toBeUndefined();
  const open = rules("allow", "edit: **", "edit: **/*.md", "edit: /notes/**");
  expect(["/etc/a", "/home/a/x.md", "a/x.md", "/notes/x"].map((one) => verdictOf(open, change(one)))).toEqual([
    undefined,
    undefined,
    "allow",
    "allow",
  ]);
  expect(
    ["src/.git/hooks/x", "src/.claude/settings.json", "src/.Codex/x"].map((one) => verdictOf(list, change(one))),
  ).toEqual([undefined, undefined, undefined]);
  expect(verdictOf(rules("allow", "edit"), change(".roundtable/config.jsonc"))).toBeUndefined();
  expect(verdictOf(list, change(".git/config"))).toBe("allow");
  expect(verdictOf(list, { ...change("src/a.ts"), changesFiles: false, tool: "read" })).toBeUndefined();
});

test("[A375] a call with more than its subjects can be denied by rules but not allowed", () => {
  const partly = { ...command("git status"), isWhole: false };
  expect(verdictOf(rules("allow", "shell: git status*"), partly)).toBeUndefined();
  expect(verdictOf(rules("deny", "shell: git *"), partly)).toBe("deny");
  const call: PendingCall = {
    tool: "x__y",
    changesFiles: false,
    subjects: [{ kind: "call", text: '{"a":1}' }],
    isWhole: true,
  };
  expect(verdictOf(rules("allow", "x__y: *"), call)).toBeUndefined();
  expect(verdictOf(rules("allow", 'x__y: {"a":1}'), call)).toBe("allow");
  expect(verdictOf(rules("allow", "x__*"), call)).toBe("allow");
  expect(verdictOf(rules("deny", 'x__y: *"a"*'), call)).toBe("deny");
});

test("a command in bash -lc is the command inside, and only where that is certain", () => {
  expect(unwrapCommand("/bin/bash -lc 'git status'")).toBe("git status");
  expect(unwrapCommand('zsh -c "git log"')).toBe("git log");
  expect(unwrapCommand("/bin/sh -c ls")).toBe("ls");
  for (const text of [
    "bash -lc 'a' 'b'",
    "bash -lc 'it'\\''s'",
    'bash -c "$x"',
    "/tmp/bash -c 'git status'",
    "bash -lc 'a'; id",
  ]) {
    expect(unwrapCommand(text)).toBe(text);
  }
});

test.each([
  ["sudo env*", ["sudo env"], ["sudo env rm x"]],
  ["sudo apt update*", ["sudo apt update"], ["sudo apt install x", "apt update", "sudo rm x"]],
  ["timeout 60 npm test*", ["timeout 60 npm test -- x"], ["npm test", "timeout 60 npm test --script-shell=./p y"]],
  ["npx vitest run -c x*", ["npx vitest run -c x a"], ["npx vitest run -c y", "npx vitest run -c x --config=y"]],
  ["find . -exec grep*", ["find . -exec grep x {} +"], ["find . -exec rm {} +", "find . -delete"]],
  ["make -f x.mk*", ["make -f x.mk all"], ["make -f y.mk", "make -f x.mk -f y.mk", "make all"]],
  ["npm run test:*", ["npm run test:unit -- a"], ["npm run build", "npm run"]],
  ["npm *", ["npm test", "npm run a && npm run b"], ["npm exec rm", "npm test --script-shell=./p"]],
  ["./gradlew *", ["./gradlew test"], ["gradlew test", "../gradlew test", "/tmp/gradlew test"]],
  ["*", ["ls -la", "npm test"], ["ls; ls", "ls | cat", "python3 -c x", "sort -o x y", "echo $(ls)"]],
] as const)("[A372] allow shell: %s", (rule, allowed, others) => {
  const list = rules("allow", `shell: ${rule}`);
  expect(allowed.filter((line) => verdictOf(list, command(line)) !== "allow")).toEqual([]);
  expect(others.filter((line) => verdictOf(list, command(line)) !== undefined)).toEqual([]);
});
