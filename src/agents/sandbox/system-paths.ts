/** What every sandbox shows of the system: everything, read-only, except for temporary files and what runs. */
import { realPath, type AccessMap } from "./access-map.ts";

/** Empty in every sandbox: files of others, and the sockets of the system, of desktops, containers and agents. */
const PRIVATE = ["/tmp", "/var/tmp", "/run", "/var/run"];
/** Programs and drivers of systems that keep them below /run. */
const SHOWN = ["/run/current-system", "/run/booted-system", "/run/wrappers", "/run/opengl-driver"];
/** Files of the system that may be links into /run. */
const LINKED = ["/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/localtime"];

/** `temporary`: a directory of this program alone, on systems where /tmp cannot be private. */
export function setSystemPaths(access: AccessMap, temporary: string): void {
  if (temporary !== "/tmp") return access.set(temporary, "write");
  for (const directory of PRIVATE) access.set(directory, "private");
  for (const file of SHOWN) access.set(file, "read");
  for (const file of LINKED) {
    const real = realPath(file);
    if (real !== undefined && access.accessOf(real) === "private") access.set(real, "read");
  }
}
