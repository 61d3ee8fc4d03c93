/** Heads that no route may let through, each a small change of one that is right. */
import type { Route } from "../../src/server/policy.ts";

export interface Head {
  method: string;
  target: string;
  version: string;
  /** In order; a name may come twice. */
  headers: [name: string, value: string][];
}

export interface Target {
  port: number;
  token: string;
  route: Route;
  /** A session that is there. */
  sessionId: string;
}

/** What the route takes. */
export function rightHead({ port, token, route, sessionId }: Target): Head {
  const { method, path, policy } = route;
  const headers: Head["headers"] = [["Host", `127.0.0.1:${port}`]];
  if (policy.access === "token") headers.push(["Authorization", `Bearer ${token}`]);
  if (policy.bodyBytesMax > 0) headers.push(["Content-Type", "application/json"], ["Content-Length", "2"]);
  if (policy.carrier === "websocket") headers.push(...upgrade("websocket"));
  const target = path.replace(":id", sessionId).replace(":n", "0");
  return { method, target, version: "HTTP/1.1", headers };
}

export function toBytes({ method, target, version, headers }: Head): string {
  return `${method} ${target} ${version}\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;
}

interface Hostile {
  name: string;
  /** Routes for which this is no attack are left out. */
  isFor?: (route: Route) => boolean;
  change: (head: Head, target: Target) => Head | string;
}

export const hostileHeads: readonly Hostile[] = [
  { name: "HTTP/1.0 without a Host", change: (head) => ({ ...without(head, "Host"), version: "HTTP/1.0" }) },
  { name: "no Host", change: (head) => without(head, "Host") },
  ...hosts({
    "another name": () => "evil.example",
    "another name with our port": (port) => `evil.example:${port}`,
    "our address without the port": () => "127.0.0.1",
    "our address with another port": (port) => `127.0.0.1:${port === 65_535 ? 1 : port + 1}`,
    "all interfaces": (port) => `0.0.0.0:${port}`,
    "the other loopback": (port) => `[::1]:${port}`,
    "a dot at the end": (port) => `localhost.:${port}`,
    "other letters": (port) => `LOCALHOST:${port}`,
    "a name that begins like ours": (port) => `127.0.0.1:${port}.evil.example`,
    "a user before it": (port) => `evil@127.0.0.1:${port}`,
    "a number for an address": (port) => `2130706433:${port}`,
  }),
  { name: "two Hosts, ours first", change: (head) => withHeader(head, "Host", "evil.example") },
  { name: "two Hosts, both ours", change: (head, { port }) => withHeader(head, "Host", `127.0.0.1:${port}`) },
  ...origins({
    "another site": () => "https://evil.example",
    null: () => "null",
    empty: () => "",
    "another port of this machine": (port) => `http://127.0.0.1:${port === 65_535 ? 1 : port + 1}`,
    "an origin that begins like ours": (port) => `http://127.0.0.1:${port}.evil.example`,
    "the other scheme": (port) => `https://127.0.0.1:${port}`,
    "the other name of this machine": (port) => `http://localhost:${port}`,
    "ours with a slash": (port) => `http://127.0.0.1:${port}/`,
    "two in one line": (port) => `http://127.0.0.1:${port}, https://evil.example`,
  }),
  {
    name: "two Origins",
    change: (head, { port }) =>
      withHeader(withHeader(head, "Origin", `http://127.0.0.1:${port}`), "Origin", "https://evil.example"),
  },
  { name: "asked by another site", change: (head) => withHeader(head, "Sec-Fetch-Site", "cross-site") },
  { name: "asked by another port", change: (head) => withHeader(head, "Sec-Fetch-Site", "same-site") },
  ...["OPTIONS", "HEAD", "PUT", "DELETE", "PATCH", "TRACE", "CONNECT", "PROPFIND"].map((method) => ({
    name: `method ${method}`,
    change: (head: Head) => ({ ...head, method }),
  })),
  {
    name: "a preflight",
    change: (head) => ({
      ...withHeader(withHeader(head, "Origin", "https://evil.example"), "Access-Control-Request-Method", "POST"),
      method: "OPTIONS",
    }),
  },
  { name: "the other method", change: (head) => ({ ...head, method: head.method === "GET" ? "POST" : "GET" }) },
  { name: "a whole URL", change: (head) => ({ ...head, target: `http://evil.example${head.target}` }) },
  { name: "two slashes", change: (head) => ({ ...head, target: `/${head.target}` }) },
  { name: "a way up", change: (head) => ({ ...head, target: `/x/..${head.target}` }) },
  { name: "an encoded way up", change: (head) => ({ ...head, target: `/%2e%2e${head.target}` }) },
  { name: "a file outside", change: (head) => ({ ...head, target: "/../../../../etc/passwd" }) },
  { name: "an encoded letter", isFor: (route) => route.path !== "/", change: (head) => encodedLetter(head) },
  { name: "a NUL", change: (head) => ({ ...head, target: `${head.target}%00` }) },
  {
    name: "a longer path",
    isFor: (route) => route.path !== "/",
    change: (head) => ({ ...head, target: `${head.target}/` }),
  },
  { name: "a very long target", change: (head) => ({ ...head, target: `${head.target}?${"x".repeat(3_000)}` }) },
  { name: "a very long head", change: (head) => withHeader(head, "X-Filler", "x".repeat(20_000)) },
  { name: "no token", isFor: needsToken, change: (head) => without(head, "Authorization") },
  { name: "an empty token", isFor: needsToken, change: (head) => replaced(head, "Authorization", "Bearer ") },
  {
    name: "a token with one wrong letter",
    isFor: needsToken,
    change: (head, { token }) => replaced(head, "Authorization", `Bearer ${flipped(token)}`),
  },
  {
    name: "the beginning of the token",
    isFor: needsToken,
    change: (head, { token }) => replaced(head, "Authorization", `Bearer ${token.slice(0, -1)}`),
  },
  {
    name: "the token as a password",
    isFor: needsToken,
    change: (head, { token }) =>
      replaced(head, "Authorization", `Basic ${Buffer.from(`:${token}`).toString("base64")}`),
  },
  {
    name: "the token in the address",
    isFor: needsToken,
    change: (head, { token }) => ({ ...without(head, "Authorization"), target: `${head.target}?token=${token}` }),
  },
  {
    name: "the token in a cookie",
    isFor: needsToken,
    change: (head, { token }) => withHeader(without(head, "Authorization"), "Cookie", `token=${token}`),
  },
  {
    name: "a wrong token before the right one",
    isFor: needsToken,
    change: (head, { token }) => ({
      ...head,
      headers: [["Authorization", `Bearer ${flipped(token)}`], ...head.headers],
    }),
  },
  {
    name: "the token as a protocol where no WebSocket is",
    isFor: (route) => needsToken(route) && route.policy.carrier === "http",
    change: (head, { token }) => withHeader(without(head, "Authorization"), "Sec-WebSocket-Protocol", `token.${token}`),
  },
  ...[
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "text/plain;application/json",
    "",
  ].map((type) => ({
    name: `a body of type "${type}"`,
    isFor: takesBody,
    change: (head: Head) => (type === "" ? without(head, "Content-Type") : replaced(head, "Content-Type", type)),
  })),
  { name: "a body that is too long", isFor: takesBody, change: (head) => replaced(head, "Content-Length", "10000000") },
  { name: "a body of unknown length", isFor: takesBody, change: (head) => chunked(without(head, "Content-Length")) },
  { name: "two ways to say the length", isFor: takesBody, change: chunked },
  { name: "two lengths", isFor: takesBody, change: (head) => withHeader(head, "Content-Length", "3") },
  { name: "an encoded body", isFor: takesBody, change: (head) => withHeader(head, "Content-Encoding", "gzip") },
  {
    name: "a body where none belongs",
    isFor: (route) => !takesBody(route),
    change: (head) => withHeader(withHeader(head, "Content-Type", "application/json"), "Content-Length", "2"),
  },
  { name: "a chunked body where none belongs", isFor: (route) => !takesBody(route), change: chunked },
  {
    name: "an invitation from another site",
    change: (head) => withHeader(withHeader(head, "Expect", "100-continue"), "Origin", "https://evil.example"),
  },
  { name: "an upgrade where none belongs", isFor: isHttp, change: (head) => withHeaders(head, upgrade("websocket")) },
  { name: "an upgrade to HTTP/2", isFor: isHttp, change: (head) => withHeaders(head, upgrade("h2c")) },
  {
    name: "no upgrade where one belongs",
    isFor: (route) => !isHttp(route),
    change: (head) => without(without(head, "Upgrade"), "Connection"),
  },
  {
    name: "a WebSocket without a token",
    isFor: (route) => !isHttp(route),
    change: (head) => withHeader(without(head, "Authorization"), "Sec-WebSocket-Protocol", "roundtable.v1"),
  },
  {
    name: "a WebSocket with a wrong token",
    isFor: (route) => !isHttp(route),
    change: (head, { token }) =>
      withHeader(without(head, "Authorization"), "Sec-WebSocket-Protocol", `roundtable.v1, token.${flipped(token)}`),
  },
  {
    name: "a WebSocket with two tokens",
    isFor: (route) => !isHttp(route),
    change: (head, { token }) =>
      withHeader(
        without(head, "Authorization"),
        "Sec-WebSocket-Protocol",
        `token.${flipped(token)}, token.${token}, roundtable.v1`,
      ),
  },
  { name: "a header line that goes on in the next", change: (head) => withHeader(head, "X-Folded", "a\r\n b") },
  { name: "a space before the colon", change: (head) => withHeader(head, "Origin ", "https://evil.example") },
  { name: "no HTTP at all", change: () => "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\r\n\r\n" },
];

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

