import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ALLOW_BYPASSES, ALLOWED_PATTERNS } from "../../../test/shell-lines/allow-bypasses.ts";
import { BENIGN, BENIGN_PATTERNS } from "../../../test/shell-lines/benign.ts";
import { PLAIN_SPELLINGS, UNCLEAR_SPELLINGS } from "../../../test/shell-lines/denied-command.ts";
import { makeSecretDirectory, pathLines, pathSpellings, READING_LINES } from "../../../test/shell-lines/denied-path.ts";
import type { AgentKind } from "../../protocol/index.ts";
import { canonicalCall } from "../model/tools/canonical-call.ts";
import { commandCall } from "./call-fields.ts";
import { describePendingCall } from "./describe-call.ts";
import { judgeCall, whyApprovalNeeded } from "./judge-call.ts";
import { parseRule, type Rule, type Verdict } from "./rule.ts";

const rules = (verdict: Verdict, ...texts: string[]): Rule[] =>
  texts.map((text) => parseRule(text, verdict) ?? expect.fail(text));

function secretPlace(): string {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), "rt-secret-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  makeSecretDirectory(root);
  return root;
}

interface Form {
  readonly kind: AgentKind;
  readonly tool: string;
  readonly call: (line: string, cwd: string) => string;
}

const quoted = (line: string) => `'${line.replaceAll("'", String.raw`'\''`)}'`;

/** Forms in which agents request a command. */
const FORMS: readonly Form[] = [
  { kind: "claude", tool: "Bash", call: commandCall },
  { kind: "claude", tool: "Bash", call: (command) => JSON.stringify({ command, description: "d", timeout: 5 }) },
  { kind: "codex", tool: "shell", call: commandCall },
  { kind: "codex", tool: "shell", call: (line) => commandCall(`/bin/bash -lc ${quoted(line)}`) },
  { kind: "acp", tool: "run_shell_command", call: commandCall },
  { kind: "opencode", tool: "bash", call: commandCall },
  { kind: "acp", tool: "execute", call: commandCall },
  { kind: "pi", tool: "bash", call: commandCall },
  {
    kind: "openai",
    tool: "shell",
    call: (command, cwd) =>
      canonicalCall({ member: "m", cwd, tool: "shell", args: { command }, bound: undefined }).text,
  },
];

function counted(lines: readonly string[], list: readonly Rule[], form: Form, cwd: string): Record<string, string[]> {
  const found: Record<string, string[]> = { deny: [], ask: [], allow: [], none: [] };
  for (const line of lines) {
    const call = describePendingCall({ tool: form.tool, call: form.call(line, cwd) }, { kind: form.kind, cwd });
    found[judgeCall(list, call)?.verdict ?? "none"]?.push(line);
  }
  return found;
}

const sizes = (found: Record<string, string[]>) =>
  Object.fromEntries(Object.entries(found).map(([verdict, lines]) => [verdict, lines.length]));

const DENIES_RM = [...rules("allow", "shell"), ...rules("deny", "shell: rm *")];

test.each(FORMS)("[A373] a denied command is denied in 140 spellings and asked about in 120 ($kind, $tool)", (form) => {
  const plain = counted(PLAIN_SPELLINGS, DENIES_RM, form, "/");
  const unclear = counted(UNCLEAR_SPELLINGS, DENIES_RM, form, "/");
  expect([plain["allow"], plain["none"], unclear["allow"], unclear["none"]]).toEqual([[], [], [], []]);
  const total = { deny: PLAIN_SPELLINGS.length, ask: UNCLEAR_SPELLINGS.length };
  expect(total).toEqual({ deny: 140, ask: 120 });
  if (form.kind !== "codex") expect([sizes(plain)["deny"], sizes(unclear)["ask"]]).toEqual([140, 120]);
});

test("[A372] a pattern allows none of 257 lines that start like an allowed command", () => {
  const list = rules("allow", ...ALLOWED_PATTERNS.map((one) => `shell: ${one}`));
  for (const form of FORMS) {
    const found = counted(ALLOW_BYPASSES, list, form, "/");
    expect([form.tool, found["allow"], sizes(found)["none"]]).toEqual([form.tool, [], 257]);
  }
});

