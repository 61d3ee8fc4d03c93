/** Routes for signing in at a provider: start, return and completion. */
import * as z from "zod";
import {
  answer,
  DeviceName,
  DeviceKey,
  readBody,
  type PageFile,
  type Policy,
  type Principal,
} from "../../server/index.ts";
import type { Route, RouteContext } from "../../server/index.ts";
import { RETURN_PATH } from "../people/provider.ts";
import type { ProviderSignIn } from "../people/provider-sign-in.ts";

const BODY_BYTES_MAX = 8_192;
const signingIn: Policy = { access: "public", carrier: "http", bodyBytesMax: BODY_BYTES_MAX, isLandingPage: false };
const managing: Policy = { ...signingIn, access: "token", scope: "manage" };

const Begin = z.strictObject({ name: DeviceName, key: DeviceKey });
const Address = z.object({ url: z.string() });
const End = z.strictObject({ query: z.string().max(4_096), signature: z.string().max(256) });
const Ended = z.union([z.object({ device: z.string(), serverKey: DeviceKey }), z.object({ linked: z.literal(true) })]);

export interface ProviderRouteDeps {
  readonly provider: ProviderSignIn;
  /** The address that people type: the only one registered at the provider. */
  readonly origin: string;
  readonly landingPage: PageFile | undefined;
  /** A trusted proxy in front of the node reports the browser's address. */
  readonly isBehindProxy: boolean;
}

const TOO_MANY_OPEN = "Too many sign-ins were started and not finished. Try again in ten minutes.";

export function createProviderRoutes(deps: ProviderRouteDeps, { person }: Principal): Route[] {
  const { provider, origin, landingPage, isBehindProxy } = deps;
  const begin = async (c: RouteContext, linkTo?: string): Promise<Response> => {
    const { name, key } = await readBody(c.req, Begin);
    const url = await provider.begin({ name, key, origin, address: addressOf(c, isBehindProxy) }, linkTo);
    return url === undefined ? answer(429, { error: { message: TOO_MANY_OPEN } }) : answer(200, { url });
  };
  return [
    {
      method: "GET",
      path: RETURN_PATH,
      policy: { ...signingIn, bodyBytesMax: 0, isLandingPage: true },
      handle: (c) =>
        c.body(new Uint8Array(landingPage?.body ?? []), 200, {
          "content-type": landingPage?.contentType ?? "text/html",
        }),
    },
    {
      method: "POST",
      path: "/v1/sign-in/begin",
      policy: signingIn,
      api: { summary: "Begins a sign-in with the provider: returns the URL to open.", body: Begin, answer: Address },
      handle: (c) => begin(c),
    },
    {
      method: "POST",
      path: "/v1/sign-in/link",
      policy: managing,
      api: {
        summary: "Begins linking an account at the provider to you: returns the URL to open.",
        body: Begin,
        answer: Address,
      },
      handle: (c) => begin(c, person),
    },
    {
      method: "POST",
      path: "/v1/sign-in/end",
      policy: signingIn,
      api: {
        summary: "Completes a sign-in or a link. The browser that began it sends and signs what the provider returned.",
        body: End,
        answer: Ended,
      },
      async handle(c) {
        const { query, signature } = await readBody(c.req, End);
        const ended = await provider.end(query, signature, origin);
        if (ended === "linked") return answer(200, { linked: true });
        if (ended !== undefined) return answer(200, ended);
        return answer(401, {
          error: { message: "This sign-in has expired, was already used, or was started in another browser." },
        });
      },
    },
  ];
}

/** The last address was written by the proxy itself; earlier ones are claims of the browser. */
function addressOf(c: RouteContext, isBehindProxy: boolean): string {
  const named = isBehindProxy ? c.req.header("x-forwarded-for")?.split(",").at(-1)?.trim() : undefined;
  return networkOf((named || c.env.incoming.socket.remoteAddress) ?? "");
}

/** For IPv6 the first 64 bits: one host usually has the whole /64 network. */
export function networkOf(address: string): string {
  const plain = address
    .toLowerCase()
    .replace(/%.*$/, "")
    .replace(/^::ffff:(?=[\d.]+$)/, "");
  if (!plain.includes(":")) return plain;
  const [before = [], after = []] = plain.split("::").map((half) => half.split(":").filter((group) => group !== ""));
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => "0");
  const groups = [...before, ...zeros, ...after].slice(0, 4);
  return groups.map((group) => group.replace(/^0+(?=.)/, "")).join(":");
}
