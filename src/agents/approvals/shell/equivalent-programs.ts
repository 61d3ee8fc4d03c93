/** Programs that do what another one does: who denies one is asked about the others. */
import type { Layer } from "./read-line.ts";

const ALIKE: readonly (readonly string[])[] = [
  ["rm", "unlink", "shred", "srm", "rmdir", "trash", "trash-put", "rimraf", "del-cli", "wipe"],
  ["curl", "wget", "wget2", "aria2c", "http", "https", "xh", "lynx", "fetch", "curlie"],
  ["sudo", "doas", "pkexec", "su", "runuser", "run0"],
  ["kill", "pkill", "killall", "xkill"],
  ["npm", "pnpm", "yarn", "bun"],
  ["pip", "pip3", "uv", "pipx"],
  ["ssh", "scp", "sftp", "mosh", "rsync"],
  ["apt", "apt-get", "aptitude", "dpkg", "dnf", "yum", "apk", "pacman", "brew"],
  ["shutdown", "reboot", "halt", "poweroff", "systemctl"],
  ["sh", "bash", "dash", "ash", "ksh", "mksh", "zsh", "rbash", "fish"],
  ["python", "python2", "python3", "pypy", "pypy3"],
  ["dd", "shred"],
];

const REMOVING = /^-delete$|^--delete|^--remove-source/;

export function isEquivalent(program: string, operands: readonly string[], { name, args }: Layer): boolean {
  if (name === program) return false;
  const given = args.slice(1).map(({ text, start }) => text ?? start);
  if (program === "rm" && name === "git") return /^(?:clean|rm)$/.test(given.find((one) => !one.startsWith("-")) ?? "");
  if (program === "rm" && given.some((one) => REMOVING.test(one))) return true;
  const isAlike = ALIKE.some((group) => group.includes(program) && group.includes(name));
  return isAlike && operands.every((operand) => operand.includes("*") || given.includes(operand));
}
