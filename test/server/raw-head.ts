/** Request heads as they stand on the wire: one that a route takes, and small changes of it. */
import type { Route } from "../../src/server/http/policy.ts";

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
  if (policy.access === "token" || policy.access === "bearer") headers.push(["Authorization", `Bearer ${token}`]);
  if (policy.bodyBytesMax > 0) headers.push(["Content-Type", bodyTypeOf(route)], ["Content-Length", "2"]);
  if (policy.carrier === "websocket") headers.push(...upgrade("websocket"));
  const target = path.replace(":id", sessionId).replace(":n", "0").replace(":hash", "0".repeat(64));
  return { method, target, version: "HTTP/1.1", headers };
}

/** The type that a route takes. */
export function bodyTypeOf({ policy }: Route): string {
  return policy.bodyType === "bytes" ? "application/octet-stream" : "application/json";
}

export function toBytes({ method, target, version, headers }: Head): string {
  return `${method} ${target} ${version}\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;
}

export interface Hostile {
  name: string;
  /** Routes for which this is no attack are left out. */
  isFor?: (route: Route) => boolean;
  change: (head: Head, target: Target) => Head | string;
}

export function upgrade(to: string): Head["headers"] {
  return [
    ["Connection", "Upgrade"],
    ["Upgrade", to],
    ["Sec-WebSocket-Version", "13"],
    ["Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="],
  ];
}

export function withHeader(head: Head, name: string, value: string): Head {
  return withHeaders(head, [[name, value]]);
}

export function withHeaders(head: Head, more: Head["headers"]): Head {
  return { ...head, headers: [...head.headers, ...more] };
}

export function without(head: Head, name: string): Head {
  return { ...head, headers: head.headers.filter(([one]) => one !== name) };
}

export function replaced(head: Head, name: string, value: string): Head {
  return { ...head, headers: head.headers.map(([one, old]) => [one, one === name ? value : old]) };
}

export function needsToken({ policy }: Route): boolean {
  return policy.access === "token";
}

export function takesBody({ policy }: Route): boolean {
  return policy.bodyBytesMax > 0;
}

export function isHttp({ policy }: Route): boolean {
  return policy.carrier === "http";
}

export function flipped(token: string): string {
  return (token.startsWith("A") ? "B" : "A") + token.slice(1);
}
