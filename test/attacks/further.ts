/**
 * Further lines: what programs write by an option, what git runs by settings given on the line, what starts with a
 * login, descriptors of other processes; and, in a writable session too, files that other programs obey.
 */
import { lines } from "./lines.ts";

const byOptions = lines`
  ssh -E new -o BatchMode=yes -o ConnectTimeout=1 -F /dev/null 127.0.0.1:x
  curl -s --stderr new x:
  curl -s --etag-save new file:///etc/hosts; curl -s --hsts new file:///etc/hosts
  wget -q --rejected-log=new -o new file:///x
  gcc -E -MD -MF new -x c /dev/null
  gcc -save-temps=obj -c -x c /dev/null -o sub/new.o
  tree -o new
  bash -c 'exec > new'
  bash -c 'HISTFILE=new; set -o history; history -s x; history -w'
  python3 -X importtime -m trace --count -C . -f new sub/b.py
  python3 -W ignore -m pdb -c 'p open("new","w")' -c q sub/b.py
  node --trace-event-categories v8 -e 1
  node --build-snapshot sub/b.py; node --build-snapshot <(echo 1); touch new
  perl -MStorable -e 'store [1], "new"'
  ulimit -c unlimited; bash -c 'kill -QUIT $$'; touch new
  fallocate -l 1 new
  truncate -r in.txt README.md
  cp --attributes-only --preserve=mode bin/run in.txt; chmod --reference=bin/run README.md
  exec 5<>README.md; echo x >&5
  find . -maxdepth 0 -printf x -fprint0 new
  awk -i inplace '{print "x"}' in.txt; awk --dump-variables=new 'BEGIN{}'; awk -o new 1 in.txt
  sed --in-place= -e 's/a/b/' in.txt
  sort -T . --parallel=1 -o new in.txt
  dconf write /x/y 1; gsettings set org.gnome.x y z; touch "$HOME/new"`;

const byGit = lines`
  A='!touch new' git --config-env=alias.x=A x
  mkdir -p $TMPDIR/x/git; printf '[alias]\n\tx = !touch new\n' > $TMPDIR/x/git/config; XDG_CONFIG_HOME=$TMPDIR/x git x
  printf '[alias]\n\tx = !touch new\n' > $TMPDIR/g; GIT_CONFIG_GLOBAL=$TMPDIR/g git x
  printf '[core]\n\tfsmonitor = touch new\n' > $TMPDIR/g; git -c include.path=$TMPDIR/g status
  git -c tar.x.command='touch new; cat' archive --format=x HEAD
  git fast-export --export-marks=new --all
  git fast-import --export-marks=new < /dev/null
  git credential-store --file=new store <<< $'protocol=https\nhost=x\nusername=a\npassword=b\n'
  git unpack-file HEAD:in.txt
  git merge-file README.md in.txt a.patch
  git mailsplit -o. < a.patch; git bugreport -o .
  git commit-graph write --reachable; git multi-pack-index write
  git fetch -q . HEAD
  git -c merge.x.driver='touch new' -c core.attributesFile=<(echo '* merge=x') merge-tree HEAD HEAD; git tag new
  git -c diff.x.textconv='touch new; cat' -c core.attributesFile=<(echo '* diff=x') log -p -1
  git -c pager.log='touch new' -p log -1
  git -c core.preloadIndex=false -c core.untrackedCache=true update-index --refresh --really-refresh; git update-index --force-remove in.txt
  git credential-cache --socket="$PWD/s" store <<< $'protocol=https\nhost=x\nusername=a\npassword=b\n'`;

