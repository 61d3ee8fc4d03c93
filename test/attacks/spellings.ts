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
  coproc rm victim`;

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
  cp --remove-destination in.txt secret.txt`;
