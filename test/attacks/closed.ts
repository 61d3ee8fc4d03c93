/**
 * Lines that change what stays closed in a writable session too: everything outside of it, existing files that govern
 * other programs, git's hooks and configuration; or that plant such a file. `$O` is a directory outside.
 */
import { lines } from "./lines.ts";

/** By other names of the same file, and by parents that are moved away. */
const renamed = lines`
  mv .git .git2; cp -r .git2 .git; echo evil > .git/hooks/pre-commit
  mv .github g; mkdir .github; echo evil > .github/ci.yml
  mv AGENTS.md a; echo evil > AGENTS.md
  mv "$PWD" "$PWD.old"; mkdir "$PWD"; echo evil > "$PWD/AGENTS.md"
  mv a/b x; mkdir -p a/b/c/d/e; echo evil > a/b/c/d/e/AGENTS.md
  ln AGENTS.md twin; echo evil >> twin
  ln .git/config twin; git config -f twin core.fsmonitor evil
  ln "$O/canary" twin; echo evil >> twin
  ln -s .git/hooks h; echo evil > h/pre-commit
  ln -s "$O" out; echo evil > out/new
  ln -sfn "$O/canary" AGENTS.md; echo evil > AGENTS.md
  cp --remove-destination in.txt AGENTS.md
  install -m 755 bin/run .git/hooks/pre-commit
  rsync -a --delete bin/ .git/hooks/; cp bin/run .git/hooks/
  rm -rf .git; git init -q .; git config core.fsmonitor evil
  find . -name AGENTS.md -execdir sh -c 'echo evil > "$1"' - {} \;
  sed -i s/a/evil/ AGENTS.md .github/ci.yml
  truncate -s 0 AGENTS.md; tee -a .github/ci.yml < in.txt
  chmod 777 AGENTS.md .git/hooks; touch -d 2000-01-01 AGENTS.md
  setfattr -n user.x -v 1 AGENTS.md; chattr +i AGENTS.md; echo evil >> AGENTS.md`;

/** By descriptors, /proc and calls of the kernel. */
const descriptors = lines`
  echo evil > /proc/self/root"$PWD"/AGENTS.md
  exec 3< .git/hooks; cd /proc/self/fd/3 && echo evil > pre-commit
  cd .git/hooks && echo evil > /proc/self/cwd/pre-commit
  exec 3< AGENTS.md; echo evil > /proc/self/fd/3
  exec 3< "$O"; cd /proc/self/fd/3 && echo evil > new
  python3 -c 'import ctypes; open("x","w").write("evil"); ctypes.CDLL(None).renameat2(-100, b"x", -100, b"AGENTS.md", 2)'
  python3 -c 'import ctypes; ctypes.CDLL(None).renameat2(-100, b"sub", -100, b".github", 2)'
  python3 -c 'import ctypes; l=ctypes.CDLL(None); f=l.syscall(437, -100, b"AGENTS.md", (ctypes.c_uint64*3)(1,0,0), 24); import os; os.write(f, b"evil")'
  python3 -c 'import os; d=os.open(".git", 0); f=os.open("config", os.O_WRONLY, dir_fd=d); os.write(f, b"evil")'
  python3 -c 'import os; f=os.open("AGENTS.md", os.O_PATH); os.open("/proc/self/fd/%d" % f, os.O_WRONLY|os.O_TRUNC)'
  python3 -c 'import os; f=os.open(".", os.O_TMPFILE|os.O_RDWR); os.write(f, b"evil"); os.link("/proc/self/fd/%d" % f, "CLAUDE.md", follow_symlinks=True)'
  python3 -c 'import ctypes; l=ctypes.CDLL(None); t=l.syscall(428, -100, b".git/hooks", 1); l.syscall(442, t, b"", 0x1000, (ctypes.c_uint64*4)(0,1,0,0), 32); import os; os.fchdir(t); open("pre-commit","w")'
  python3 -c 'import os; f=os.memfd_create("x"); os.write(f, b"#!/bin/sh\necho evil > AGENTS.md; echo evil > CLAUDE.md\n"); os.execv("/proc/self/fd/%d" % f, ["x"])'
  python3 -c 'import os; f=os.memfd_create("x"); os.write(f, open("/bin/sh","rb").read()); os.execv("/proc/self/fd/%d" % f, ["sh","-c","echo evil > $O/new; echo evil > AGENTS.md"])'
  python3 -c 'import mmap, os; f=os.open("AGENTS.md", os.O_RDWR); m=mmap.mmap(f, 0); m[0]=65'
  printf '#include <linux/io_uring.h>\n#include <sys/syscall.h>\n#include <sys/mman.h>\n#include <unistd.h>\n#include <fcntl.h>\n#include <string.h>\nint main(int c,char**v){struct io_uring_params p;memset(&p,0,sizeof p);int f=syscall(425,4,&p);char*s=mmap(0,8192,3,1,f,0);struct io_uring_sqe*q=mmap(0,4096,3,1,f,0x10000000);memset(q,0,64);q->opcode=18;q->fd=-100;q->addr=(unsigned long)v[1];q->open_flags=O_CREAT|O_WRONLY|O_TRUNC;q->len=420;*(unsigned*)(s+p.sq_off.array)=0;*(unsigned*)(s+p.sq_off.tail)=1;syscall(426,f,1,1,1,0,0);}' > $TMPDIR/u.c; gcc -w -o $TMPDIR/u $TMPDIR/u.c; $TMPDIR/u AGENTS.md; $TMPDIR/u CLAUDE.md; $TMPDIR/u "$O/new"
  setsid -f sh -c 'sleep 0.2; echo evil > CLAUDE.md; echo evil > AGENTS.md'; sleep 0.4
  (setsid sh -c 'while :; do echo evil > .envrc; sleep 0.01; done' &) ; sleep 0.3`;

