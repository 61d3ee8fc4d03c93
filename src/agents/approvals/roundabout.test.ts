/** What other shells, variables and unusual options make of a line that looks plain. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { describePendingCall } from "./describe-call.ts";
import { judgeCall } from "./judge-call.ts";
import { parseRule, type Rule, type Verdict } from "./rule.ts";

const rules = (verdict: Verdict, ...texts: string[]): Rule[] =>
  texts.map((text) => parseRule(text, verdict) ?? expect.fail(text));

const verdictOf = (list: readonly Rule[], command: string, cwd = "/") =>
  judgeCall(list, describePendingCall({ tool: "Bash", call: JSON.stringify({ command }) }, { kind: "claude", cwd }))
    ?.verdict ?? "none";

const without = (verdict: string, list: readonly Rule[], lines: readonly string[], cwd?: string) =>
  lines.filter((line) => verdictOf(list, line, cwd) !== verdict);

const ANY = rules("allow", "shell", "edit");

/** Each was run: dash or zsh runs rm there. */
const IN_OTHER_SHELLS = [
  "[[\nrm = x ]]",
  "[[ !\nrm = x ]]",
  "x='rm x'; $=x",
  "x='rm x'; env $=x",
  'x=rm; command "$=x" x',
  "set -k; ls PATH=.",
  "bash -kc 'ls PATH=.'",
  "set -A 'a[$(rm x)]' y",
  "setopt globsubst; x='*(e:rm x:)'; ls $x",
  "set -o globsubst; x='*(e:rm x:)'; ls $x",
  "set -eo globsubst; ls $x",
  "zsh -o globsubst -c \"x='*(e:rm x:)'; ls \\$x\"",
  "functions+=(ls 'rm x'); ls",
  "functions[0]='rm x'; 0",
  "commands+=(ls /bin/rm); ls x",
  "path=(.); ls",
  "for path in .; do ls; done",
  "read path <<< .; ls",
  "READNULLCMD=sh; < script",
];

test("[A373] what only dash or zsh runs is asked about, and no pattern allows it", () => {
  const patterns = rules(
    "allow",
    ..."ls echo set setopt env command bash zsh read".split(" ").map((one) => `shell: ${one} *`),
  );
  expect(without("ask", [...ANY, ...rules("deny", "shell: rm *")], IN_OTHER_SHELLS)).toEqual([]);
  expect(without("none", patterns, IN_OTHER_SHELLS)).toEqual([]);
  const plain = ["set -euo pipefail; ls a", "set -- a; ls a", "shopt -s nullglob; ls a", "[[ -f x ]] && ls a\nls b"];
  expect(without("allow", [...ANY, ...rules("deny", "shell: rm *")], plain)).toEqual([]);
});

test("[A373] a variable whose value names what is denied is asked about", () => {
  const list = [...ANY, ...rules("deny", "shell: rm *", "shell: git push*", "edit: secret.txt")];
  const lines = [
    "GNUMAKEFLAGS='--eval=x:;rm x' make",
    "env LUA_INIT='os.execute(\"rm x\")' lua x.lua",
    "export TAR_OPTIONS=--to-command=rm; tar xf x",
    "A='git push' make",
    "SSLKEYLOGFILE=secret.txt some-tool",
    "export OUT=./secret.txt; make",
  ];
  expect(without("ask", list, lines)).toEqual([]);
  expect(without("allow", list, ["CI=1 npm test", "OUT=build/x make", "export A=b; make"])).toEqual([]);
});

test("[A373] plumbing of git does what its denied command does", () => {
  const list = [...ANY, ...rules("deny", "shell: git commit*", "shell: git checkout *", "shell: git reset --hard*")];
  const lines = ["cherry-pick x", "merge x", "switch main", "restore x", "read-tree -u x", "update-ref refs/heads/x y"];
  expect(
    without(
      "ask",
      list,
      [...lines, "bisect view git -c alias.y=!x y"].map((one) => `git ${one}`),
    ),
  ).toEqual([]);
  expect(without("allow", list, ["git reset x", "git branch x", "git stash list", "git bisect view --stat"])).toEqual(
    [],
  );
});

