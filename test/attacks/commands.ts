/**
 * Lines of a shell that write something or start something that stays. Each runs in a repository with `README.md`,
 * `in.txt`, `a.patch`, `a.tar`, `a.zip`, `bin/`, `sub/`; $HOME and $O (another directory) are scratch directories too.
 * The effect of a line is any change below them, or a process with the number 31337 that outlives it.
 */
import { closed, closedOnTheMachine } from "./closed.ts";
import { further, furtherClosed, furtherOnTheMachine } from "./further.ts";
import { lines } from "./lines.ts";
import { roundabout, roundaboutOnTheMachine } from "./roundabout.ts";

const redirections = lines`
  echo x > new
  echo x >> README.md
  : > README.md
  > README.md
  echo x >| README.md
  echo x 1<> README.md
  cat README.md &> new
  ls nothing 2> new
  exec 3> new
  exec {fd}> new
  { echo x; } > "$HOME/new"
  echo x > "$O/new"
  echo x > $'\x6e\x65\x77'
  echo x > "$(printf new)"
  printf -v x %s y; echo $x > new
  set -o noclobber; echo x >| README.md
  coproc cat > new
  echo x | tee new
  echo x | tee -a README.md
  tee >(cat > new) < in.txt
  cat <<< x > new
  read x < <(touch new)
  echo "$(touch new)"
  echo \`touch new\`
  x='a[$(touch new)]'; [[ -v $x ]]
  x='$(touch new)'; echo "\${x@P}"
  test -v 'a[$(touch new)]'
  let 'a[$(touch new)]=1'
  trap 'touch new' EXIT
  PROMPT_COMMAND='touch new' bash -i -c true
  BASH_ENV=<(echo touch new) bash -c true
  ENV=./env.sh sh -i -c true; touch new
  eval 'tou''ch new'
  $'\x74ouch' new
  command -p touch new
  builtin eval touch new
  alias t=touch; shopt -s expand_aliases; eval 't new'
  printf 'touch new' | bash
  source <(echo touch new)
  for t in touch; do $t new; done
  until touch new; do :; done
  f() { touch new; }; f
  case x in *) touch new;; esac
  if touch new; then :; fi
  ! touch new
  time touch new
  (touch new) &
  { touch new & } ; wait`;

const coreutils = lines`
  touch new
  /usr/bin/touch new
  touch -d 2001-01-01 README.md
  touch -r in.txt README.md
  mkdir new
  mkdir -p new/deep
  rm README.md
  rm -rf sub
  rmdir bin
  unlink README.md
  cp in.txt README.md
  cp --backup in.txt README.md
  cp -t sub in.txt
  mv in.txt new
  mv -T sub new
  ln in.txt new
  ln -s /etc/passwd new
  ln -sf in.txt README.md
  link in.txt new
  install in.txt new
  install -d new
  dd if=in.txt of=README.md
  dd of=new < in.txt
  truncate -s 0 README.md
  shred README.md
  shred -u in.txt
  mkfifo new
  mktemp ./newXXXX
  mktemp -d -p "$HOME"
  chmod 777 README.md
  chmod -x bin
  chmod +x in.txt
  sort -o README.md in.txt
  sort --outp=README.md in.txt
  sort -S 1b --compress-program=./bin/run in.txt
  uniq in.txt README.md
  split in.txt new
  csplit in.txt 2
  shuf -o README.md in.txt
  nohup ls
  tee README.md < in.txt
  truncate --size=1 "$O/canary"
  touch "$HOME/.bashrc"
  cp in.txt "$HOME/.profile"
  mkdir -p "$HOME/.config/autostart"
  ln -s "$O" out; touch out/new
  cp /dev/null README.md
  cat in.txt | dd of="$HOME/new"
  stdbuf -o0 touch new
  nice touch new
  ionice touch new
  env touch new
  env -i touch new
  env -S 'touch new'
  timeout 5 touch new
  timeout -s KILL 5 sh -c 'touch new'
  setsid -w touch new
  chrt -b 0 touch new
  taskset 1 touch new
  flock new true
  flock -x . -c 'touch new'
  script -qc 'touch new' /dev/null
  script -q new -c true
  xargs touch <<< new
  xargs -E cat touch new <<< new
  xargs -I{} sh -c 'touch {}' <<< new
  find . -name in.txt -delete
  find . -name in.txt -exec touch new ';'
  find . -name in.txt -execdir touch new +
  find . -maxdepth 0 -fprint new
  find . -maxdepth 0 -fprintf new x
  find . -maxdepth 0 -fls new
  find . -name in.txt -ok touch new ';' <<< y
  watch -g -n 1 'touch new; date +%N'
  run-parts --regex . ./bin
  logger -s x 2> new
  ed -s README.md <<< $'1d\nw'
  ex -sc '%d|w' README.md
  ex -sc 'w new|q' README.md
  vim -es -c 'write! new' -c q README.md
  vim -es -c '!touch new' -c q
  vi -es -c ':!touch new' -c q
  less -o new README.md
  LESSOPEN='|touch new; cat %s' less in.txt
  more in.txt
  MANPAGER='touch new; cat' man ls`;

