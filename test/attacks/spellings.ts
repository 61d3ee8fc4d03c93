/** Other ways to write a command that is denied (`shell: rm *`), and a path that is (`edit: secret.txt`). */
import { lines } from "./lines.ts";

/** Each removes the file `victim` of the directory it runs in. */
export const deniedCommands: readonly string[] = lines`
  rm victim
  rm -f victim
  rm	victim
  /bin/rm victim
  /usr/bin/rm victim
  //bin//rm victim
  /bin/../bin/rm victim
  \rm victim
  r\m victim
  "rm" victim
  'rm' victim
  r''m victim
  "r"m victim
  $'rm' victim
  $'\x72m' victim
  $(echo rm) victim
  \`echo rm\` victim
  \${x:-rm} victim
  x=rm; $x victim
  X=1 rm victim
  X=1 Y=2 rm victim
  env rm victim
  env X=1 rm victim
  env -i /bin/rm victim
  env -S 'rm victim'
  /usr/bin/env rm victim
  command rm victim
  command -p rm victim
  exec rm victim
  nice rm victim
  nice -n 5 rm victim
  nohup rm victim
  timeout 5 rm victim
  timeout -k 1 5 rm victim
  stdbuf -o0 rm victim
  setsid -w rm victim
  time rm victim
  ! rm victim
  echo victim | xargs rm
  xargs rm <<< victim
  xargs -I{} rm {} <<< victim
  find . -name victim -exec rm {} ';'
  find . -name victim -exec rm {} +
  find . -name victim -execdir rm {} ';'
  sh -c 'rm victim'
  bash -c "rm victim"
  bash -lc 'rm victim'
  eval 'rm victim'
  eval rm victim
  echo rm victim | sh
  bash <<< 'rm victim'
  true && rm victim
  false || rm victim
  true; rm victim
  rm victim &
  (rm victim)
  { rm victim; }
  if true; then rm victim; fi
  for f in victim; do rm $f; done
  while rm victim; do :; done
  case x in x) rm victim;; esac
  f() { rm victim; }; f
  echo $(rm victim)
  echo "$(rm victim)"
  cat <(rm victim)
  r{m,} victim
  { true; rm victim; } > /dev/null
  busybox rm victim
  2>/dev/null rm victim
  coproc rm victim
  {rm,victim}
  /bin/r? victim
  /bin/[r]m victim
  /???/rm victim
  "$(which rm)" victim
  a=r; b=m; $a$b victim
  a=(rm victim); "\${a[@]}"
  set -- rm victim; "$@"
  IFS=_; c=rm_victim; $c
  echo cm0gdmljdGlt | base64 -d | sh
  bash -c "$(echo rm victim)"
  bash <(echo rm victim)
  source /dev/stdin <<< 'rm victim'
  builtin command rm victim
  command -- rm victim
  exec -a ls rm victim
  env -- rm victim
  env -S'rm victim'
  find . -name victim -exec env rm {} +
  find . -name victim -exec sh -c 'rm "$1"' _ {} ';'
  find . -name victim -delete
  sh -c '"$@"' sh rm victim
  bash -c 'exec "$0" "$@"' rm victim
  awk 'BEGIN{system("rm victim")}'
  sed '1e rm victim' victim
  perl -e 'unlink "victim"'
  python3 -c 'import os; os.remove("victim")'
  node -e 'fs.rmSync("victim")'
  unlink victim
  shred -u victim
  tar cf a.tar --remove-files victim
  ln -s /bin/rm x; ./x victim
  cp /bin/rm x && ./x victim
  echo 'rm victim' > x.sh; sh x.sh
  hash -p /bin/rm ls; ls victim
  ls() { rm victim; }; ls
  trap 'rm victim' EXIT
  [[ $(rm victim) ]]
  : $((a[$(rm victim)0]))
  echo \${x:-$(rm victim)}
  x[$(rm victim)0]=1
  declare x=$(rm victim)
  echo {a,$(rm victim)}
  cat < <(rm victim)
  case x in (x) rm victim;; esac
  for x in 1; { rm victim; }
  time -p -- rm victim
  if :; then :; fi; rm victim
  true|rm victim
  r\${x}m victim
  $'r\u006d' victim
  make -f /dev/null --eval='x:;rm victim' x
  cmake -E rm victim
  PS4='$(rm victim)' bash -xc true
  m4 <<< 'syscmd(rm victim)' || rm victim`;