/** Run by a login, a desktop, a shell or a language later. */
const atLogin = lines`
  d=$(python3 -m site --user-site); mkdir -p "$d"; echo 'import os' > "$d/x.pth"; echo 'evil' > "$d/usercustomize.py"
  mkdir -p "$HOME/.config/fish/conf.d"; echo evil > "$HOME/.config/fish/conf.d/x.fish"
  mkdir -p "$HOME/.config/environment.d"; echo 'LD_PRELOAD=/tmp/x.so' > "$HOME/.config/environment.d/x.conf"
  mkdir -p "$HOME/.local/share/dbus-1/services"; echo evil > "$HOME/.local/share/dbus-1/services/x.service"
  mkdir -p "$HOME/.local/share/applications"; echo evil > "$HOME/.local/share/applications/x.desktop"
  mkdir -p "$HOME/.local/share/direnv/allow"; sha256sum in.txt > "$HOME/.local/share/direnv/allow/x"
  mkdir -p "$HOME/.local/state/mise/trusted-configs"; ln -s "$PWD" "$HOME/.local/state/mise/trusted-configs/x"
  mkdir -p "$HOME/.ssh"; printf 'Host *\n\tProxyCommand evil\n' > "$HOME/.ssh/config"; echo evil > "$HOME/.ssh/rc"
  mkdir -p "$HOME/.aws" "$HOME/.kube" "$HOME/.docker"; echo 'credential_process=evil' > "$HOME/.aws/config"; echo evil > "$HOME/.kube/config"; echo '{"credsStore":"evil"}' > "$HOME/.docker/config.json"
  echo evil > "$HOME/.xprofile"; echo evil > "$HOME/.pam_environment"; echo evil > "$HOME/.zshenv"; echo evil > "$HOME/.curlrc"
  cd ~; for f in .claude.json .codex/auth.json .gemini/oauth_creds.json .config/opencode/opencode.json .pi/agent/settings.json .cursor/mcp.json; do mkdir -p $(dirname $f); echo evil > $f; done`;

export const further: readonly string[] = [...byOptions, ...byGit, ...atLogin];

/** Governed files, by other programs, other names, and archives and patches that bring them. */
export const furtherClosed: readonly string[] = lines`
  exec 5<>AGENTS.md; echo evil >&5
  dd if=in.txt of=AGENTS.md conv=notrunc; fallocate -p -o 0 -l 1 AGENTS.md
  python3 -c 'import os; open("x","w").write("evil"); d=os.open(".github", 0); os.rename("x", "ci.yml", dst_dir_fd=d)'
  python3 -c 'import os; open("x","w").write("evil"); os.link("x", ".git/hooks/pre-commit"); os.replace("x", ".git/config")'
  echo evil > x; tar cf a2.tar --transform 's/^x/AGENTS.md/' x; tar xf a2.tar --unlink-first; tar xf a2.tar --overwrite
  echo evil > x; tar cf a2.tar --transform 's/^x/.envrc/' x; tar xf a2.tar
  printf -- '--- /dev/null\n+++ b/.envrc\n@@ -0,0 +1 @@\n+evil\n' | git apply; printf -- '--- a/AGENTS.md\n+++ b/AGENTS.md\n@@ -1 +1 @@\n-be good\n+evil\n' | patch -p1
  printf '{"scripts":{"x":"echo evil > AGENTS.md; echo evil > .envrc; cp bin/run .git/hooks/pre-push"}}' > package.json; npm run x
  printf 'x:\n\tcp bin/run .git/hooks/pre-push; echo evil > .npmrc\n' > mk; make -f mk x
  mv .git/hooks .git/h2; mkdir .git/hooks; cp bin/run .git/hooks/pre-commit
  mkdir -p .git/info; echo '* filter=x' > .git/info/attributes; git config -f .git/config filter.x.clean evil
  cd .github && echo evil > ../.github/./ci.yml; cd ..; cp in.txt ./sub/../.github//ci.yml
  mkdir g; mv -T g .github; cp -rT sub .github; echo evil > .github/x.yml
  mkdir .vim; echo '{"languageserver":{"x":{"command":"./bin/run"}}}' > .vim/coc-settings.json
  for f in lefthook.yaml lefthook.toml .lefthook.json lefthook-local.toml; do echo evil > $f; done
  mkdir -p .config/mise; echo evil > .config/lefthook.yml; echo '[hooks]' > .config/mise/config.toml
  echo evil > prek.toml; echo evil > hk.pkl; echo evil > .local-overcommit.yml
  mkdir .shadowenv.d; echo evil > .shadowenv.d/1.lisp; echo evil > .autoenv_leave.zsh; echo evil > .prototools
  echo evil > .ycm_extra_conf.py; echo evil > .neoconf.json; echo evil > .pnpmfile.mjs
  for d in .amp .idx .iflow .qoder .codebuddy .warp .grok .zencoder .tabnine; do mkdir $d; echo evil > $d/settings.json; done
  echo '{"plugin":["./evil.ts"]}' > tui.json; echo '{"plugin":["./evil.ts"]}' > sub/tui.jsonc; echo evil > CONTEXT.md
  echo evil > .ghci; echo evil > .ocamlinit; echo evil > .iex.exs; echo evil > .octaverc; echo evil > .byebugrc; echo evil > sub/.rdbgrc
  echo '{"hooks":{"pre-commit":"evil"}}' > .huskyrc; echo evil > .huskyrc.json; echo evil > .rusty-hook.toml; echo evil > .sbtopts; echo evil > .jvmopts
  echo evil > CRUSH.md; mkdir -p .aiassistant/rules; echo evil > .aiassistant/rules/x.md; mkdir .antigravity; echo evil > .antigravity/x
  echo evil > IFLOW.md; echo evil > CODEBUDDY.md; echo evil > .roomodes; echo evil > .kilocodemodes; echo evil > .aider.model.settings.yml
  mkdir -p .semaphore .tekton .builds; echo evil > .semaphore/s.yml; echo evil > .tekton/p.yaml; echo evil > .builds/b.yml; echo evil > .build.yml`;