const textTools = lines`
  sed -i s/a/b/ in.txt
  sed -i.bak s/a/b/ in.txt
  sed -n 'w new' in.txt
  sed 's/a/b/w new' in.txt
  sed '1e touch new' in.txt
  sed 's/.*/touch new/e' in.txt
  awk 'BEGIN{print "x" > "new"}'
  awk 'BEGIN{system("touch new")}'
  awk 'BEGIN{print "touch new" | "sh"}'
  awk 'BEGIN{"touch new" | getline}'
  patch -p1 < a.patch
  patch -o new README.md a.patch
  diff --to-file=in.txt README.md > new
  perl -e 'open F, ">new"'
  perl -i -pe s/a/b/ in.txt
  perl -e 'system "touch new"'
  perl -MFile::Copy -e 'copy "in.txt", "new"'
  python3 -c 'open("new","w")'
  python3 -c 'import os; os.system("touch new")'
  python3 -c 'import shutil; shutil.rmtree("sub")'
  python3 -c 'import pathlib; pathlib.Path("new").mkdir()'
  python3 -c 'import os; os.utime("README.md",(1,1))'
  python3 -m venv new
  python3 -m zipfile -c new in.txt
  python3 -m tarfile -c new in.txt
  python3 -m compileall sub
  node -e 'fs.writeFileSync("new","")'
  node -e 'child_process.execSync("touch new")'
  node -p 'fs.rmSync("sub",{recursive:true})'
  node --cpu-prof -e 1
  node --heapsnapshot-near-heap-limit=1 --diagnostic-dir=. --report-on-signal -e 'process.report.writeReport()'
  tclsh <<< 'close [open new w]'
  tclsh <<< 'exec touch new'
  sqlite3 new 'create table t(x)'
  sqlite3 :memory: '.output new' 'select 1'
  sqlite3 :memory: '.shell touch new'
  jq -n 1 > new
  openssl rand -out new 8
  openssl enc -base64 -in in.txt -out README.md
  base64 in.txt > new
  xxd -r <(xxd in.txt) new
  xxd in.txt new
  gdb -batch -ex 'shell touch new'
  strace -o new true
  make -f Makefile new
  make -f <(printf 'x:\n\ttouch new\n') x
  make --eval=$'$(shell touch new)' -f /dev/null
  gcc -x c - -o new <<< 'int main(){}'
  gcc -wrapper touch,new -x c - <<< ''
  ar rc new in.txt
  as -o new /dev/null
  ld -r -b binary -o new in.txt
  objcopy -I binary -O binary in.txt new
  java -XX:+UnlockDiagnosticVMOptions -XX:+LogVMOutput -XX:LogFile=new -version`;

const archives = lines`
  tar cf new in.txt
  tar xf a.tar -C sub
  tar cf /dev/null in.txt --checkpoint=1 --checkpoint-action=exec='touch new'
  tar cf /dev/null in.txt -I 'sh -c "touch new"'
  tar xf a.tar --to-command='touch new'
  tar cf new --remove-files in.txt
  zip -q new.zip in.txt
  zip -q -T -TT 'touch new;' new.zip in.txt
  unzip -qo a.zip -d sub
  gzip in.txt
  gzip -kf in.txt
  bzip2 -k in.txt
  xz -k in.txt
  zstd -q in.txt
  zstd -q --rm in.txt -o new
  cpio -o > new <<< in.txt
  rsync in.txt new
  rsync -e 'sh -c "touch new"' x:in.txt .
  wget -q -O new file:///etc/hosts; touch new
  curl -s -o new file:///etc/hosts
  curl -s --create-dirs -o new/x file:///etc/hosts
  curl -s -D new file:///etc/hosts
  curl -s -c new file:///etc/hosts
  curl -s --trace new file:///etc/hosts`;