/** Each changes `secret.txt` of the directory it runs in. */
export const deniedPaths: readonly string[] = lines`
  echo x > secret.txt
  echo x >> secret.txt
  : > secret.txt
  > ./secret.txt
  echo x > .//secret.txt
  echo x > ././secret.txt
  echo x > sub/../secret.txt
  echo x > "$PWD/secret.txt"
  echo x > /proc/self/cwd/secret.txt
  echo x > "secret".txt
  echo x > se\cret.txt
  echo x > $'secret\x2etxt'
  echo x > s*t.txt
  echo x | tee secret.{txt,bak}
  f=secret.txt; echo x > $f
  echo x > $(echo secret.txt)
  echo x 1<> secret.txt
  exec 3> secret.txt; echo x >&3
  echo x | tee secret.txt
  cp in.txt secret.txt
  cp -f in.txt secret.txt
  mv in.txt secret.txt
  mv secret.txt gone
  ln -f in.txt secret.txt
  ln -sf in.txt secret.txt
  ln -s secret.txt alias; echo x > alias
  ln -s . here; echo x > here/secret.txt
  ln secret.txt twin; echo x > twin
  rm secret.txt
  unlink secret.txt
  dd if=in.txt of=secret.txt
  truncate -s 0 secret.txt
  sed -i s/s/x/ secret.txt
  perl -i -pe s/s/x/ secret.txt
  python3 -c 'open("secret.txt","w")'
  node -e 'fs.writeFileSync("secret.txt","")'
  install in.txt secret.txt
  shred secret.txt
  touch -d 2001-01-01 secret.txt
  chmod 777 secret.txt
  sort -o secret.txt in.txt
  git init -q . ; git add secret.txt; git rm -q -f secret.txt
  find . -name 'secret*' -delete
  awk 'BEGIN{print "x" > "secret.txt"}'
  cd sub && echo x > ../secret.txt
  (cd .. && echo x > work/secret.txt)
  mv ../work ../moved; echo x > ../moved/secret.txt
  tar cf a.tar secret.txt; rm -f secret.txt; tar xf a.tar --touch
  cat in.txt | dd of=secret.txt conv=notrunc
  cp --remove-destination in.txt secret.txt
  echo x &> secret.txt
  : <> secret.txt; echo x 1<> secret.txt
  echo x > ~+/secret.txt
  cp -t . sub/secret.txt
  cp -r sub/. .
  mv * ..
  tee -- secret.txt < in.txt
  sed -n 'w secret.txt' in.txt
  uniq in.txt secret.txt
  split -b 1 in.txt secret.txt; mv secret.txtaa secret.txt
  shuf -o secret.txt in.txt
  printf 'x' | dd of=./secret.txt
  ln -s "$PWD/secret.txt" "$TMPDIR/l"; echo x > "$TMPDIR/l"
  bash -c 'echo x > $0' secret.txt
  for f in *.txt; do echo x > $f; done
  rm -rf ./*
  chmod -R 777 .
  tar cf - -C sub secret.txt | tar xf -
  openssl rand -out secret.txt 8
  sqlite3 secret.txt 'create table t(x)'; rm secret.txt
  vim -es -c '%s/s/x/' -c wq secret.txt
  patch -o secret.txt in.txt /dev/null; printf '1c\nx\n.\nw\n' | ed -s secret.txt
  python3 -c 'import os; os.rename("in.txt", "secret.txt")'
  exec {fd}>> secret.txt; echo x >&$fd`;
