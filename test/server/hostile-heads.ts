/** Heads that no route may let through, each a small change of one that is right. */
import type { Route } from "../../src/server/http/policy.ts";
import { wrongBodies, wrongLengths, wrongLines, wrongTokens, wrongUpgrades } from "./hostile-framing.ts";
import {
  isHttp,
  withHeader,
  withHeaders,
  without,
  replaced,
  type Head,
  type Hostile,
  type Target,
} from "./raw-head.ts";

export const hostileHeads: readonly Hostile[] = [
  ...wrongHosts(),
  ...wrongOrigins(),
  ...wrongSites(),
  ...wrongMethods(),
  ...wrongTargets(),
  ...wrongTokens(),
  ...wrongBodies(),
  ...wrongLengths(),
  ...wrongUpgrades(),
  ...wrongLines(),
];

function wrongHosts(): Hostile[] {
  return [
    { name: "HTTP/1.0 without a Host", change: (head) => ({ ...without(head, "Host"), version: "HTTP/1.0" }) },
    { name: "no Host", change: (head) => without(head, "Host") },
    ...hosts({
      empty: () => "",
      "another name": () => "evil.example",
      "another name with our port": (port) => `evil.example:${port}`,
      "our address without the port": () => "127.0.0.1",
      "the other name without the port": () => "localhost",
      "our address with another port": (port) => `127.0.0.1:${otherPort(port)}`,
      "our address with a zero before the port": (port) => `127.0.0.1:0${port}`,
      "another address of this machine": (port) => `127.0.0.2:${port}`,
      "all interfaces": (port) => `0.0.0.0:${port}`,
      "the other loopback": (port) => `[::1]:${port}`,
      "our address as IPv6": (port) => `[::ffff:127.0.0.1]:${port}`,
      "a number for an address": (port) => `2130706433:${port}`,
      "a hexadecimal address": (port) => `0x7f000001:${port}`,
      "an octal address": (port) => `0177.0.0.1:${port}`,
      "a short address": (port) => `127.1:${port}`,
      "a dot at the end": (port) => `localhost.:${port}`,
      "a dot at the end of the address": (port) => `127.0.0.1.:${port}`,
      "other letters": (port) => `LOCALHOST:${port}`,
      "a name under ours": (port) => `evil.localhost:${port}`,
      "a name that begins like ours": (port) => `127.0.0.1:${port}.evil.example`,
      "a user before it": (port) => `evil@127.0.0.1:${port}`,
      "ours as a user of another": (port) => `127.0.0.1:${port}@evil.example`,
      "a whole URL": (port) => `http://127.0.0.1:${port}`,
      "ours with a slash": (port) => `127.0.0.1:${port}/`,
      "two in one line": (port) => `127.0.0.1:${port}, evil.example`,
    }),
    { name: "two Hosts, ours first", change: (head) => withHeader(head, "Host", "evil.example") },
    {
      name: "two Hosts, ours last",
      change: (head) => ({ ...head, headers: [["Host", "evil.example"], ...head.headers] }),
    },
    { name: "two Hosts, both ours", change: (head, { port }) => withHeader(head, "Host", `127.0.0.1:${port}`) },
    {
      name: "ours only as X-Forwarded-Host",
      change: (head, { port }) =>
        withHeader(replaced(head, "Host", "evil.example"), "X-Forwarded-Host", `127.0.0.1:${port}`),
    },
  ];
}

function wrongOrigins(): Hostile[] {
  return [
    ...origins({
      "another site": () => "https://evil.example",
      null: () => "null",
      empty: () => "",
      "a file": () => "file://",
      "an extension": () => "chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
      "another port of this machine": (port) => `http://127.0.0.1:${otherPort(port)}`,
      "ours without the port": () => "http://127.0.0.1",
      "an origin that begins like ours": (port) => `http://127.0.0.1:${port}.evil.example`,
      "a name that begins like ours": (port) => `http://127.0.0.1.evil.example:${port}`,
      "a name that ends like ours": (port) => `http://evil.127.0.0.1:${port}`,
      "a user before ours": (port) => `http://evil@127.0.0.1:${port}`,
      "the other scheme": (port) => `https://127.0.0.1:${port}`,
      "ours in other letters": (port) => `HTTP://127.0.0.1:${port}`,
      "all interfaces": (port) => `http://0.0.0.0:${port}`,
      "the other loopback": (port) => `http://[::1]:${port}`,
      "the other name of this machine": (port) => `http://localhost:${port}`,
      "ours with a slash": (port) => `http://127.0.0.1:${port}/`,
      "ours without a scheme": (port) => `127.0.0.1:${port}`,
      "two in one line": (port) => `http://127.0.0.1:${port}, https://evil.example`,
    }),
    {
      name: "two Origins",
      change: (head, { port }) =>
        withHeader(withHeader(head, "Origin", `http://127.0.0.1:${port}`), "Origin", "https://evil.example"),
    },
    {
      name: "a preflight",
      change: (head) => ({
        ...withHeader(withHeader(head, "Origin", "https://evil.example"), "Access-Control-Request-Method", "POST"),
        method: "OPTIONS",
      }),
    },
    {
      name: "an invitation from another site",
      change: (head) => withHeader(withHeader(head, "Expect", "100-continue"), "Origin", "https://evil.example"),
    },
  ];
}

