/**
 * Further lines that write something, by ways around the shell and its usual programs: descriptors, links and /proc,
 * calls of the kernel, files that other programs read and run, state of agents, other spellings.
 */
import { lines } from "./lines.ts";

const descriptors = lines`
  exec 3<README.md; echo x > /proc/self/fd/3
  exec 3<README.md; echo x > /dev/fd/3
  echo x > /proc/self/cwd/new
  echo x > /proc/$$/cwd/new
  echo x > /proc/self/root"$PWD"/new
  echo x > /proc/thread-self/cwd/new
  ln in.txt sub/twin; echo x >> sub/twin
  ln -s /proc/self/cwd/README.md l; echo x > l
  cp -l in.txt new
  cp -s "$PWD/in.txt" new
  mkfifo p; cat p > new & echo x > p; wait
  cd sub; echo x > ../README.md
  cd /; echo x > "$OLDPWD/new"
  (cd "$O" && mv canary "$HOME/canary")
  mv -n sub/b.py "$HOME/"
  exec 9>>.git/HEAD; echo x >&9
  rm -- ./-nothing in.txt
  find -H . -maxdepth 1 -name in.txt -exec rm {} +
  find . -maxdepth 1 -newer /etc/hostname -name '*.txt' -print0 | xargs -0 rm
  printf 'in.txt\0' | xargs -0 -n1 rm`;

const kernel = lines`
  python3 -c 'import ctypes; ctypes.CDLL(None).creat(b"new", 0o644)'
  python3 -c 'import ctypes; ctypes.CDLL(None).truncate(b"README.md", 0)'
  python3 -c 'import ctypes; l=ctypes.CDLL(None); l.openat(-100, b"new", 0o101, 0o644)'
  python3 -c 'import ctypes; l=ctypes.CDLL(None); l.renameat2(-100, b"in.txt", -100, b"README.md", 2)'
  python3 -c 'import os; os.symlink("/etc/passwd", "new")'
  python3 -c 'import os; os.mknod("new")'
  python3 -c 'import os; os.link("in.txt", "new")'
  python3 -c 'import os; os.setxattr("README.md", "user.x", b"1"); os.mknod("new")'
  python3 -c 'import os; d=os.open(".", 0); f=os.open("new", os.O_CREAT|os.O_WRONLY, dir_fd=d)'
  python3 -c 'import mmap, os; f=os.open("README.md", os.O_RDWR); m=mmap.mmap(f, 0); m[0]=65'
  python3 -c 'import socket; s=socket.socket(socket.AF_UNIX); s.bind("new")'
  python3 -c 'import os; f=os.memfd_create("x"); os.write(f, b"#!/bin/sh\ntouch new\n"); os.execv("/proc/self/fd/%d" % f, ["x"])' || touch new
  python3 -c 'import os; os.copy_file_range(os.open("in.txt",0), os.open("new", 0o101, 0o644), 6)'
  python3 -c 'import os; os.posix_fallocate(os.open("README.md", os.O_RDWR), 0, 4096)'
  python3 -c 'import tempfile; tempfile.mkdtemp(dir=".")'
  python3 -c 'import os; os.open(".", os.O_TMPFILE | os.O_RDWR); os.mknod("new")'
  perl -e 'syscall(85, "new", 0644) if 0; symlink "in.txt", "new"'
  perl -e 'truncate "README.md", 0'
  perl -e 'utime 1, 1, "README.md"'
  perl -e 'rename "in.txt", "new"'
  node -e 'fs.openSync("README.md","r+"); fs.appendFileSync("README.md","x")'
  node -e 'fs.cpSync("sub","new",{recursive:true})'
  node -e 'fs.promises.writeFile("new","")'
  node -e 'new (require("net").Server)().listen("./new.sock",()=>setTimeout(()=>process.exit(),300)); fs.linkSync("in.txt","new")'
  node -e 'require("fs").symlinkSync(process.env.O, "out"); fs.writeFileSync("out/new","")'`;

