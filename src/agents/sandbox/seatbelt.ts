/**
 * The same profile for sandbox-exec on macOS. Written from documentation and published profiles; not tested.
 * Guarantee: paths are parameters, never text of the policy. The last matching rule decides, so parents come first.
 */
import type { Mount } from "./access-map.ts";

export const SANDBOX_EXEC = "/usr/bin/sandbox-exec";

/** Of the terminals only those that it opens itself: in another one it would read what is typed, and write commands. */
const DEVICES = `(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (literal "/dev/ptmx")
  (literal "/dev/dtracehelper"))
(deny file-read-data (regex #"^/dev/ttys[0-9]+$"))
(allow file-read* file-write* (require-all (regex #"^/dev/ttys[0-9]+$") (extension "com.apple.sandbox.pty")))`;

/** No service outside acts for the agent: no launch services, no Apple events, no signals to others. */
const DENY_OUTSIDE_EFFECTS = `(deny appleevent-send)
(deny lsopen)
(deny mach-lookup (global-name "com.apple.coreservices.appleevents"))
(deny process-exec (literal "/bin/launchctl") (literal "/usr/bin/open") (literal "/usr/bin/osascript"))
(deny signal)
(allow signal (target same-sandbox))
(deny network-outbound (remote unix-socket (subpath "/private/tmp")) (remote unix-socket (subpath "/private/var/run")))`;

export interface SeatbeltOptions {
  readonly mounts: readonly Mount[];
  /** Sockets that stay open. */
  readonly sockets: readonly string[];
}

export function seatbeltArguments({ mounts, sockets }: SeatbeltOptions): string[] {
  const values: string[] = [];
  const parameter = (file: string): string => `(param "P${values.push(file) - 1}")`;
  const rules = mounts.flatMap(({ path, access, isDirectory, isPin }) => {
    if (path === "/" || isPin === true) return [];
    const where = `(${isDirectory ? "subpath" : "literal"} ${parameter(path)})`;
    if (access === "write" || access === "private") return [`(allow file-read* file-write* ${where})`];
    if (access === "hidden") return [`(deny file-read* file-write* ${where})`];
    return [`(allow file-read* ${where})`, `(deny file-write* ${where})`];
  });
  const pins = mounts
    .filter(({ isPin }) => isPin === true)
    .map(({ path }) => `(deny file-write-unlink (literal ${parameter(path)}))`);
  const opened = sockets.map(
    (file) => `(allow network-outbound (remote unix-socket (path-literal ${parameter(file)})))`,
  );
  const profile = [
    "(version 1)",
    "(allow default)",
    "(deny file-write*)",
    DEVICES,
    ...rules,
    ...pins,
    DENY_OUTSIDE_EFFECTS,
    ...opened,
  ];
  return ["-p", profile.join("\n"), ...values.flatMap((value, index) => ["-D", `P${index}=${value}`])];
}
