/** Argument list of bwrap: namespaces, mounts, status. Every value is an argument of its own; no shell is involved. */
import type { Mount } from "./access-map.ts";

/** Capabilities of this system as found by the probe. */
export interface BwrapAbilities {
  readonly program: string;
  /** bwrap can forbid further user namespaces inside. */
  readonly canDisableUserns: boolean;
  /** False in a container that forbids a new /proc; then the existing one is shown, with the processes outside. */
  readonly canMountProc: boolean;
}

/** File descriptor of bwrap's status. */
export const STATUS_FD = 3;

export interface BwrapCommand {
  readonly abilities: BwrapAbilities;
  readonly mounts: readonly Mount[];
  readonly cwd: string;
  readonly isRoot: boolean;
}

/** `emptyFiles`: number of descriptors after the status one that must be open on /dev/null. */
export function bwrapArguments(command: BwrapCommand): { args: string[]; emptyFiles: number } {
  const { abilities, cwd, isRoot } = command;
  let emptyFiles = 0;
  const mount = ({ path, access, isDirectory }: Mount): string[] => {
    if (access === "write") return ["--bind", path, path];
    if (access === "read") return ["--ro-bind", path, path];
    if (isDirectory) return ["--tmpfs", path];
    return ["--ro-bind-data", String(STATUS_FD + ++emptyFiles), path];
  };
  const [root, ...mounts] = command.mounts;
  const hidden = mounts.filter(({ access, isDirectory }) => access === "hidden" && isDirectory);
  const args = [
    ...(root === undefined ? [] : mount(root)),
    "--dev",
    "/dev",
    ...(abilities.canMountProc ? ["--proc", "/proc"] : ["--ro-bind", "/proc", "/proc"]),
    "--unshare-user",
    "--unshare-pid",
    "--unshare-ipc",
    ...(abilities.canDisableUserns ? ["--disable-userns"] : []),
    "--die-with-parent",
    "--new-session",
    ...(isRoot ? ["--cap-drop", "ALL", "--ro-bind", "/proc/sys", "/proc/sys"] : []),
    ...mounts.flatMap(mount),
    // Last: mount points inside them are created before.
    ...hidden.flatMap(({ path }) => ["--remount-ro", path]),
    "--chdir",
    cwd,
  ];
  return { args, emptyFiles };
}
