/** The hostile heads that lie about who asks, how long the body is, or what protocol this is. */
import type { Route } from "../../src/server/http/policy.ts";
import {
  upgrade,
  withHeader,
  withHeaders,
  without,
  replaced,
  needsToken,
  takesBody,
  isHttp,
  flipped,
  toBytes,
  type Head,
  type Hostile,
  type Target,
} from "./raw-head.ts";

/** What stands behind `Authorization:`. */
const wrongAuthorizations: Record<string, (token: string) => string> = {
  "an empty token": () => "Bearer ",
  "no word after it": () => "Bearer",
  "a token with one wrong letter": (token) => `Bearer ${flipped(token)}`,
  "the beginning of the token": (token) => `Bearer ${token.slice(0, -1)}`,
  "the token and one letter": (token) => `Bearer ${token}A`,
  "a very long token": (token) => `Bearer ${token.repeat(100)}`,
  "the token in other letters": (token) => `Bearer ${token.replace(/[a-z]/gi, swapped)}`,
  "two spaces": (token) => `Bearer  ${token}`,
  "no scheme": (token) => token,
  "another scheme": (token) => `Token ${token}`,
  "the token in quotes": (token) => `Bearer "${token}"`,
  "two tokens in one line": (token) => `Bearer ${flipped(token)}, Bearer ${token}`,
  "a word behind the token": (token) => `Bearer ${token} x`,
  "the token with a NUL": (token) => `Bearer ${token}\0`,
  "the token in the next line": (token) => `Bearer\r\n ${token}`,
  "the token as a password": (token) => `Basic ${Buffer.from(`:${token}`).toString("base64")}`,
};

export function wrongTokens(): Hostile[] {
  return [
    { name: "no token", isFor: needsToken, change: (head) => without(head, "Authorization") },
    ...Object.entries(wrongAuthorizations).map(([name, of]) => ({
      name,
      isFor: needsToken,
      change: (head: Head, { token }: Target) => replaced(head, "Authorization", of(token)),
    })),
    ...["token", "access_token", "code", "t"].map((name) => ({
      name: `the token in the address as ${name}`,
      isFor: needsToken,
      change: (head: Head, { token }: Target) => ({
        ...without(head, "Authorization"),
        target: `${head.target}?${name}=${token}`,
      }),
    })),
    ...["Cookie", "Proxy-Authorization", "X-Authorization", "X-Api-Key"].map((name) => ({
      name: `the token as ${name}`,
      isFor: needsToken,
      change: (head: Head, { token }: Target) =>
        withHeader(without(head, "Authorization"), name, name === "Cookie" ? `token=${token}` : `Bearer ${token}`),
    })),
    {
      name: "a wrong token before the right one",
      isFor: needsToken,
      change: (head, { token }) => ({
        ...head,
        headers: [["Authorization", `Bearer ${flipped(token)}`], ...head.headers],
      }),
    },
    {
      name: "the right token twice",
      isFor: needsToken,
      change: (head, { token }) => withHeader(head, "Authorization", `Bearer ${token}`),
    },
    {
      name: "the token as a protocol where no WebSocket is",
      isFor: (route) => needsToken(route) && isHttp(route),
      change: (head, { token }) =>
        withHeader(without(head, "Authorization"), "Sec-WebSocket-Protocol", `token.${token}`),
    },
  ];
}

export function wrongBodies(): Hostile[] {
  const types = [
    "text/plain",
    "text/plain;application/json",
    "text/plain; charset=application/json",
    "application/x-www-form-urlencoded",
    "application/x-www-form-urlencoded; application/json",
    "multipart/form-data; boundary=x",
    "multipart/form-data; boundary=application/json",
    "text/json",
    "application/jsonx",
    "application/ld+json",
    "application/json, text/plain",
    "application/json; charset=utf-16",
    "application/json; charset=utf-7",
    "application/json; charset=utf-8; charset=utf-16",
    "application/json; charset=utf-8, text/plain",
    "*/*",
    "",
  ];
  return [
    ...types.map((type) => ({
      name: `a body of type "${type}"`,
      isFor: takesBody,
      change: (head: Head) => replaced(head, "Content-Type", type),
    })),
    { name: "a body of no type", isFor: takesBody, change: (head) => without(head, "Content-Type") },
    { name: "two types", isFor: takesBody, change: (head) => withHeader(head, "Content-Type", "text/plain") },
    ...["gzip", "br", "identity"].map((coding) => ({
      name: `a body in ${coding}`,
      isFor: takesBody,
      change: (head: Head) => withHeader(head, "Content-Encoding", coding),
    })),
    {
      name: "a body where none belongs",
      isFor: (route) => !takesBody(route),
      change: (head) => withHeader(withHeader(head, "Content-Type", "application/json"), "Content-Length", "2"),
    },
  ];
}