function upgrade(to: string): Head["headers"] {
  return [
    ["Connection", "Upgrade"],
    ["Upgrade", to],
    ["Sec-WebSocket-Version", "13"],
    ["Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="],
  ];
}

function needsToken({ policy }: Route): boolean {
  return policy.access === "token";
}

function takesBody({ policy }: Route): boolean {
  return policy.bodyBytesMax > 0;
}

function isHttp({ policy }: Route): boolean {
  return policy.carrier === "http";
}

function withHeader(head: Head, name: string, value: string): Head {
  return withHeaders(head, [[name, value]]);
}

function withHeaders(head: Head, more: Head["headers"]): Head {
  return { ...head, headers: [...head.headers, ...more] };
}

function without(head: Head, name: string): Head {
  return { ...head, headers: head.headers.filter(([one]) => one !== name) };
}

function replaced(head: Head, name: string, value: string): Head {
  return { ...head, headers: head.headers.map(([one, old]) => [one, one === name ? value : old]) };
}

function chunked(head: Head): Head {
  return withHeader(head, "Transfer-Encoding", "chunked");
}

function encodedLetter(head: Head): Head {
  const letter = head.target.charCodeAt(1).toString(16);
  return { ...head, target: `/%${letter}${head.target.slice(2)}` };
}

function flipped(token: string): string {
  return (token.startsWith("A") ? "B" : "A") + token.slice(1);
}
