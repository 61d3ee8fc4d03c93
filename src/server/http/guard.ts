/**
 * Checks every request, upgrade and static file before its body is read and before any handler. Denies by default. Pure:
 * takes a request head, returns a verdict.
 */
import type { IncomingMessage } from "node:http";
import type { ErrorCode } from "../../protocol/index.ts";
import type { Principal } from "../sign-in/principal.ts";
import { type FailedAttempts, TOO_MANY_FAILURES } from "../sign-in/secrets.ts";
import { isWorkerScript, noWorker, WORKER_HEADER } from "./no-service-worker.ts";
import { isMalformed, type Policy, type Route, routesAt, type RouteTable } from "./policy.ts";

export interface GuardOptions {
  readonly routes: RouteTable;
  /** The authorities this server answers to, such as `127.0.0.1:4096`. */
  readonly hosts: readonly string[];
  /** "http" by default. */
  readonly scheme?: "http" | "https";
  /** Further allowed origins, such as `http://localhost:5173`. */
  readonly origins?: readonly string[];
  /** True for the port on which routes with access "compat" need no token. */
  readonly isCompatPort?: boolean;
  /** Whose token it is; undefined for one that is wrong or has ended. */
  readonly principalOf: (given: string) => Principal | undefined;
  readonly failures: FailedAttempts;
}

/** An admitted request; `principal` is absent on routes that are open to every program. */
export interface Admitted {
  readonly route: Route;
  readonly principal?: Principal;
}

export type Verdict = Admitted | Refusal;

export interface Refusal {
  readonly status: number;
  /** For people; names the violated rule and no secret. */
  readonly message: string;
  /** For programs, where the status alone does not tell what is wrong. */
  readonly code?: ErrorCode;
  readonly hint?: string;
  /** For 405. */
  readonly allow?: string;
}

/** Headers that must not be repeated: two parsers could use different ones. */
const SINGLE = [
  "host",
  "origin",
  "authorization",
  "content-type",
  "content-length",
  "content-encoding",
  "transfer-encoding",
  "expect",
  "service-worker",
  "upgrade",
  "sec-websocket-key",
  "sec-websocket-version",
  "sec-websocket-protocol",
  "sec-fetch-site",
  "sec-fetch-mode",
  "sec-fetch-dest",
] as const;

/** Headers that make some programs use another method or path than the request line. */
const OVERRIDES = [
  "x-http-method-override",
  "x-http-method",
  "x-method-override",
  "x-original-url",
  "x-rewrite-url",
] as const;

const VERSIONS = new Set(["1.0", "1.1"]);
/** A browser sends about twenty. */
const HEADER_LINES_MAX = 100;
const TARGET_CHARS_MAX = 2_048;
const TOKEN_PROTOCOL_PREFIX = "token.";

export function judge(head: RequestHead, options: GuardOptions): Verdict {
  const host = soleHost(head, options.hosts);
  if (host === undefined) return refuse(403, "This server answers only to its own address.");
  const twice = SINGLE.find((name) => (head.headers.get(name)?.length ?? 0) > 1);
  if (twice !== undefined) return refuse(400, `The header ${twice} is repeated.`);
  if (!VERSIONS.has(head.version)) return refuse(505, "Unsupported HTTP version. Use HTTP/1.1.");
  const expected = only(head, "expect");
  if (expected !== undefined && expected.toLowerCase() !== "100-continue")
    return refuse(417, "The only supported expectation is 100-continue.");
  const override = OVERRIDES.find((name) => head.headers.has(name));
  if (override !== undefined) return refuse(400, `The header ${override} is not allowed.`);
  if (head.lineCount > HEADER_LINES_MAX) return refuse(431, `The request has more than ${HEADER_LINES_MAX} headers.`);
  const verdict = findRoute(head, options.routes);
  if ("status" in verdict) return verdict;
  const { policy } = verdict.route;
  const stranger = judgeOrigin(head, [`${options.scheme ?? "http"}://${host}`, ...(options.origins ?? [])], policy);
  if (stranger !== undefined) return stranger;
  const admitted = judgeToken(head, verdict.route, options);
  if ("status" in admitted) return admitted;
  return judgeCarrier(head, policy) ?? judgeBody(head, policy) ?? admitted;
}

