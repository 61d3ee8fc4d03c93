/** System paths of every sandbox: everything read-only, except for temporary files and /run. */
import { tmpdir } from "node:os";
import path from "node:path";
import { realPath, type AccessMap } from "./access-map.ts";

/** Empty in every sandbox: files of others, and the sockets of the system, of desktops, containers and agents. */
const PRIVATE = ["/tmp", "/var/tmp", "/run", "/var/run"];
const VARIABLES = ["TMPDIR", "TMUX_TMPDIR", "XDG_RUNTIME_DIR"];
/** Programs and drivers of systems that install them below /run. */
const SHOWN = ["/run/current-system", "/run/booted-system", "/run/wrappers", "/run/opengl-driver"];
/** System files that may be links into /run. */
const LINKED = ["/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/localtime"];

export interface SystemOptions {
  /** Private directory instead of /tmp, on systems where /tmp cannot be private. */
  readonly temporary: string;
  /** Directories of temporary files and sockets, from their variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function setSystemPaths(access: AccessMap, { temporary, env }: SystemOptions): void {
  if (temporary !== "/tmp") return access.set(temporary, "write");
  const named = [tmpdir(), ...VARIABLES.map((variable) => env[variable] ?? "")];
  for (const directory of [...PRIVATE, ...named.filter((one) => path.isAbsolute(one) && realPath(one) !== "/")]) {
    access.set(directory, "private");
  }
  for (const file of SHOWN) access.set(file, "read");
  for (const file of LINKED) {
    const real = realPath(file);
    if (real !== undefined && access.accessOf(real) === "private") access.set(real, "read");
  }
}