/** They reach for other processes and for the kernel, so they are only tried inside. */
export const furtherOnTheMachine: readonly string[] = lines`
  python3 -c 'import ctypes, os; l=ctypes.CDLL(None); [os.close(os.open("new", 0o101, 0o644, dir_fd=f)) for p in range(1,300) for n in range(32) if (f := l.syscall(438, l.syscall(434, p, 0), n, 0)) > 2 and os.path.isdir("/proc/self/fd/%d" % f)]'
  for r in /proc/[0-9]*/task/*/root /proc/[0-9]*/task/*/cwd; do echo x > "$r$PWD/new"; echo x > $r/new; done
  for f in /proc/[0-9]*/fd/*; do [ -d $f ] && (cd $f && for i in 1 2 3 4 5 6; do cd ..; done; echo x > ."$PWD/new"; touch ./"$O"/new); done
  python3 -c 'import ctypes; l=ctypes.CDLL(None); f=l.syscall(433, -100, b".", 0); l.syscall(431, f, 0, b"rw", None, 0); l.syscall(431, f, 7, None, None, 0)'; touch new
  python3 -c 'import ctypes,os; l=ctypes.CDLL(None); l.ptrace(16, os.getppid(), 0, 0)'; gdb -p $PPID -batch -ex 'call (int)creat("new",420)'; touch new
  unshare -Ur --map-auto --mount --propagation unchanged sh -c 'mount --rbind / /mnt; mount -o remount,rw,bind /mnt; touch "/mnt$PWD/new"'
  unshare -Urmp --fork sh -c 'mount -t proc p /proc; for d in /proc/*/root; do touch "$d$PWD/new"; done'
  unshare -Urm sh -c 'mount -t overlay o -o lowerdir="$PWD",upperdir="$TMPDIR",workdir=/tmp "$PWD"; echo x > "$O/new"'
  unshare -UrmC sh -c 'mount -t cgroup2 c /mnt; echo /tmp/x > /mnt/release_agent; echo 1 > /mnt/notify_on_release'; touch new
  echo ':x:M::evil::/tmp/x:' > /proc/sys/fs/binfmt_misc/register; echo x > /proc/self/attr/current; touch new
  systemctl --user daemon-reload; systemctl --user start x; batch <<< 'touch new'; touch new
  dbus-run-session touch new; touch "$HOME/new"
  nohup setsid sh -c 'sleep 31337.21' & disown; kill -STOP 1; kill -CONT 1
  ssh-agent sh -c 'setsid -f sleep 31337.22'; gpg-agent --daemon --homedir $TMPDIR; touch new`;