test("[A372] 116 everyday lines are allowed by patterns for their commands, and unaffected by deny rules for others", () => {
  const patterns = rules("allow", ...BENIGN_PATTERNS.map((one) => `shell: ${one}`));
  const denies = [...rules("allow", "shell"), ...rules("deny", "shell: rm *", "shell: git push*", "edit: secret.txt")];
  const [form] = FORMS;
  const call = (line: string) => describePendingCall({ tool: "Bash", call: line }, { kind: "claude", cwd: "/" });
  expect(form && counted(BENIGN, patterns, form, "/")["allow"]).toHaveLength(116);
  expect(form && counted(BENIGN, denies, form, "/")["allow"]).toHaveLength(116);
  expect(BENIGN.flatMap((line) => whyApprovalNeeded(patterns, call(line)).because ?? [])).toEqual([]);
});

const DENIES_SECRET = [...rules("allow", "shell", "edit"), ...rules("deny", "edit: secret.txt")];

test("[A374] a denied path is denied in all of its 28 spellings, whichever tool names it", () => {
  const root = secretPlace();
  const spellings = pathSpellings(root);
  const calls = spellings.flatMap((name) => [
    {
      kind: "claude" as const,
      tool: "Edit",
      call: JSON.stringify({ file_path: name, old_string: "a", new_string: "b" }),
    },
    { kind: "claude" as const, tool: "Write", call: JSON.stringify({ file_path: name, content: "" }) },
    { kind: "codex" as const, tool: "apply_patch", call: JSON.stringify({ changes: [{ path: "x" }, { path: name }] }) },
    {
      kind: "codex" as const,
      tool: "apply_patch",
      call: JSON.stringify({ changes: [{ path: "x", kind: { move_path: name } }] }),
    },
    { kind: "acp" as const, tool: "edit", call: JSON.stringify({ title: "t", paths: [name], diff: "d" }) },
    { kind: "acp" as const, tool: "edit", call: JSON.stringify({ file_path: "x", edits: [{ file_path: name }] }) },
    { kind: "acp" as const, tool: "move", call: JSON.stringify({ path: "x", destination: name }) },
    { kind: "acp" as const, tool: "edit", call: JSON.stringify({ path: "x", target: { where: [name] } }) },
    {
      kind: "opencode" as const,
      tool: "edit",
      call: JSON.stringify({ title: "t", args: { filepath: `x, ${name}` }, paths: ["x"] }),
    },
    { kind: "pi" as const, tool: "write", call: JSON.stringify({ path: name, content: "" }) },
    {
      kind: "openai" as const,
      tool: "write",
      call: canonicalCall({ member: "m", cwd: root, tool: "write", args: { path: name }, bound: { path: name } }).text,
    },
  ]);
  const verdicts = calls.map(({ kind, tool, call }) => ({
    call,
    verdict: judgeCall(DENIES_SECRET, describePendingCall({ tool, call }, { kind, cwd: root }))?.verdict,
  }));
  expect(spellings).toHaveLength(28);
  expect(verdicts.filter(({ verdict }) => verdict !== "deny")).toEqual([]);
});

test.each(FORMS)("[A374] a denied path is not written by any of 99 shell lines ($kind, $tool)", (form) => {
  const root = secretPlace();
  const lines = pathLines(root);
  expect(lines).toHaveLength(99);
  const found = counted(lines, DENIES_SECRET, form, root);
  expect([found["allow"], found["none"]]).toEqual([[], []]);
  const reading = counted(READING_LINES, DENIES_SECRET, form, root);
  expect([reading["ask"], reading["deny"], reading["none"]]).toEqual([[], [], []]);
});

test("[A374] a rule's path with links, dots or from the root means its target", () => {
  const root = secretPlace();
  const verdict = (rule: string, file_path: string) => {
    const call = describePendingCall(
      { tool: "Edit", call: JSON.stringify({ file_path }) },
      { kind: "claude", cwd: root },
    );
    return judgeCall([...rules("allow", "edit"), ...rules("deny", `edit: ${rule}`)], call)?.verdict;
  };
  for (const rule of [
    "link",
    "./secret.txt",
    `${root}/secret.txt`,
    "sub/../secret.txt",
    "here/secret.txt",
    "SECRET.txt",
  ]) {
    expect([rule, verdict(rule, "secret.txt"), verdict(rule, "other/x")]).toEqual([rule, "deny", "allow"]);
  }
  expect(verdict("sub", "sub/deep/x")).toBe("deny");
  expect(verdict("sub/**", "into/x")).toBe("deny");
});