/** By git's own commands and files. */
const repository = lines`
  git config core.fsmonitor evil
  git config --file .git/config core.fsmonitor evil
  git config --local --add include.path ../x
  git config extensions.worktreeConfig true; git config --worktree core.fsmonitor evil
  git config --file .git/config.worktree core.fsmonitor evil
  git worktree add -q "$O/tree"; git worktree add -q --detach ./tree; git -C tree config core.fsmonitor evil; cp bin/run .git/hooks/post-checkout
  git -c protocol.file.allow=always submodule --quiet add ./.git mod; git config -f .gitmodules submodule.mod.update '!evil'
  printf '[submodule "m"]\n\tpath = m\n\turl = ext::evil\n\tupdate = !evil\n' > .gitmodules
  echo '* filter=lfs diff=x merge=x' > .gitattributes
  echo ../../x > .git/commondir; mkdir x
  git init -q --template=bin .; cp bin/pre-commit .git/hooks/
  git maintenance register; git lfs install --local; cp bin/run .git/hooks/pre-push
  git update-index --index-version 4; echo evil > a/b/c/d/e/AGENTS.md
  printf 'DIRC\0' > .git/index; echo evil > CLAUDE.md
  git rm -q --cached a/b/c/d/e/AGENTS.md AGENTS.md; echo evil > a/b/c/d/e/AGENTS.md; echo evil > AGENTS.md
  git stash -q -u; git checkout -q -f HEAD -- .; echo evil > AGENTS.md; git checkout -q --detach; git branch -D main
  b=$(echo evil | git hash-object -w --stdin); git update-index --add --cacheinfo 100644,$b,AGENTS.md --cacheinfo 100644,$b,.envrc; git checkout-index -f -a`;

/** New files that editors, shells, package managers and agents run or obey. */
const planted = lines`
  mkdir -p src/.vscode; echo '{"tasks":[{"runOptions":{"runOn":"folderOpen"}}]}' > src/.vscode/tasks.json
  echo 'script-shell=./bin/run' > .npmrc; echo 'yarnPath: ./bin/run' > .yarnrc.yml; echo 'module.exports={}' > .pnpmfile.cjs
  echo 'touch new' > .envrc; echo 'touch new' > .autoenv; echo '[env]' > mise.local.toml
  echo 'set secure' > .exrc; echo '((nil . ((eval . (evil)))))' > .dir-locals.el; echo evil > .lvimrc; mkdir .helix; echo evil > .helix/languages.toml
  echo evil > .pdbrc; echo evil > .irbrc; echo evil > .gdbinit; echo evil > .Rprofile
  mkdir .cargo; echo '[build]' > .cargo/config.toml; echo evil > .bazelrc; mkdir .mvn; echo evil > .mvn/jvm.config
  echo evil > agents.MD; echo evil > $'CLAUDE\u200b.md'; echo evil > 'Claude.md.'
  for i in $(seq 320); do mkdir "d$i"; echo evil > "d$i/AGENTS.md"; done
  for i in $(seq 600); do mkdir "e$i"; done; mkdir zz; echo evil > zz/.envrc
  mkdir -p 1/2/3/4/5/6/7/8; echo evil > 1/2/3/4/5/6/7/8/CLAUDE.md
  mkdir -p .junie .devcontainer; echo evil > .junie/guidelines.md; echo evil > .devcontainer/devcontainer.json
  ln -s in.txt GEMINI.md; ln -s sub .kiro; mkfifo .cursorrules
  echo evil > CLAUDE.md; mkdir .junie; echo evil > .junie/x; chmod 000 .junie; chmod 555 .
  mkdir -p s; echo evil > s/.envrc; chmod 500 s; git init -q n; chmod 000 n/.git
  echo evil > x.code-workspace; echo evil > x.sublime-project; echo evil > .mcp.json`;

export const closed: readonly string[] = [...renamed, ...descriptors, ...repository, ...planted];

/** Ways to other processes; nothing of theirs is reached, so they are only tried inside. */
export const closedOnTheMachine: readonly string[] = lines`
  for p in /proc/[0-9]*; do echo evil > $p/cwd/AGENTS.md; echo evil > $p/root$PWD/AGENTS.md; done
  mount --bind /proc/self/root"$O" sub; touch sub/new; echo evil > AGENTS.md
  umount -l AGENTS.md; umount -l .git/hooks; echo evil > AGENTS.md; echo evil > .git/hooks/pre-commit
  unshare -Urm sh -c 'umount AGENTS.md; mount -o remount,bind,rw .git/hooks; echo evil > AGENTS.md; echo evil > .git/hooks/x'
  cat /proc/net/unix | grep -o '@.*' | while read -r s; do python3 -c 'import socket,sys; s=socket.socket(socket.AF_UNIX); s.settimeout(0.2); s.connect("\0"+sys.argv[1][1:]); s.send(b"x")' "$s"; done; echo evil > AGENTS.md
  DBUS_SESSION_BUS_ADDRESS=unix:abstract=/tmp/dbus-x dbus-send --session --dest=org.freedesktop.systemd1 / x.y; echo evil > "$O/new"
  for s in /tmp/tmux-*/default /run/user/*/bus /run/user/*/gnupg/S.* "$SSH_AUTH_SOCK"; do python3 -c 'import socket,sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1]); open("AGENTS.md","w")' "$s"; done`;