export function wrongLengths(): Hostile[] {
  const lengths = ["70000000", "99999999999999999999", "-1", "+2", "0x2", "2, 2", "2 2", "two", ""];
  const codings = ["chunked", "identity", "xchunked", "chunked, identity", "gzip, chunked", "Chunked\u000b"];
  return [
    ...lengths.map((length) => ({
      name: `Content-Length is "${length}"`,
      isFor: takesBody,
      change: (head: Head) => replaced(head, "Content-Length", length),
    })),
    ...["2", "3"].map((length) => ({
      name: `a second length of ${length}`,
      isFor: takesBody,
      change: (head: Head) => withHeader(head, "Content-Length", length),
    })),
    ...codings.flatMap((coding) => [
      {
        name: `Transfer-Encoding is "${coding}"`,
        isFor: (route: Route) => coding !== "chunked" || !takesBody(route),
        change: (head: Head) => withHeader(without(head, "Content-Length"), "Transfer-Encoding", coding),
      },
      {
        name: `Transfer-Encoding is "${coding}", with a length`,
        isFor: takesBody,
        change: (head: Head) => withHeader(head, "Transfer-Encoding", coding),
      },
    ]),
    {
      name: "two Transfer-Encodings",
      change: (head) =>
        withHeader(
          withHeader(without(head, "Content-Length"), "Transfer-Encoding", "chunked"),
          "Transfer-Encoding",
          "x",
        ),
    },
    {
      name: "a space before the colon of a length",
      change: (head) => withHeader(head, "Transfer-Encoding ", "chunked"),
    },
  ];
}

export function wrongUpgrades(): Hostile[] {
  const isSocket = (route: Route) => !isHttp(route);
  return [
    ...["websocket", "TLS/1.2"].map((to) => ({
      name: `an upgrade to ${to} where none belongs`,
      isFor: isHttp,
      change: (head: Head) => withHeaders(head, upgrade(to)),
    })),
    { name: "no upgrade", isFor: isSocket, change: (head) => without(without(head, "Upgrade"), "Connection") },
    ...["h2c", "websocket, h2c", "websocketx"].map((to) => ({
      name: `an upgrade to "${to}"`,
      isFor: isSocket,
      change: (head: Head) => replaced(head, "Upgrade", to),
    })),
    { name: "two Upgrades", isFor: isSocket, change: (head) => withHeader(head, "Upgrade", "h2c") },
    ...["8", "12", "14", "x"].map((version) => ({
      name: `WebSocket version ${version}`,
      isFor: isSocket,
      change: (head: Head) => replaced(head, "Sec-WebSocket-Version", version),
    })),
    { name: "no WebSocket key", isFor: isSocket, change: (head) => without(head, "Sec-WebSocket-Key") },
    { name: "a short WebSocket key", isFor: isSocket, change: (head) => replaced(head, "Sec-WebSocket-Key", "AAAA") },
    ...Object.entries({
      "no token": () => "roundtable.v1",
      "an empty token": () => "roundtable.v1, token.",
      "a wrong token": (token: string) => `roundtable.v1, token.${flipped(token)}`,
      "two tokens": (token: string) => `token.${flipped(token)}, token.${token}, roundtable.v1`,
      "a token in other letters": (token: string) => `roundtable.v1, TOKEN.${token}`,
    }).map(([name, of]) => ({
      name: `a WebSocket with ${name}`,
      isFor: isSocket,
      change: (head: Head, { token }: Target) =>
        withHeader(without(head, "Authorization"), "Sec-WebSocket-Protocol", of(token)),
    })),
  ];
}

export function wrongLines(): Hostile[] {
  return [
    { name: "a very long head", change: (head) => withHeader(head, "X-Filler", "x".repeat(20_000)) },
    { name: "a very long name", change: (head) => withHeader(head, "x".repeat(17_000), "1") },
    { name: "150 lines", change: (head) => withHeaders(head, fillers(150)) },
    {
      name: "a second Host after 2,100 lines",
      change: (head) => withHeader(withHeaders(head, fillers(2_100)), "Host", "evil.example"),
    },
    { name: "a header line that goes on in the next", change: (head) => withHeader(head, "X-Folded", "a\r\n b") },
    {
      name: "a first header line that begins with a space",
      change: (head) => toBytes(head).replace("\r\n", "\r\n X-Evil: 1\r\n"),
    },
    { name: "a space before the colon", change: (head) => withHeader(head, "Origin ", "https://evil.example") },
    { name: "a line without a colon", change: (head) => toBytes(head).replace("\r\n", "\r\nevil\r\n") },
    { name: "a line without a name", change: (head) => toBytes(head).replace("\r\n", "\r\n: evil\r\n") },
    { name: "a NUL in a value", change: (head) => withHeader(head, "X-Nul", "a\0b") },
    {
      name: "a lone carriage return in a value",
      change: (head) => withHeader(head, "X-Return", "a\rHost: evil.example"),
    },
    { name: "another expectation", change: (head) => withHeader(head, "Expect", "the-unexpected") },
    ...["HTTP/0.9", "HTTP/2.0", "HTTP/9.9", "http/1.1", "HTTP/1.1.1", ""].map((version) => ({
      name: `version "${version}"`,
      change: (head: Head) => ({ ...head, version }),
    })),
    { name: "the first words of HTTP/2", change: () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" },
    { name: "no HTTP at all", change: () => "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\r\n\r\n" },
  ];
}

function fillers(count: number): Head["headers"] {
  return Array.from({ length: count }, () => ["x", "1"]);
}

function swapped(letter: string): string {
  return letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase();
}