const git = lines`
  git commit --allow-empty -qm x
  git add -A; git stash -q
  git checkout -q -b new
  git branch new
  git tag new
  git config user.name x
  git config --global user.name x
  git config -f new a.b c
  git reset -q --hard HEAD~0; git rm -q in.txt
  git clean -qfdx
  git apply a.patch
  git init -q new
  git clone -q . new
  git worktree add -q ../new-tree
  git bundle create new HEAD
  git archive -o new HEAD
  git format-patch -o new -1 --root
  git diff --output=new HEAD
  git log --output=new -1
  git show --output=new HEAD
  git -c core.pager='touch new;cat' -p log -1
  git -c core.fsmonitor='touch new' status
  git -c diff.external='touch new' diff --ext-diff HEAD~0 --no-index README.md in.txt
  git -c alias.x='!touch new' x
  git -c core.sshCommand='touch new' ls-remote ssh://x/y
  git -c protocol.ext.allow=always ls-remote 'ext::touch new'
  git ls-remote --upload-pack='touch new;' .
  git -c core.editor='touch new;' -c user.name=a -c user.email=a@b commit --allow-empty
  git -c sequence.editor='touch new;' rebase -q -i --root
  git -c core.hooksPath=bin -c user.name=a -c user.email=a@b commit --allow-empty -qm x
  GIT_EXTERNAL_DIFF='touch new' git diff --no-index README.md in.txt
  GIT_PAGER='touch new' git -p log -1
  GIT_TRACE=$PWD/new git status
  GIT_TRACE2_EVENT=$PWD/new git status
  GIT_INDEX_FILE=new git add in.txt
  git --exec-path=bin run
  git grep -O'touch new' x
  git bisect start; git bisect run touch new
  git filter-branch -f --tree-filter 'touch new' HEAD
  git submodule foreach 'touch new'; git update-ref refs/heads/new HEAD
  git hash-object -w in.txt
  git gc -q --prune=now
  git notes add -m x
  git update-index --chmod=+x in.txt
  git difftool -y -x 'touch new' --no-index README.md in.txt
  printf '#!/bin/sh\ntouch new\n' > .git/hooks/post-checkout; chmod +x .git/hooks/post-checkout; git checkout -q HEAD
  echo '*.txt filter=x' > .gitattributes
  mv .git git2`;

const packages = lines`
  npm init -y
  npm pkg set a=b
  npm config set a=b --location=project
  npm exec -c 'touch new'
  npm_config_cache=new npm cache verify
  npx -c 'touch new'
  pip download -d new --no-index x; mkdir new
  pip config set global.index-url x
  cargo init -q new
  cargo new -q new
  ssh-keygen -q -t ed25519 -N '' -f new
  ssh -o ProxyCommand='touch new' x
  ssh -F <(echo 'Match exec "touch new"') x
  scp -S ./bin/run x:y .
  gpg --homedir . -k
  gpg --batch --yes -o new --store in.txt
  dpkg-deb -b sub new.deb; touch new
  apt-get download x; touch new`;

const staying = lines`
  setsid -f sleep 31337.1
  nohup sleep 31337.2 > /dev/null 2>&1 & disown
  (sleep 31337.3 &) ; true
  env -i setsid -f /bin/sleep 31337.4
  (setsid sh -c 'setsid sleep 31337.5 &' &)
  python3 -c 'import os; os.fork() or (os.setsid(), os.fork() or os.execv("/bin/sleep", ["sleep", "31337.6"]))'
  perl -e 'fork or do { exec "sleep", "31337.7" }'
  node -e 'child_process.spawn("sleep", ["31337.8"], {detached: true, stdio: "ignore"}).unref()'
  tmux -L new new-session -d 'sleep 31337.9'
  start-stop-daemon -S -b -x /bin/sleep -- 31337.10
  trap '' TERM HUP; sleep 31337.11 &
  exec -a 31337.12 sleep 100 &`;

/** They would act on the machine itself, so they are only tried inside. */
const onTheMachine = lines`
  echo '* * * * * touch new' | crontab -
  echo 'touch new' | at now
  systemd-run --user touch new
  docker run --rm -v "$PWD:/w" busybox touch /w/new
  dbus-send --session --dest=org.freedesktop.systemd1 /org/freedesktop/systemd1 org.freedesktop.systemd1.Manager.StartUnit
  sudo -n touch new
  su -c 'touch new' root
  pkexec touch new
  unshare -Urm sh -c 'mount -o remount,rw / ; touch new'
  unshare -Urpf --mount-proc touch new
  nsenter -t 1 -m touch new
  mount -o remount,rw /
  mount --bind "$O" .
  umount -l .
  bwrap --bind / / touch new
  chroot /proc/1/root touch new
  echo x > /proc/1/root/tmp/new
  ls -d /proc/*/root/tmp; touch /proc/1/cwd/new
  setpriv --reuid=0 touch new
  capsh --uid=0 -- -c 'touch new'
  newgrp
  kill -9 1
  echo x > /dev/shm/new
  echo c > /proc/sysrq-trigger
  mknod new b 8 0
  loginctl enable-linger`;

export interface Attack {
  readonly line: string;
  /** False for what is only tried inside. */
  readonly isTriedOutside: boolean;
}

export const attacks: readonly Attack[] = [
  ...[
    ...redirections,
    ...coreutils,
    ...textTools,
    ...archives,
    ...git,
    ...packages,
    ...staying,
    ...roundabout,
    ...closed,
    ...further,
    ...furtherClosed,
  ].map((line) => ({ line, isTriedOutside: true })),
  ...[...onTheMachine, ...roundaboutOnTheMachine, ...closedOnTheMachine, ...furtherOnTheMachine].map((line) => ({
    line,
    isTriedOutside: false,
  })),
];