test.each([
  [
    "git push --force*",
    [
      "git push -f",
      "git push origin main --forc",
      "git -C x push -uf",
      "git push origin +main",
      "git push --force-if-includes",
      "/usr/lib/git-core/git-push --force",
    ],
    ["git p --force", "git push $x", "git -c alias.y=push y --force", "exec -a git-push git --force"],
    ["git push origin main", "git pull --force", "git commit -m 'push --force'"],
  ],
  [
    "rm -rf *",
    ["rm -fr x", "rm -r -f x", "rm --recursive --force x", "rm -Rf x", "rm x -r --forc", "sudo rm -vrf x"],
    ["rm $x", "rm -r $x"],
    ["rm x", "rm -f x", "ls -rf"],
  ],
  [
    "npm publish*",
    ["npm publish", "npm publish --tag x", "npx npm@latest publish"],
    ["npm --tag x publish", "npm publis", "pnpm publish", "npm $x"],
    ["npm test", "npm install $x", "yarn test"],
  ],
  [
    "npm install*",
    ["npm install x"],
    ["npm i x", "npm add x", "npm isntall", "npm it", "npm cit", "pnpm add x", "yarn add x"],
    ["npm test", "npm run lint", "npm info x"],
  ],
  ["npm run deploy", ["npm run deploy"], ["npm run-script deploy", "npm rum deploy"], ["npm run lint", "npm test"]],
  ["git push", ["git push", "git  push", "'git' push"], ["git push origin", "git push -f"], ["git pull"]],
  [
    "kubectl delete*",
    ["kubectl delete pod y"],
    ["kubectl -n x delete pod y", "oc delete pod x", "k delete pod x"],
    ["kubectl get pods"],
  ],
  ["terraform apply*", ["terraform apply -auto-approve"], ["tofu apply", "terragrunt apply"], ["terraform plan"]],
  ["docker rm*", ["docker rm x"], ["podman rm x", "docker-compose rm x"], ["docker ps", "podman ps"]],
  ["sudo *", ["sudo ls", "env sudo -n ls", "sudo"], ["doas ls", "unknown-runner sudo ls"], ["ls sudo"]],
] as const)("[A373] deny shell: %s", (rule, denied, call, allowed) => {
  const list = [...rules("allow", "shell"), ...rules("deny", `shell: ${rule}`)];
  const verdict = (call: string) =>
    judgeCall(list, describePendingCall({ tool: "Bash", call }, { kind: "claude", cwd: "/" }))?.verdict;
  expect(denied.filter((line) => verdict(line) !== "deny")).toEqual([]);
  expect(call.filter((line) => verdict(line) !== "ask")).toEqual([]);
  expect(allowed.filter((line) => verdict(line) !== "allow")).toEqual([]);
});

/** bash sees arguments, a file or a variable there. */
const OF_OTHER_SHELLS = [
  "echo hi &>/dev/null rm x",
  "echo hi &>>log rm x",
  "CI+=x/y git status",
  "CI[0]=x/y git status",
  "x+=./evil/y",
  "echo x >! secret.txt",
  "echo x >>!secret.txt",
];

test("[A373] what dash or zsh reads as another command is asked about, and no pattern allows it", () => {
  const call = (text: string) => describePendingCall({ tool: "Bash", call: text }, { kind: "claude", cwd: "/" });
  const patterns = rules("allow", "shell: echo *", "shell: git status*", "edit: **");
  for (const line of OF_OTHER_SHELLS) {
    expect([line, judgeCall(DENIES_RM, call(line))?.verdict]).toEqual([line, "ask"]);
    expect([line, judgeCall(patterns, call(line))?.verdict]).toEqual([line, undefined]);
  }
  for (const line of ["npm test &> log", "npm test &>/dev/null; ls", "x+=1", "CI=1 npm test"]) {
    expect([line, judgeCall(DENIES_RM, call(line))?.verdict]).toEqual([line, "allow"]);
  }
});