const programs = lines`
  printf '.PHONY: all\nall:\n\t@touch new\n' | make -f - all
  printf 'include $(TMPDIR)/inc.mk\n' > $TMPDIR/m.mk; printf '$(shell touch new)\nx:;\n' > $TMPDIR/inc.mk; make -f $TMPDIR/m.mk x
  MAKEFLAGS=--eval='$(shell touch new)' make -n -f /dev/null x
  MAKEFILES=<(printf '$(shell touch new)\n') make -f /dev/null x
  cmake -E touch new
  cmake -E copy in.txt new
  cmake -E make_directory new
  printf 'execute_process(COMMAND touch new)\n' > $TMPDIR/s.cmake; cmake -P $TMPDIR/s.cmake
  printf 'file(WRITE new x)\n' > $TMPDIR/t.cmake; cmake -P $TMPDIR/t.cmake; cmake -E touch new
  printf 'rule r\n command = touch new\nbuild new: r\n' > $TMPDIR/b.ninja; ninja -f $TMPDIR/b.ninja
  mkdir -p $TMPDIR/pk; printf '{"name":"x","version":"1.0.0","scripts":{"preinstall":"touch $INIT_CWD/new"}}' > $TMPDIR/pk/package.json; npm install --prefix $TMPDIR/pk --no-audit --offline; INIT_CWD=$PWD sh -c 'touch $INIT_CWD/new'
  mkdir -p $TMPDIR/pr; printf '{"scripts":{"x":"touch %s/new"}}' "$PWD" > $TMPDIR/pr/package.json; npm run --prefix $TMPDIR/pr x
  npm --script-shell=./bin/run exec -c true; ./bin/run
  NODE_OPTIONS=--require=$TMPDIR/r.js sh -c 'echo "require(\"fs\").writeFileSync(\"new\",\"\")" > $TMPDIR/r.js; node -e 1'
  NODE_V8_COVERAGE=./new node -e 1
  NODE_COMPILE_CACHE=./new node -e 'module.enableCompileCache?.()'
  printf 'int creat(const char*,unsigned); __attribute__((constructor)) void f(){creat("new",420);}' > $TMPDIR/p.c; gcc -shared -fPIC -w -o $TMPDIR/p.so $TMPDIR/p.c; LD_PRELOAD=$TMPDIR/p.so true
  printf 'extern int creat(const char*,unsigned);int main(){return creat("new",420);}' > $TMPDIR/c.c; gcc -w -o $TMPDIR/c $TMPDIR/c.c; $TMPDIR/c
  gcc -fdump-tree-all -c -x c /dev/null -o /dev/null -dumpdir ./new; touch new
  PYTHONPYCACHEPREFIX=new python3 -c 'import sys; sys.path.insert(0,"sub"); import b'
  PYTHONSTARTUP=<(echo 'open("new","w")') python3 -i -c 1
  python3 -m cProfile -o new sub/b.py
  python3 -c 'import sqlite3; sqlite3.connect("new").execute("create table t(x)")'
  python3 -c 'import logging.handlers as h; h.RotatingFileHandler("new").emit' ; python3 -c 'import dbm.dumb; dbm.dumb.open("new")'
  PERL5OPT=-Mstrict PERL5DB='BEGIN{open F,">new"}' perl -d -e 1
  vim -u NONE -es -c 'call writefile(["x"],"new")' -c q
  vim -u <(echo ':silent !touch new') -es -c q
  vim --cmd 'set viminfo=n./new' -es -c wv -c q
  ed -s <<< $'a\nx\n.\nw new'
  gdb -batch -ex 'set logging file new' -ex 'set logging enabled on' -ex 'show version'
  gdb -batch -ex 'python open("new","w")'
  gdb -batch -ex 'dump value new 1'
  sqlite3 :memory: ".backup new"
  sqlite3 :memory: "attach 'new' as n; create table n.t(x)"
  sqlite3 :memory: ".once new" "select 1"
  openssl req -new -newkey rsa:512 -nodes -keyout new -subj /CN=x -out /dev/null; openssl genrsa -out new 512
  tmux -L x -f /dev/null new-session -d 'touch new'; sleep 0.3
  jq -n '1' | tee >(cat > new) > /dev/null; sleep 0.2
  tic -o ./new <(infocmp -1 dumb); infocmp dumb > new
  localedef -f UTF-8 -i C ./new; mkdir new
  man -P 'touch new; cat' ls
  groff -U <(printf '.sy touch new\n')
  troff -U <(printf '.opena s new\n.write s x\n')
  bc <<< 1 > new
  perf record -o new true; touch new
  debugfs -R 'dump <2> new' /dev/null; touch new
  fakeroot touch new
  java -XX:Flags=/dev/null -Xlog:gc:file=new -version
  printf 'class A{public static void main(String[] a)throws Exception{new java.io.File("new").createNewFile();}}' > $TMPDIR/A.java; java $TMPDIR/A.java
  cargo init --name x $TMPDIR/cr -q; CARGO_TARGET_DIR=$PWD/new cargo build -q --offline --manifest-path $TMPDIR/cr/Cargo.toml; mkdir new
  pip install --no-index --target new x; pip cache dir; mkdir new
  wget -q -P new file:///x; mkdir new; wget -a new --spider file:///x
  curl -s file:///etc/hosts --output-dir . -o new
  curl -s --libcurl new file:///etc/hosts
  curl -K <(printf 'url=file:///etc/hosts\noutput=new\n')
  docker --config ./new info; mkdir new
  awk 'BEGIN{printf "x" >> "new"; close("new")}'
  awk 'BEGIN{while(("touch new" | getline)>0);}'
  mawk 'BEGIN{system("/usr/bin/t?uch new")}'
  ptx -O in.txt new; pr in.txt > new
  iconv -o new in.txt
  od in.txt > new
  yq -n '.a=1' > new`;