function wrongSites(): Hostile[] {
  return [
    ...["cross-site", "same-site", "", "CROSS-SITE", "same-origin, cross-site"].map((site) => ({
      name: `Sec-Fetch-Site is "${site}"`,
      change: (head: Head) => withHeader(head, "Sec-Fetch-Site", site),
    })),
    {
      name: "two Sec-Fetch-Sites",
      change: (head) => withHeader(withHeader(head, "Sec-Fetch-Site", "same-origin"), "Sec-Fetch-Site", "cross-site"),
    },
    ...["iframe", "frame", "object", "embed"].map((place) => ({
      name: `into an ${place} of another site`,
      change: (head: Head) =>
        withHeaders(head, [
          ["Sec-Fetch-Site", "cross-site"],
          ["Sec-Fetch-Mode", "navigate"],
          ["Sec-Fetch-Dest", place],
        ]),
    })),
    {
      name: "a link to what is no page",
      isFor: ({ policy }) => !policy.isLandingPage,
      change: (head) =>
        withHeaders(head, [
          ["Sec-Fetch-Site", "cross-site"],
          ["Sec-Fetch-Mode", "navigate"],
          ["Sec-Fetch-Dest", "document"],
        ]),
    },
  ];
}

function wrongMethods(): Hostile[] {
  return [
    ...["OPTIONS", "PUT", "DELETE", "PATCH", "TRACE", "PROPFIND", "M-SEARCH", "BREW", "get", "post", ""].map(
      (method) => ({ name: `method "${method}"`, change: (head: Head) => ({ ...head, method }) }),
    ),
    {
      name: `method "HEAD"`,
      isFor: (route) => route.method !== "GET" || !isHttp(route),
      change: (head) => ({ ...head, method: "HEAD" }),
    },
    { name: "a tunnel", change: (head) => ({ ...head, method: "CONNECT", target: "evil.example:443" }) },
    {
      name: "the other method",
      change: (head, { route }) => ({ ...head, method: route.method === "GET" ? "POST" : "GET" }),
    },
    ...["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"].map((name) => ({
      name: `another method as ${name}`,
      change: (head: Head) => withHeader(head, name, "DELETE"),
    })),
    ...["X-Original-URL", "X-Rewrite-URL"].map((name) => ({
      name: `another path as ${name}`,
      change: (head: Head) => withHeader(head, name, "/v1/sessions"),
    })),
  ];
}

function wrongTargets(): Hostile[] {
  return [
    ...targets({
      "a whole URL of another": ({ target }) => `http://evil.example${target}`,
      "a whole URL of ours": ({ target }, { port }) => `http://127.0.0.1:${port}${target}`,
      "a whole URL with the token": ({ target }, { port, token }) => `http://${token}@127.0.0.1:${port}${target}`,
      "a name without a path": (_head, { port }) => `127.0.0.1:${port}`,
      "a star": () => "*",
      "no slash": ({ target }) => `x${target}`,
      "two slashes": ({ target }) => `/${target}`,
      "another name and two slashes": ({ target }) => `//evil.example${target}`,
      backslashes: ({ target }) => `\\${target}`,
      "a dot": ({ target }) => `/.${target}`,
      "a way up": ({ target }) => `/x/..${target}`,
      "a way up behind": ({ target }) => `${target}/../x`,
      "an encoded way up": ({ target }) => `/%2e%2e${target}`,
      "a way up encoded twice": ({ target }) => `/%252e%252e${target}`,
      "an overlong way up": ({ target }) => `/%c0%ae%c0%ae${target}`,
      "an encoded slash": ({ target }) => `/%2f${target.slice(1)}`,
      "a file outside": () => "/../../../../etc/passwd",
      "a file outside, encoded": () => "/..%2f..%2f..%2fetc%2fpasswd",
      "a NUL": ({ target }) => `${target}%00`,
      "a NUL as it is": ({ target }) => `${target}\0`,
      "an encoded line end": ({ target }) => `${target}%0d%0aX-Evil:1`,
      "a space": ({ target }) => `${target}%20`,
      "a parameter of the path": ({ target }) => `${target};x=1`,
      "a fragment": ({ target }) => `${target}#x`,
      "an ending": ({ target }) => `${target}.json`,
      "a byte that is no ASCII": ({ target }) => `${target}\u00ff`,
      "a very long query": ({ target }) => `${target}?${"x".repeat(3_000)}`,
      "a very long path": ({ target }) => `${target}${"/x".repeat(1_500)}`,
      "the pattern itself": ({ target }, { route }) => (route.path.includes(":") ? route.path : `${target}/:id`),
    }),
    { name: "an encoded letter", isFor: isNoRoot, change: (head) => encodedLetter(head) },
    {
      name: "other letters",
      isFor: isNoRoot,
      change: (head) => ({ ...head, target: head.target.replace(/[a-z]/, upper) }),
    },
    { name: "a slash behind", isFor: isNoRoot, change: (head) => ({ ...head, target: `${head.target}/` }) },
  ];
}

function targets(values: Record<string, (head: Head, target: Target) => string>): Hostile[] {
  return Object.entries(values).map(([name, of]) => ({
    name: `the target is ${name}`,
    change: (head, target) => ({ ...head, target: of(head, target) }),
  }));
}

function hosts(values: Record<string, (port: number) => string>): Hostile[] {
  return Object.entries(values).map(([name, of]) => ({
    name: `Host is ${name}`,
    change: (head, { port }) => replaced(head, "Host", of(port)),
  }));
}

function origins(values: Record<string, (port: number) => string>): Hostile[] {
  return Object.entries(values).map(([name, of]) => ({
    name: `Origin is ${name}`,
    change: (head, { port }) => withHeader(head, "Origin", of(port)),
  }));
}

function otherPort(port: number): number {
  return port === 65_535 ? 1 : port + 1;
}

function isNoRoot({ path }: Route): boolean {
  return path !== "/";
}

function upper(letter: string): string {
  return letter.toUpperCase();
}

function encodedLetter(head: Head): Head {
  const letter = head.target.charCodeAt(1).toString(16);
  return { ...head, target: `/%${letter}${head.target.slice(2)}` };
}