const malformed: Refusal = {
  status: 400,
  code: "bad_command",
  message: "The path has an id, number or hash of the wrong form.",
  hint: "Ids are given in full, as in GET /v1/sessions: 26 capital letters and digits.",
};

function soleHost(head: RequestHead, hosts: readonly string[]): string | undefined {
  const given = head.headers.get("host") ?? [];
  const [host] = given;
  return given.length === 1 && host !== undefined && hosts.includes(host) ? host : undefined;
}

function findRoute(head: RequestHead, routes: RouteTable): Verdict {
  const { method, target } = head;
  if (method === "GET" && isWorkerScript(only(head, WORKER_HEADER))) return { route: noWorker };
  if (!target.startsWith("/")) return refuse(400, "The request target must be a path.");
  if (target.length > TARGET_CHARS_MAX)
    return refuse(414, `The path with its query is longer than ${TARGET_CHARS_MAX} characters.`);
  const [path = ""] = target.split("?", 1);
  const candidates = routesAt(routes, path);
  if (candidates === undefined) return isMalformed(routes, path) ? malformed : refuse(404, "Not found.");
  // The router answers HEAD with the head of GET.
  const wanted = method === "HEAD" && !head.isUpgrade ? "GET" : method;
  const route = candidates.find((one) => one.method === wanted);
  if (route !== undefined) return { route };
  const allow = candidates.map((one) => (one.method === "GET" ? "GET, HEAD" : one.method)).join(", ");
  return { ...refuse(405, `Method not allowed. Use ${allow}.`), allow };
}

/**
 * Allows only our own origin. Another port of this machine is another origin: otherwise a vulnerable program there would
 * be a way in. Sandboxed frames send `null`.
 */
function judgeOrigin(head: RequestHead, origins: readonly string[], policy: Policy): Refusal | undefined {
  const origin = only(head, "origin");
  if (origin !== undefined && !origins.includes(origin)) return refuse(403, "This origin is not allowed.");
  const site = only(head, "sec-fetch-site");
  if (site === undefined || site === "same-origin" || site === "none") return undefined;
  // Top-level navigation only: a framed page is open to clickjacking.
  const isLink =
    only(head, "sec-fetch-mode") === "navigate" && (only(head, "sec-fetch-dest") ?? "document") === "document";
  return policy.isLandingPage && isLink ? undefined : refuse(403, "Cross-site requests are not allowed.");
}

function judgeToken(head: RequestHead, route: Route, options: GuardOptions): Verdict {
  const { principalOf, failures, isCompatPort = false } = options;
  const { access, carrier, scope = route.method === "GET" ? "read" : "use" } = route.policy;
  if (access === "public" || (access === "compat" && isCompatPort)) return { route };
  const given = bearerOf(head) ?? (carrier === "websocket" ? protocolTokenOf(head) : undefined);
  const principal = given === undefined ? undefined : principalOf(given);
  if (principal !== undefined) {
    const isDevice = principal.device !== undefined;
    if (isDevice && access !== "token") return refuse(403, "This path does not accept signed-in devices.");
    if (!principal.scopes.includes(scope)) return refuse(403, "This device may not do that.");
    return { route, principal };
  }
  // A request without a token is not a guess.
  const isLetOff = given === undefined || failures.note();
  return isLetOff ? refuse(401, "The token is missing or wrong.") : refuse(429, TOO_MANY_FAILURES);
}