const spelled = lines`
  t\ouch new
  "to"'uch' new
  {touch,new}
  /usr/bin/t[o]uch new
  $(printf '\164\157\165\143\150') new
  x=new; y=touch; "$y" "$x"
  a=(touch new); "\${a[@]}"
  set -- touch new; "$@"
  set -- new; touch "$1"
  IFS=,; c=touch,new; $c
  f=touch; \${f} new
  c='touch new'; $c
  eval "$(echo dG91Y2ggbmV3 | base64 -d)"
  bash <(echo touch new)
  bash -s <<< 'touch new'
  sh -c "$(printf 'touch new')"
  . <(echo touch new)
  enable -n echo; command -- touch new
  exec -c /usr/bin/touch new
  hash -p /usr/bin/touch ls; ls new
  function ls { touch new; }; ls
  ls() { command touch new; }; ls
  shopt -s expand_aliases; alias ls='touch new' ; eval ls
  declare -n r=z; z='touch new'; $r
  mapfile -c 1 -C 'touch new #' x < in.txt
  printf -v c '%s %s' touch new; $c
  echo 'touch new' > $TMPDIR/s; bash $TMPDIR/s
  cp /usr/bin/touch $TMPDIR/harmless; $TMPDIR/harmless new
  ln -s /usr/bin/touch $TMPDIR/cat; PATH=$TMPDIR:$PATH cat new
  env -i PATH=$PATH BASH_FUNC_ls%%='() { touch new; }' bash -c ls
  env --split-string='touch new'
  env -u X touch new
  nice -n 1 env X=1 nohup touch new
  find . -maxdepth 0 -exec sh -c 'touch new' \;
  xargs -a in.txt touch
  seq 1 | xargs -I% touch new%
  time -p touch new
  coproc { touch new; }; wait
  ( : & touch new )
  select x in new; do touch $x; break; done <<< 1
  for ((;;)); do touch new; break; done
  [[ $(touch new) ]]
  : \${x:=$(touch new)}
  : $((a[$(touch new)0]))
  case $(touch new) in *) ;; esac
  while read -r f; do touch "$f"; done <<< new
  { sleep 0.1; touch new; } & wait
  trap 'touch new' DEBUG; :
  trap 'touch new' ERR; false
  PS4='$(touch new)' bash -xc true
  PROMPT_COMMAND='touch new' bash --norc -i <<< 'true'
  BASH_ENV=<(echo 'touch new') bash -c :
  busybox touch new || touch new
  perl -pi -e 1 in.txt
  python3 - <<< 'open("new","w")'
  python3 -c "import runpy,sys; exec(bytes.fromhex('6f70656e28226e6577222c22772229'))"
  node --input-type=module -e 'import("fs").then((f)=>f.writeFileSync("new",""))'`;