test("[A374] a denied file is not written under a name that a program makes itself", () => {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), "rt-secret-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const name of ["secret.txt", "in.txt"]) writeFileSync(path.join(root, name), "");
  mkdirSync(path.join(root, "dir"));
  const list = [...ANY, ...rules("deny", "edit: secret.txt")];
  const lines = [
    "sort -uosecret.txt in.txt",
    "curl -sSLosecret.txt https://example.com",
    "gcc -Wl,-Map=secret.txt x.c",
    'some-tool {"out":"secret.txt"}',
    "curl -o '#1.txt' 'https://example.com/{secret}'",
    "http --download https://example.com/secret.txt",
    "gpg secret.txt.gpg",
    "sed -i.txt s/a/b/ secret",
    "cp --backup --suffix=.txt in.txt secret",
    "gzip -kS .txt secret",
    "csplit -fsecret -b .txt in.txt 1",
    "rename in secret in.txt",
    "cp -a dir/. .",
    "find -newer x -delete",
    "uniq - secret.txt",
    "jar xf x.jar",
    "hg update",
  ];
  expect(lines.filter((line) => !["ask", "deny"].includes(verdictOf(list, line, root)))).toEqual([]);
  const harmless = ["sed -i.bak s/a/b/ in.txt", "mv in.txt dir/x", "find -name x", "unzip -l x.zip", "hg status"];
  expect(without("allow", [...list, ...rules("deny", "edit: keys/**")], harmless, root)).toEqual([]);
});

test("[A372] a pattern does not cover options that load code or write elsewhere", () => {
  const programs =
    "uniq,xxd,file,tar tf,sed,gcc,git config,git bisect,git fast-export,./gradlew,mvn,dotnet test,deno test";
  const patterns = rules("allow", ...programs.split(",").map((one) => `shell: ${one} *`));
  const lines = [
    "uniq - x",
    "xxd -r - x",
    "file --comp --magic-file=x",
    "tar tf x --index-file=y",
    "sed -I.bak s/a/b/ x",
    "gcc -B. x.c",
    "git config --uns user.name",
    "git bisect visualize git -c alias.y=!x y",
    "git fast-export --export-m=x HEAD",
    "./gradlew test -I x.gradle",
    "mvn test -Dmaven.ext.class.path=x",
    "dotnet test /p:x=y",
    "deno test -A",
  ];
  expect(without("none", patterns, lines)).toEqual([]);
  const plain = ["uniq -c x", "tar tf x", "gcc -Wall -O2 x.c", "./gradlew test --tests x", "mvn -q test -Dtest=X"];
  expect(without("allow", patterns, [...plain, "dotnet test --filter x", "git config --get a"])).toEqual([]);
});

test("[A373] a tool of a server is asked about however it is given a denied command or file", () => {
  const list = [...rules("allow", "mcp__*"), ...rules("deny", "shell: rm *", "edit: secret.txt")];
  const verdict = (tool: string, args: object) =>
    judgeCall(list, describePendingCall({ tool, call: JSON.stringify(args) }, { kind: "claude", cwd: "/w" }))?.verdict;
  const commands = [{ commands: ["ls", "rm a"] }, { steps: [{ run: "rm a" }] }, { shell_command: { line: "rm a" } }];
  expect(commands.map((args) => verdict("mcp__x__do", args))).toEqual(["ask", "ask", "ask"]);
  const files = [
    "a.txt,secret.txt",
    "file:secret.txt",
    "secret.txt#L1",
    "`secret.txt`",
    "secret.txt\0.png",
    ".\\secret.txt",
    "sec*.txt",
    '{"path":"secret.txt"}',
    "--- a/secret.txt\n+++ b/secret.txt\n",
    "*** Update File: secret.txt\n",
  ];
  for (const text of files) expect([text, verdict("mcp__x__do", { text })]).toEqual([text, "ask"]);
  const changing = ["mcp__log__post", "mcp__x__thread_close", "mcp__x__info_wipe", "mcp__x__viewAndErase"];
  for (const tool of changing) expect([tool, verdict(tool, { path: "secret.txt" })]).toEqual([tool, "ask"]);
  const reading = ["mcp__x__read_file", "mcp__x__getFile", "mcp__x__list-files", "mcp__edit__search"];
  expect(reading.filter((tool) => verdict(tool, { path: "secret.txt" }) !== "allow")).toEqual([]);
  expect(verdict("mcp__x__do", { body: "about secret.txt, and rm a", line: 3 })).toBe("allow");
});
