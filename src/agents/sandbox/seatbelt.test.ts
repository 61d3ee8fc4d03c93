import { expect, test } from "vitest";
import type { Mount } from "./access-map.ts";
import { seatbeltArguments } from "./seatbelt.ts";

test("paths are parameters of the policy and never its text; what is more specific comes later", () => {
  const evil = '/Users/a/x") (allow file-write* (subpath "/';
  const mounts: Mount[] = [
    { path: "/", access: "read", isDirectory: true },
    { path: evil, access: "write", isDirectory: true },
    { path: `${evil}/.git`, access: "write", isDirectory: true, isPin: true },
    { path: `${evil}/.git/config`, access: "read", isDirectory: false },
    { path: "/Users/a/.ssh", access: "hidden", isDirectory: true },
  ];
  const [flag, policy = "", ...rest] = seatbeltArguments({ mounts, sockets: ["/Users/a/sock"] });
  expect(flag).toBe("-p");
  expect(policy.split("\n").filter((line) => line.includes("(param"))).toEqual([
    '(allow file-read* file-write* (subpath (param "P0")))',
    '(allow file-read* (literal (param "P1")))',
    '(deny file-write* (literal (param "P1")))',
    '(deny file-read* file-write* (subpath (param "P2")))',
    '(deny file-write-unlink (literal (param "P3")))',
    '(allow network-outbound (remote unix-socket (path-literal (param "P4"))))',
  ]);
  expect(policy).not.toContain("/Users");
  expect(policy.indexOf("(deny file-write*)")).toBeLessThan(policy.indexOf("(param"));
  expect(rest.filter((one) => one !== "-D")).toEqual([
    `P0=${evil}`,
    `P1=${evil}/.git/config`,
    "P2=/Users/a/.ssh",
    `P3=${evil}/.git`,
    "P4=/Users/a/sock",
  ]);
});

test("of the terminals only those are open that were opened inside", () => {
  const [, policy = ""] = seatbeltArguments({ mounts: [], sockets: [] });
  const lines = policy.split("\n").filter((line) => line.includes("ttys"));
  expect(lines).toEqual([
    '(deny file-read-data (regex #"^/dev/ttys[0-9]+$"))',
    '(allow file-read* file-write* (require-all (regex #"^/dev/ttys[0-9]+$") (extension "com.apple.sandbox.pty")))',
  ]);
});