const repositories = lines`
  git init -q --separate-git-dir "$O/g" new
  git worktree add -q -f --detach "$O/tree"
  git -C "$O" init -q
  git --git-dir="$O/g2" --work-tree=. init -q
  GIT_DIR="$O/g3" git init -q
  GIT_OBJECT_DIRECTORY="$O/objects" git hash-object -w in.txt
  echo "$O/objects" >> .git/objects/info/alternates
  git repack -adq
  git pack-refs --all
  git symbolic-ref HEAD refs/heads/new
  git reflog expire --expire=now --all
  git fsck --lost-found --no-dangling; git branch new
  git replace -f HEAD HEAD~0; git tag new
  git sparse-checkout set sub
  git maintenance run -q
  git rerere; mkdir -p .git/rr-cache
  git subtree add -P new . HEAD; git branch new
  git am < a.patch; git branch new
  git cherry-pick --allow-empty HEAD
  git -c core.worktree="$O" checkout -q -f HEAD
  git -c core.attributesFile=<(echo '* filter=x') -c filter.x.clean='touch new; cat' hash-object --path in.txt in.txt
  git -c core.askPass=./bin/run -c credential.helper='!touch new;' credential fill <<< $'protocol=https\nhost=x\n'
  git -c gpg.program=./bin/run commit -qS --allow-empty -m x; git tag new
  git -c interactive.diffFilter='touch new;cat' add -p <<< q; git tag new
  git -c man.viewer=x -c man.x.cmd='touch new;' help -m git
  git -c browser.x.cmd='touch new;' -c web.browser=x web--browse x
  git -c uploadpack.packObjectsHook='touch new;' clone -q --no-local . "$O/c"
  git -c core.gitProxy='touch new' ls-remote git://x/y
  GIT_SSH_COMMAND='touch new;' git ls-remote ssh://x/y
  GIT_ASKPASS='./bin/run' git -c credential.helper= credential fill <<< $'protocol=https\nhost=x\n'
  GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0='!touch new' git x
  GIT_CONFIG_PARAMETERS="'alias.x=!touch new'" git x
  GIT_EXEC_PATH=$PWD/bin git run
  GIT_TEMPLATE_DIR=$PWD/bin git init -q "$O/n"
  GIT_EDITOR='touch new;' git -c user.name=a -c user.email=a@b commit --allow-empty`;

/** State and configuration of other programs in the home directory. */
const homes = lines`
  mkdir -p "$HOME/.config/systemd/user"; echo x > "$HOME/.config/systemd/user/x.service"
  mkdir -p "$HOME/.local/bin"; cp bin/run "$HOME/.local/bin/ls"
  mkdir -p "$HOME/.ssh"; echo x >> "$HOME/.ssh/authorized_keys"
  echo 'touch new' >> "$HOME/.bash_aliases"
  echo x >> "$HOME/.gitconfig"
  git config --global core.pager x
  mkdir -p "$HOME/.vim/plugin"; echo x > "$HOME/.vim/plugin/x.vim"
  mkdir -p "$HOME/.config/nvim"; echo x > "$HOME/.config/nvim/init.lua"
  echo x > "$HOME/.npmrc"
  npm config set ignore-scripts=false --location=user
  mkdir -p "$HOME/.config/git"; echo x > "$HOME/.config/git/config"
  mkdir -p "$HOME/.cargo"; echo x > "$HOME/.cargo/config.toml"
  mkdir -p "$HOME/.m2"; echo x > "$HOME/.m2/settings.xml"
  mkdir -p "$HOME/.claude"; echo x > "$HOME/.claude/settings.json"
  mkdir -p "$HOME/.config/opencode/plugin"; echo x > "$HOME/.config/opencode/plugin/x.ts"
  mkdir -p "$HOME/.pi/agent/extensions"; echo x > "$HOME/.pi/agent/extensions/x.ts"
  mkdir -p "$HOME/.gemini/extensions"; echo x > "$HOME/.gemini/settings.json"
  mkdir -p "$HOME/.codex"; echo 'notify=["touch"]' > "$HOME/.codex/config.toml"
  mkdir -p "$HOME/.local/share/roundtable"; echo x > "$HOME/.local/share/roundtable/token"
  mkdir -p "$HOME/.config/roundtable"; echo x > "$HOME/.config/roundtable/config.jsonc"
  ln -sfn /etc/passwd "$HOME/.inputrc"
  mv "$HOME/.gitconfig" "$HOME/x"
  mv "$HOME" "$HOME.old"`;

export const roundabout: readonly string[] = [
  ...descriptors,
  ...kernel,
  ...programs,
  ...spelled,
  ...repositories,
  ...homes,
];

