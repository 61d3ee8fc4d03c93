/** A shell script is the agent: what the walls hold does not depend on who runs into them. */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, renameSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { asUser, hasBwrap, isRoot, LEFT_OPEN, scratch, type Outcome, type Scratch } from "./inside.ts";

const out = (ran: Outcome): string[] => (ran.kind === "ran" ? ran.out.split("\n").filter(Boolean) : [ran.reason]);
const read = (...parts: string[]): string => readFileSync(path.join(...parts), "utf8");

/** A repository with one commit; git asks nobody for a name. */
function withGit({ workspace, home, write }: Scratch, directory = workspace): void {
  write("home/.gitconfig", "[user]\n\tname = A\n\temail = a@example.com\n[init]\n\tdefaultBranch = main\n");
  const script = "git init -q . && echo one > file && git add . && git commit -qm one";
  execFileSync("sh", ["-c", script], { ...asUser, cwd: directory, env: { PATH: process.env["PATH"], HOME: home } });
}

describe.skipIf(!hasBwrap)("in the sandbox", () => {
  test.each([["an ordinary user", false] as const, ...(isRoot ? [["root", true] as const] : [])])(
    "a read-only session changes nothing but its private temporary directory, as %s",
    async (_who, asRoot) => {
      const { home, workspace, write, run } = scratch({ asRoot });
      write("work/README.md", "hello\n");
      const ran = await run(
        `cat README.md
        touch new; echo more >> README.md; rm README.md; mkdir dir; touch ${home}/new; chmod 777 README.md
        (cat /proc/sys/kernel/core_pattern > /tmp/p && cat /tmp/p > /proc/sys/kernel/core_pattern) && echo wrote; mount -o remount,rw / && echo remounted; unshare -Ur true && echo nested
        echo kept > "$TMPDIR/file" && cat "$TMPDIR/file"; cat /proc/self/status | grep CapEff`,
      );
      expect(out(ran)).toEqual(["hello", "kept", "CapEff:\t0000000000000000"]);
      expect([read(workspace, "README.md"), readdirSync(workspace), readdirSync(home)]).toEqual([
        "hello\n",
        ["README.md"],
        [],
      ]);
    },
  );

  test("what Roundtable was started with is not open inside, such as a directory of the machine", async () => {
    const script = `for fd in /proc/$$/fd/*; do
      case $(basename $fd) in [012]) ;; *) test $(readlink $fd) = /dev/null || readlink $fd;; esac; done
      cd /proc/$$/fd/${LEFT_OPEN} && ls; true`;
    expect(out(await scratch().run(script))).toEqual([]);
  });

  test("the keys of the login cannot be read or changed, in either session", async () => {
    // add_key, request_key, keyctl; by their numbers on x86-64, and on arm64 and others.
    const script = `python3 - <<'E'
import ctypes, platform
first = 248 if platform.machine() == "x86_64" else 217
kernel = ctypes.CDLL(None, use_errno=True)
for args in ((first, b"user", b"planted", b"evil", 4, -3), (first + 1, b"user", b"planted", None, -3), (first + 2, 0, -3, 1)):
    print(kernel.syscall(*args), ctypes.get_errno())
E`;
    for (const isWritable of [false, true]) {
      expect(out(await scratch().run(script, { isWritable }))).toEqual(["-1 1", "-1 1", "-1 1"]);
    }
  });

  test("a writable session changes its workspace, with spaces and by a link too, and nothing else", async () => {
    const { home, make, write, run } = scratch();
    const workspace = make("work/a b 'ü");
    const link = path.join(home, "link");
    symlinkSync(workspace, link);
    const more = write("more/file");
    const settings = { write: [path.dirname(more)] };
    const script = `touch new; touch ${home}/new; touch ../new; echo y > ${more}; touch "$npm_config_cache"; pwd; ls -A`;
    const ran = await run(script, { workspace: link, isWritable: true, settings });
    expect(out(ran).filter((name) => !name.startsWith("."))).toEqual([link, "new"]);
    expect([readdirSync(workspace), readdirSync(home), read(more)]).toEqual([["new"], ["link"], "y\n"]);
  });

  test("secrets, other agents, our own directories and sockets are hidden; what is shown is not", async () => {
    const { home, workspace, write, make, run } = scratch();
    const secrets = [
      ".ssh/id",
      ".claude/x",
      ".codex/auth.json",
      ".npmrc",
      ".bash_history",
      ".config/roundtable/c",
      ".config/gh/h",
    ];
    for (const name of secrets) write(`home/${name}`, "secret");
    const shown = write("data/shown/tool.js", "shown\n");
    write("data/token", "secret");
    const socket = path.join(make("home/sockets"), "agent.sock");
    const server = createServer().listen(socket);
    onTestFinished(() => void server.close());
    const script = `cat ${shown}; grep -rs secret ${home} ${path.dirname(workspace)}/data; ls /run; cat ${home}/.npmrc && echo readable
      test -S ${socket} && echo socket; env | grep -c -e SSH_AUTH_SOCK -e DOCKER_HOST -e XDG_RUNTIME_DIR -e DBUS; cat /etc/resolv.conf > /dev/null && echo dns`;
    const env = {
      SSH_AUTH_SOCK: socket,
      DOCKER_HOST: "tcp://h:1",
      XDG_RUNTIME_DIR: "/run/user/1",
      DBUS_SESSION_BUS_ADDRESS: "unix:abstract=/x",
    };
    const closed = await run(script, { agent: "pi", shown: [shown], env });
    expect(out(closed)).toEqual(["shown", "readable", "0", ...(existsSync("/etc/resolv.conf") ? ["dns"] : [])]);
    const opened = await run(`test -S $SSH_AUTH_SOCK && echo socket`, { env, settings: { sockets: ["ssh-agent"] } });
    expect(out(opened)).toEqual(["socket"]);
  });

  test("a socket that somebody listens on is closed, wherever it is, unless it is opened or in a writable workspace", async () => {
    const { make, run } = scratch();
    const sockets = [make("home/.local/state/watchman"), make("work/tmp")].map((directory) =>
      path.join(directory, "s"),
    );
    for (const socket of sockets) {
      const server = createServer().listen(socket);
      onTestFinished(() => void server.close());
    }
    const script = `for s in ${sockets.join(" ")}; do test -S $s && echo $s; done; true`;
    expect(out(await run(script))).toEqual([]);
    expect(out(await run(script, { isWritable: true }))).toEqual(sockets.slice(1));
    expect(out(await run(script, { settings: { sockets } }))).toEqual(sockets);
  });

  test("a shown script among temporary files is seen with its package, and nothing beside it", async () => {
    const { write, run } = scratch();
    const script = write("package/dist/tool.js", "tool\n");
    const [part, manifest] = [write("package/dist/part.js", "part\n"), write("package/package.json", "{}\n")];
    const other = write("other/file", "other\n");
    const ran = await run(`cat ${script} ${part} ${manifest} ${other}; echo y > ${part}`, { shown: [script] });
    expect([...out(ran), read(part)]).toEqual(["tool", "part", "{}", "part\n"]);
  });

  test("a login of a cloud is shown to the agent whose settings use it", async () => {
    const { home, write, run } = scratch();
    write("home/.aws/credentials", "aws\n");
    const script = `cat ${home}/.aws/credentials`;
    expect(out(await run(script, { agent: "claude" }))).toEqual([]);
    expect(out(await run(script, { agent: "claude", env: { CLAUDE_CODE_USE_BEDROCK: "1" } }))).toEqual(["aws"]);
    write("home/.claude/settings.json", '{ "env": { "CLAUDE_CODE_USE_BEDROCK": "1" } }');
    expect(out(await run(script, { agent: "claude" }))).toEqual(["aws"]);
    expect(out(await run(script, { agent: "pi" }))).toEqual([]);
  });

  test("an agent writes its state and not its configuration, by whatever name", async () => {
    const { home, write, run } = scratch();
    write("home/.claude/settings.json", "{}");
    write("home/elsewhere/.codex/config.toml", "a = 1\n");
    const ran = await run(
      `cd ${home}/.claude; touch state && echo state; for f in settings.json CLAUDE.md hooks/x skills/x; do echo evil >> $f && echo "$f"; done
      mv settings.json s; mv hooks h; rm -rf hooks; touch shell-snapshots/x; ls ${home}`,
      { agent: "claude-agent-acp" },
    );
    expect(out(ran)).toEqual(["state", "elsewhere"]);
    expect(read(home, ".claude/settings.json")).toBe("{}");
    expect(readdirSync(path.join(home, ".claude"))).toEqual(["settings.json", "state"]);
    const codex = path.join(home, "elsewhere/.codex");
    const moved = await run(`echo x > $CODEX_HOME/config.toml; touch $CODEX_HOME/auth.json && echo login`, {
      agent: "codex",
      env: { CODEX_HOME: codex },
    });
    expect(out(moved)).toEqual(["login"]);
    expect(read(codex, "config.toml")).toBe("a = 1\n");
    renameSync(path.join(codex, "config.toml"), path.join(home, "dotfile"));
    symlinkSync(path.join(home, "dotfile"), path.join(codex, "config.toml"));
    const env = { CODEX_HOME: codex };
    await run(`rm $CODEX_HOME/config.toml; echo evil > $CODEX_HOME/config.toml`, { agent: "codex", env });
    expect(read(codex, "config.toml")).toBe("a = 1\n");
  });

  test("in a writable session git commits; hooks, configuration and governed files stay as they are", async () => {
    const place = scratch();
    const { workspace, write, run } = place;
    write("work/1/2/3/4/5/6/7/CLAUDE.md");
    withGit(place);
    write("work/AGENTS.md", "be good\n");
    write("work/deep/er/.claude/settings.json", "{}");
    const denied = [write("work/denied/file")];
    const script = `echo two >> file; git commit -qam two && git log --format=%s
      echo x > .git/hooks/pre-commit; git config a.b c; echo x >> .git/config; mv .git .git2; rm -rf .git/hooks
      echo x >> AGENTS.md; rm AGENTS.md; sed -i s/good/evil/ AGENTS.md; mv deep d; echo x > deep/er/.claude/settings.json
      echo x > .vscode/tasks.json; rmdir .vscode; echo x > denied/file; rm -r denied; touch deep/er/new && echo new; git status --short; echo x >> 1/2/3/4/5/6/7/CLAUDE.md; mv 1/2 2; rm -rf 2`;
    const ran = await run(script, { isWritable: true, denied });
    expect(out(ran)).toEqual(["two", "one", "new", "?? AGENTS.md", "?? deep/", "?? denied/"]);
    expect(readdirSync(path.join(workspace, ".git/hooks")).filter((name) => !name.endsWith(".sample"))).toEqual([]);
    expect(read(workspace, ".git/config")).not.toMatch(/x|\[a\]/);
    const kept = ["AGENTS.md", "denied/file", "1/2/3/4/5/6/7/CLAUDE.md"];
    expect(kept.map((file) => read(workspace, file))).toEqual(["be good\n", "x\n", "x\n"]);
    expect(readdirSync(workspace).toSorted()).toEqual([".git", "1", "AGENTS.md", "deep", "denied", "file"]);
  });

  test("a linked worktree commits into its repository and leaves the main tree alone", async () => {
    const place = scratch();
    const { home, workspace, make, run } = place;
    const main = make("main");
    withGit(place, main);
    const env = { PATH: process.env["PATH"], HOME: home };
    execFileSync("git", ["worktree", "add", "-q", path.join(workspace, "tree")], { ...asUser, cwd: main, env });
    const tree = path.join(workspace, "tree");
    const script = `echo two >> file; git commit -qam two && git log --format=%s; echo x >> ${main}/file; echo x > ${main}/.git/hooks/x; echo x >> ${main}/.git/config; echo x > .git; git -C ${main} branch`;
    const ran = await run(script, { workspace: tree, isWritable: true });
    expect(out(ran)).toEqual(["two", "one", "* main", "+ tree"]);
    expect([read(main, "file"), existsSync(path.join(main, ".git/hooks/x"))]).toEqual(["one\n", false]);
    const seen = await run(`git log --format=%s; git commit -q --allow-empty -m three`, { workspace: tree });
    expect(out(seen)).toEqual(["two", "one"]);
  });

  test("what an agent plants in its workspace opens nothing the next time", async () => {
    const { home, workspace, write, make, run } = scratch();
    const key = write("home/.ssh/id", "secret");
    const other = make("other");
    const plant = `printf 'gitdir: ${other}\\n' > .git; ln -s ${key} AGENTS.md; ln -s ${other} .github2; mkdir sub; ln -s ${other} sub/.git`;
    await run(plant, { isWritable: true });
    const again = await run(`cat AGENTS.md; touch ${other}/x; cat ${key}`, { isWritable: true });
    expect(again).toMatchObject({ kind: "ran", out: "" });
    await run(`rm .git; mkdir .git; echo ref > .git/HEAD; echo ${other} > .git/commondir`, { isWritable: true });
    await run(`echo ${other} > .git/commondir`, { isWritable: true });
    expect(existsSync(path.join(workspace, ".git/commondir"))).toBe(false);
    await run(`touch ${other}/x`, { isWritable: true });
    expect([readdirSync(other), existsSync(path.join(workspace, "AGENTS.md")), existsSync(home)]).toEqual([
      [],
      true,
      true,
    ]);
  });

  test("a home directory can be read and not be made writable", async () => {
    const { home, run } = scratch();
    expect((await run("touch x", { workspace: home, isWritable: true })).kind).toBe("refused");
    expect(out(await run("pwd", { workspace: home }))).toEqual([home]);
  });

  test("a program in the workspace cannot rewrite itself", async () => {
    const { workspace, write, run } = scratch();
    const program = write("work/node_modules/agent/cli.sh", "#!/bin/sh\n");
    renameSync(program, `${program}.x`);
    write(
      "work/node_modules/agent/cli.sh",
      "#!/bin/sh\necho own; echo evil >> node_modules/agent/other; mv node_modules/agent a; touch node_modules/ok\n",
    );
    execFileSync("chmod", ["+x", program]);
    expect(out(await run("", { isWritable: true, program }))).toEqual(["own"]);
    expect(readdirSync(path.join(workspace, "node_modules")).toSorted()).toEqual(["agent", "ok"]);
  });
});