function judgeCarrier(head: RequestHead, policy: Policy): Refusal | undefined {
  const isWebSocket = head.isUpgrade && only(head, "upgrade")?.toLowerCase() === "websocket";
  if (policy.carrier === "http")
    return head.isUpgrade ? refuse(400, "This path does not support upgrades.") : undefined;
  if (!isWebSocket) return refuse(426, "This path accepts only WebSocket connections.");
  const isWhole =
    only(head, "sec-websocket-version") === "13" && WEBSOCKET_KEY.test(only(head, "sec-websocket-key") ?? "");
  return isWhole ? undefined : refuse(400, "Invalid WebSocket handshake; version 13 is required.");
}

const WEBSOCKET_KEY = /^[+/\dA-Za-z]{22}==$/;
const JSON_TYPE = /^application\/json(?:\s*;\s*charset=(?:utf-8|"utf-8"))?$/i;
const BYTES_TYPE = /^application\/octet-stream$/i;

function judgeBody(head: RequestHead, policy: Policy): Refusal | undefined {
  const length = only(head, "content-length");
  const isChunked = head.headers.has("transfer-encoding");
  if (policy.bodyBytesMax === 0) {
    const isEmpty = !isChunked && (length === undefined || length === "0");
    return isEmpty ? undefined : refuse(400, "This path accepts no body.");
  }
  const [pattern, type] =
    policy.bodyType === "bytes" ? ([BYTES_TYPE, "octet-stream"] as const) : ([JSON_TYPE, "json"] as const);
  if (!pattern.test(only(head, "content-type") ?? "")) return refuse(415, `The body must be application/${type}.`);
  if (head.headers.has("content-encoding")) return refuse(415, "The body must not be encoded.");
  if (length === undefined && isPlainlyChunked(head)) return undefined;
  if (isChunked || length === undefined || !/^\d{1,15}$/.test(length))
    return refuse(411, "A valid Content-Length is required, or a body in chunks.");
  if (Number(length) > policy.bodyBytesMax) return refuse(413, `The body is longer than ${policy.bodyBytesMax} bytes.`);
  return undefined;
}

/** Many programs write a body without knowing its length; `readChunked` counts the bytes. */
function isPlainlyChunked(head: RequestHead): boolean {
  return head.version === "1.1" && only(head, "transfer-encoding") === "chunked";
}

function bearerOf(head: RequestHead): string | undefined {
  return /^Bearer ([\w-]+)$/i.exec(only(head, "authorization") ?? "")?.[1];
}

/** A browser cannot set headers on a WebSocket, only subprotocols. */
function protocolTokenOf(head: RequestHead): string | undefined {
  const tokens = (only(head, "sec-websocket-protocol") ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name.startsWith(TOKEN_PROTOCOL_PREFIX));
  return tokens.length === 1 ? tokens[0]?.slice(TOKEN_PROTOCOL_PREFIX.length) : undefined;
}

function only(head: RequestHead, name: string): string | undefined {
  return head.headers.get(name)?.[0];
}

function refuse(status: number, message: string): Refusal {
  return { status, message };
}

export interface RequestHead {
  readonly method: string;
  /** Undecoded, with its query. */
  readonly target: string;
  /** Such as "1.1". */
  readonly version: string;
  readonly isUpgrade: boolean;
  readonly lineCount: number;
  /** Lower-case names with all values in order. Node's own table hides a second Host header. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
}

export function readHead(request: IncomingMessage, { isUpgrade }: { isUpgrade: boolean }): RequestHead {
  const headers = new Map<string, string[]>();
  for (let at = 0; at + 1 < request.rawHeaders.length; at += 2) {
    const name = (request.rawHeaders[at] ?? "").toLowerCase();
    const value = request.rawHeaders[at + 1] ?? "";
    const values = headers.get(name);
    if (values === undefined) headers.set(name, [value]);
    else values.push(value);
  }
  return {
    method: request.method ?? "",
    target: request.url ?? "",
    version: request.httpVersion,
    isUpgrade,
    lineCount: request.rawHeaders.length / 2,
    headers,
  };
}