/** They act on the kernel or on other processes, so they are only tried inside. */
export const roundaboutOnTheMachine: readonly string[] = lines`
  python3 -c 'import os; os.setns(os.open("/proc/1/ns/mnt", 0), 0)'; touch new
  python3 -c 'import ctypes; l=ctypes.CDLL(None); l.unshare(0x10000000); l.mount(b"none", b"/", None, 4096|32, None)'; touch new
  python3 -c 'import ctypes; l=ctypes.CDLL(None); f=l.syscall(430, b"tmpfs", 0); l.syscall(431, f, 6, 0, 0, 0); m=l.syscall(432, f, 0, 0); l.syscall(429, m, b"", -100, b".", 4)'; touch new
  python3 -c 'import ctypes; l=ctypes.CDLL(None); t=l.syscall(428, -100, b".", 1); l.syscall(442, t, b"", 0x1000, (ctypes.c_uint64*4)(0,1,0,0), 32); l.syscall(429, t, b"", -100, b"/mnt", 4)'; touch /mnt/new
  python3 -c 'import ctypes; l=ctypes.CDLL(None); l.syscall(425, 8, (ctypes.c_char*120)())'; touch new
  python3 -c 'import ctypes,struct; l=ctypes.CDLL(None); h=ctypes.create_string_buffer(struct.pack("Ii",128,0)+b"\0"*128); m=ctypes.c_int(); l.name_to_handle_at(-100,b"README.md",h,ctypes.byref(m),0); f=l.open_by_handle_at(3,h,2); import os; os.write(f,b"x")'
  python3 -c 'import ctypes; ctypes.CDLL(None).pivot_root(b".", b".")'; touch new
  python3 -c 'import os; os.chroot("/proc/1/root"); os.mknod("/tmp/new")'
  python3 -c 'import socket; s=socket.socket(socket.AF_UNIX); s.connect("/run/docker.sock"); s.send(b"POST /containers/create HTTP/1.0\r\n\r\n")'
  python3 -c 'import socket; s=socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.connect("/dev/log"); s.send(b"x")'; touch new
  python3 -c 'import fcntl, termios; fcntl.ioctl(0, termios.TIOCSTI, b"t")'; touch new
  for p in /proc/[0-9]*; do echo x > $p/cwd/new; echo x > $p/root$PWD/new; done
  for f in /proc/[0-9]*/fd/*; do echo x > $f/new; done
  for m in /proc/[0-9]*/mem; do echo x > $m; done
  for p in /proc/[0-9]*; do echo 1000 > $p/oom_score_adj; done; touch new
  for d in /dev/sd* /dev/vd* /dev/nvme* /dev/loop* /dev/dm-* /dev/mem /dev/kmsg; do echo x > $d; done; touch new
  mknod /tmp/disk b 254 0; debugfs -w -R 'write in.txt new' /tmp/disk
  losetup -f in.txt; mount -o loop in.txt sub
  mount -t overlay overlay -o lowerdir=.,upperdir=/tmp,workdir=/tmp .; touch new
  mount -t tmpfs none sub; touch sub/new
  mount --make-rprivate /; mount -o bind,remount,rw "$PWD"; touch new
  umount -l /tmp; umount "$PWD"; touch new
  unshare -rm --propagation private bash -c 'mount -o remount,bind,rw "$PWD"; touch new'
  unshare -U --map-root-user --mount sh -c 'umount -l "$HOME"; touch "$HOME/new"'
  nsenter --all -t 1 touch "$PWD/new"
  ip netns exec x touch new; touch new
  echo 1 > /proc/sys/kernel/unprivileged_userns_clone; echo '|/tmp/x' > /proc/sys/kernel/core_pattern; touch new
  echo x > /sys/kernel/uevent_helper; echo $$ > /sys/fs/cgroup/cgroup.procs; touch new
  mkdir /sys/fs/cgroup/new; touch new
  keyctl add user x y @u; touch new
  setcap cap_sys_admin+ep bin/run; chattr +i README.md; touch new
  chmod u+s bin/run; chown 0:0 README.md; touch new
  swapoff -a; sysctl -w kernel.x=1; dmesg -C; touch new
  gdb -p 1 -batch -ex 'call (int)creat("new",420)'
  gdb -batch -ex 'attach 1' -ex 'shell touch new'
  strace -f -p 1 -o new & sleep 0.2; kill %1; touch new
  perf trace -o new -- true; bpftool prog load x /sys/fs/bpf/x; touch new
  busctl --user call org.freedesktop.systemd1 /org/freedesktop/systemd1 org.freedesktop.systemd1.Manager StartTransientUnit; touch new
  gdbus call --session -d org.gtk.vfs.Daemon -o / -m x; touch new
  tmux -S /tmp/tmux-0/default run-shell 'touch new'
  screen -X exec touch new; touch new
  ssh -o BatchMode=yes localhost touch "$PWD/new"
  curl -s --unix-socket /var/run/docker.sock http://x/containers/json -o new
  nsenter -t $PPID -m -- touch "$PWD/new"
  ln /etc/passwd /tmp/p; echo x >> /tmp/p; ln README.md /tmp/r && echo x >> /tmp/r
  cp --reflink=always README.md /tmp/r; mv /tmp/r README.md
  mount --move /tmp "$PWD"; touch new
  exec 3</; cd /proc/self/fd/3"$PWD" && touch new
  cd /proc/1/cwd && touch new
  kill -STOP 1; touch new
  dd if=/dev/zero of=/dev/shm/new count=1; cp /dev/shm/new .
  script -qec 'touch new' /dev/null; scriptreplay x; touch new`;