test("[A373] programs that run what their arguments name are asked about", () => {
  const lines = [
    "git merge-index ./x -a",
    "git merge -s x y",
    "less --lesskey-content=x f",
    "tar --rmt-command=x cf h:f",
  ];
  for (const line of [...lines, "gh alias set --shell x y"]) {
    const call = describePendingCall({ tool: "Bash", call: line }, { kind: "claude", cwd: "/" });
    expect([line, judgeCall(DENIES_RM, call)?.verdict]).toEqual([line, "ask"]);
  }
});

test("[A374] a denied path is not changed from another directory, nor by git or a program that finds it itself", () => {
  const root = secretPlace();
  const verdict = (tool: string, call: object | string) => {
    const text = typeof call === "string" ? call : JSON.stringify(call);
    return judgeCall(DENIES_SECRET, describePendingCall({ tool, call: text }, { kind: "codex", cwd: root }))?.verdict;
  };
  expect(verdict("shell", { command: "echo x > ../secret.txt", cwd: path.join(root, "sub") })).toBe("deny");
  expect(verdict("bash", { command: "echo x > ../secret.txt", workdir: "sub" })).toBe("deny");
  expect(verdict("shell", { command: "echo x > secret.txt", environmentId: "other" })).toBe("ask");
  expect(verdict("shell", { command: "echo x > secret.txt", cwd: path.join(root, "sub") })).toBe("allow");
  const tree = "merge x,pull,rebase x,stash pop,checkout x,switch x,reset --hard HEAD~1,cherry-pick x,revert x,am x";
  const named = ["rm -f 'sec*'", "checkout x -- '*.txt'", "checkout x -- ':(icase)SECRET.TXT'", "restore ':/'"];
  const lines = [...tree.split(","), ...named].map((line) => `git ${line}`);
  for (const line of [...lines, "prettier --write '**/*.txt'"]) {
    expect([line, ["ask", "deny"].includes(verdict("shell", line) ?? "")]).toEqual([line, true]);
  }
  const harmless = [
    "checkout -b new",
    "switch -c new",
    "stash list",
    "reset HEAD x",
    "restore a.ts",
    "checkout x -- a.ts",
  ];
  for (const line of [
    ...harmless.map((one) => `git ${one}`),
    "prettier --write 'src/**/*.ts'",
    "gh x --body 'a * b'",
  ]) {
    expect([line, verdict("shell", line)]).toEqual([line, "allow"]);
  }
});

test("[A374] a pattern means a file also by a hard link and behind a link in its directories", () => {
  const root = secretPlace();
  mkdirSync(path.join(root, "keys"));
  writeFileSync(path.join(root, "keys/one.pem"), "");
  linkSync(path.join(root, "keys/one.pem"), path.join(root, "twin"));
  symlinkSync("keys", path.join(root, "safe"));
  const verdict = (rule: string, call: object | string) => {
    const text = typeof call === "string" ? call : JSON.stringify(call);
    const tool = typeof call === "string" ? "Bash" : "Edit";
    const list = [...rules("allow", "edit", "shell"), ...rules("deny", `edit: ${rule}`)];
    return judgeCall(list, describePendingCall({ tool, call: text }, { kind: "claude", cwd: root }))?.verdict;
  };
  for (const rule of ["keys/**", "keys", "*/*.pem", "safe/**"]) {
    expect([rule, verdict(rule, { file_path: "twin" }), verdict(rule, "echo x > twin")]).toEqual([
      rule,
      "deny",
      "deny",
    ]);
    expect([rule, verdict(rule, { file_path: "keys/one.pem" })]).toEqual([rule, "deny"]);
    expect([rule, verdict(rule, { file_path: "secret.txt" })]).toEqual([rule, "allow"]);
  }
});

test("[A372] a pattern for a program does not let it change files that are not known, or in a directory that governs", () => {
  const cwd = secretPlace();
  const programs = ["cp *", "cd *", "mv *", "echo *", "touch *", "rm build/*", "../x/run *"];
  const list = rules("allow", ...programs.map((one) => `shell: ${one}`));
  const verdict = (line: string) =>
    judgeCall(list, describePendingCall({ tool: "Bash", call: line }, { kind: "claude", cwd }))?.verdict;
  const lines = ["d=.git; cp e $d/hooks/x", "cp e .gi?/hooks/x", "cd .git && cp ../e hooks/x", "touch .gi*/x"];
  for (const line of [...lines, "cp e $(echo .git)/x", "cd $d && cp a b", "rm build/../sub"]) {
    expect([line, verdict(line)]).toEqual([line, undefined]);
  }
  for (const line of ["rm build/a", "../x/run a", "cp a b", "cd sub && cp a b", "mv a b", "mv a b && touch c"]) {
    expect([line, verdict(line)]).toEqual([line, "allow"]);
  }
});

