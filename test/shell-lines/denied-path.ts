/** Ways to change `secret.txt` of a directory, which a rule denies. None of them is ever run here. */
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";

/** A directory in which all the names lead somewhere. */
export function makeSecretDirectory(root: string): void {
  writeFileSync(path.join(root, "secret.txt"), "");
  mkdirSync(path.join(root, "sub/deep"), { recursive: true });
  mkdirSync(path.join(root, "other"));
  symlinkSync("secret.txt", path.join(root, "link"));
  symlinkSync("link", path.join(root, "link-to-link"));
  symlinkSync(path.join(root, "secret.txt"), path.join(root, "absolute-link"));
  symlinkSync(".", path.join(root, "here"));
  symlinkSync("sub/deep", path.join(root, "into"));
  symlinkSync("../..", path.join(root, "sub/deep/up"));
  linkSync(path.join(root, "secret.txt"), path.join(root, "hard-link"));
}

/** As the path of a tool that changes files. */
export function pathSpellings(root: string): string[] {
  const name = path.basename(root);
  return [
    "secret.txt",
    "./secret.txt",
    "././secret.txt",
    ".//secret.txt",
    `${root}/secret.txt`,
    `${root}//secret.txt`,
    `${root}/./secret.txt`,
    `${root}/sub/../secret.txt`,
    `../${name}/secret.txt`,
    "sub/../secret.txt",
    "sub/deep/../../secret.txt",
    "missing/../secret.txt",
    "into/../../secret.txt",
    "link",
    "link-to-link",
    "absolute-link",
    "here/secret.txt",
    "here/here/link",
    "sub/deep/up/secret.txt",
    "into/up/secret.txt",
    "hard-link",
    "SECRET.TXT",
    "Secret.txt",
    "\u017Fecret.txt",
    "secret.txt\u200B",
    "se\u00ADcret.txt",
    "secret.txt/",
    "secret.txt/x",
  ];
}

/** As a shell line. */
export function pathLines(root: string): string[] {
  return [...LINES, `echo x > ${root}/secret.txt`];
}

const LINES: readonly string[] = [
  "echo x > secret.txt",
  "echo x >> secret.txt",
  "echo x >| secret.txt",
  "echo x &> secret.txt",
  "echo x >& secret.txt",
  "echo x 2> secret.txt",
  "echo x 1<> secret.txt",
  "> secret.txt",
  "{ echo x; } > secret.txt",
  "echo x > ./sub/../secret.txt",
  "echo x > 'secret.txt'",
  "echo x > sec''ret.txt",
  "echo x > $'\\x73ecret.txt'",
  "echo x > SECRET.txt",
  "echo x > link",
  "echo x > here/secret.txt",
  "f=secret.txt; echo x > $f",
  "echo x > sec*",
  "echo x > sec{ret,}.txt",
  "cd sub && echo x > ../secret.txt",
  "cd sub/deep; echo x > up/secret.txt",
  "cd $PWD && echo x > secret.txt",
  "cat x | tee secret.txt",
  "cat x | tee -a secret.txt > /dev/null",
  "cp x secret.txt",
  "cp x/secret.txt .",
  "cp -t . x/secret.txt",
  "cp --target-directory=. x/secret.txt",
  "cp -l secret.txt y",
  "mv x secret.txt",
  "mv secret.txt x",
  "mv x/secret.txt .",
  "rm secret.txt",
  "rm -rf .",
  "rm -rf ./*",
  "ln -sf x secret.txt",
  "ln secret.txt y",
  "sed -i s/a/b/ secret.txt",
  "sed -i.bak s/a/b/ secret.txt",
  "sed --in-place s/a/b/ secret.txt",
  "perl -pi -e s/a/b/ secret.txt",
  "dd if=x of=secret.txt",
  "install -m 600 x secret.txt",
  "truncate -s 0 secret.txt",
  "touch secret.txt",
  "chmod 777 secret.txt",
  "sort -o secret.txt x",
  "sort --output=secret.txt x",
  "uniq x secret.txt",
  "curl -o secret.txt https://example.com",
  "wget -O secret.txt https://example.com",
  "git checkout -- secret.txt",
  "git checkout HEAD~1 secret.txt",
  "git restore secret.txt",
  "git checkout .",
  "git stash",
  "git clean -fdx",
  "git reset --hard",
  "git log --output=secret.txt",
  "git mv x secret.txt",
  "patch secret.txt < x",
  "gzip secret.txt",
  "rsync x secret.txt",
  "tar xf x.tar secret.txt",
  "unzip x.zip secret.txt",
  "ed secret.txt",
  "vim secret.txt",
  "prettier --write secret.txt",
  "some-tool secret.txt",
  "some-tool --out=secret.txt",
  "some-tool -osecret.txt",
  "xargs tee < x",
  "echo secret.txt | xargs rm",
  "find . -name secret.txt -delete",
  "find . -name 'sec*' -exec rm {} +",
  "find . -delete",
  'python3 -c \'open("secret.txt", "w")\'',
  'node -e \'fs.writeFileSync("secret.txt", "")\'',
  "eval 'echo x > secret.txt'",
  "bash -c 'echo x > secret.txt'",
  "sudo tee secret.txt < x",
  "awk '{ print > \"secret.txt\" }' x",
  "sed 'w secret.txt' x",
  "env tee secret.txt < x",
  "git -C sub checkout -- ../secret.txt",
  "some-tool $f",
  "echo x > /proc/self/cwd/secret.txt",
  "ln -s . there; echo x > there/secret.txt",
  "scp h:x/secret.txt .",
  "docker cp c:/x/secret.txt .",
  "aws s3 cp s3://b/secret.txt . --quiet",
  "wget https://example.com/%73ecret.txt",
  "split -n 20 -a1 --additional-suffix=.txt x secre",
  "lz4 -d secret.txt.lz4",
  "brotli -d secret.txt.br",
  "python3 -m zipfile -e x.zip .",
  "dpkg-deb -x x.deb .",
  "mv sub moved; echo x > moved/deep/up/secret.txt",
];

/** They only look at it. */
export const READING_LINES: readonly string[] = [
  "cat secret.txt",
  "head -5 secret.txt",
  "grep -n x secret.txt",
  "rg x secret.txt",
  "wc -l < secret.txt",
  "ls -la secret.txt",
  "diff secret.txt x",
  "sed -n 1,5p secret.txt",
  "git log -- secret.txt",
  "git diff secret.txt",
  "git show HEAD:secret.txt",
  "cp secret.txt copy.txt",
  "split -l 5 other.txt part-",
  "sort secret.txt",
  "test -f secret.txt",
  "echo secret.txt",
  "find . -name secret.txt",
  "echo x > other.txt",
  "npm test",
  "cd sub && ls",
  "git status",
  "git commit -m 'about secret.txt'",
];