test("[A373] a tool of a server that is given a denied command or file is asked about", () => {
  const cwd = secretPlace();
  const list = [...rules("allow", "mcp__x__*"), ...rules("deny", "shell: rm *", "edit: secret.txt")];
  const verdict = (tool: string, call: object) =>
    judgeCall(list, describePendingCall({ tool, call: JSON.stringify(call) }, { kind: "claude", cwd }))?.verdict;
  expect([
    verdict("mcp__x__do", { command: "rm -rf a" }),
    verdict("mcp__x__do", { job: { cmd: "rm", args: ["-rf", "a"] } }),
    verdict("mcp__x__do", { argv: ["/bin/rm", "a"] }),
    verdict("mcp__x__touch", { file: "secret.txt" }),
    verdict("mcp__x__do", { uri: `file://${cwd}/secret.txt` }),
    verdict("mcp__x__do", { prompt: "rm a", command: "ls" }),
    verdict("mcp__x__read_file", { file: "secret.txt" }),
  ]).toEqual(["ask", "ask", "ask", "ask", "ask", "allow", "allow"]);
  const names = [
    "secret.txt\n",
    " secret.txt",
    "%73ecret.txt",
    `FILE://${cwd}/secret.txt`,
    "/proc/self/cwd/secret.txt",
  ];
  for (const file of names) expect([file, verdict("mcp__x__do", { file })]).toEqual([file, "ask"]);
  expect([
    verdict("mcp__x__push", { files: { "secret.txt": "x" } }),
    verdict("mcp__x__download", { url: "https://example.com", destination: "secret.txt" }),
    verdict("mcp__x__fetch", { save_to: "secret.txt" }),
    verdict("mcp__x__get_and_touch", { file: "secret.txt" }),
    verdict("mcp__x__do", { text: "about secret.txt" }),
    verdict("mcp__x__search", { query: "secret.txt" }),
  ]).toEqual(["ask", "ask", "ask", "ask", "allow", "allow"]);
});

test("[A373] variables that a call sets for its command count", () => {
  const verdict = (env: unknown) => {
    const call = JSON.stringify({ command: "ls", env });
    return judgeCall(DENIES_RM, describePendingCall({ tool: "execute", call }, { kind: "acp", cwd: "/" }))?.verdict;
  };
  expect([{ PATH: "." }, [{ name: "LD_PRELOAD", value: "./x" }], ["BASH_ENV=x"]].map(verdict)).toEqual(
    Array(3).fill("ask"),
  );
  expect([{ CI: "1" }, [], { FOO: "x" }].map(verdict)).toEqual(Array(3).fill("allow"));
});

test("reasons quote the part of the line they are about", () => {
  const cwd = secretPlace();
  const patterns = rules("allow", "shell: npm run *", "shell: git log*", "edit: out/**");
  const because = (list: readonly Rule[], call: string) =>
    whyApprovalNeeded(list, describePendingCall({ tool: "Bash", call }, { kind: "claude", cwd }));
  expect([
    because(patterns, "npm run build > build.log"),
    because(patterns, "npm run build | tee x"),
    because(patterns, "git log --output=x"),
    because(patterns, "git log $x"),
    because(patterns, "PAGER=x git log"),
    because(patterns, "ls"),
    because(patterns, "npm run build > out/log"),
    because(DENIES_RM, "$x y"),
    because(DENIES_SECRET, "some-tool secret.txt"),
    because(rules("ask", "shell: git push*"), "git push"),
  ]).toEqual([
    { because: "it writes build.log" },
    { because: "no rule allows tee" },
    { because: "--output=x makes git do more than its command says" },
    { because: "an argument of git is only known at run time" },
    { because: "it sets PAGER, which can run other programs" },
    {},
    {},
    { because: "a program is only known at run time", doubt: "deny shell: rm *" },
    { because: "some-tool may change secret.txt", doubt: "deny edit: secret.txt" },
    { because: "one of your rules asks: shell: git push*" },
  ]);
});
