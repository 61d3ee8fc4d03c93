/** Routes by which browsers sign in as devices, and by which devices are listed and revoked. */
import * as z from "zod";
import { answer, readBody } from "../http/answer.ts";
import type { Policy, Route, RouteContext } from "../http/policy.ts";
import { DeviceName } from "../sign-in/device-store.ts";
import { DeviceKey } from "../sign-in/keys.ts";
import type { Principal } from "../sign-in/principal.ts";
import { type FailedAttempts, TOO_MANY_FAILURES } from "../sign-in/secrets.ts";
import type { SignIn } from "../sign-in/sign-in.ts";
import { pathParam, readPolicy } from "./policies.ts";

export interface DeviceRouteDeps {
  readonly signIn: SignIn;
  readonly failures: FailedAttempts;
  /** Who asks. */
  readonly principal: Principal;
  readonly scheme: "http" | "https";
}

export const DeviceScope = z.enum(["read", "use", "manage"]);

const BODY_BYTES_MAX = 2_048;
const signingIn: Policy = { access: "public", carrier: "http", bodyBytesMax: BODY_BYTES_MAX, isLandingPage: false };
const managing: Policy = { ...readPolicy, scope: "manage" };

const Id = z.string().max(64);
const Nonce = z.string().regex(/^[\w-]{22,128}$/, "must be 22 to 128 base64url characters");
const Registration = z.strictObject({ code: z.string().max(128), name: DeviceName, key: DeviceKey });
const Registered = z.object({ device: z.string(), serverKey: DeviceKey });
const Hello = z.strictObject({ device: Id, nonce: Nonce });
const Challenge = z.object({ nonce: z.string(), proof: z.string() });
const Answer = z.strictObject({ device: Id, nonce: Nonce, signature: z.string().max(256) });
const Token = z.object({ token: z.string(), lifeMs: z.number() });
const ListedDevice = z.object({
  id: z.string(),
  name: z.string(),
  origin: z.string(),
  createdTs: z.number(),
  usedTs: z.number(),
  scope: DeviceScope.default("manage"),
  expiresTs: z.number().optional(),
});
const Offer = z.object({
  isTeam: z.boolean(),
  provider: z.string().optional().meta({ description: "Name of the provider at which people sign in." }),
  url: z.string().optional().meta({ description: "Where other machines reach this server." }),
});
const Revoked = z.object({ revoked: z.literal(true) });

export function createDeviceRoutes(deps: DeviceRouteDeps): Route[] {
  return [...signInRoutes(deps), ...managementRoutes(deps)];
}

function signInRoutes({ signIn, failures, scheme }: DeviceRouteDeps): Route[] {
  // The guard admits only the names of this server.
  const originOf = (c: RouteContext): string => `${scheme}://${c.req.header("host") ?? ""}`;
  const refuse = (message: string): Response =>
    failures.note() ? answer(401, { error: { message } }) : answer(429, { error: { message: TOO_MANY_FAILURES } });
  return [
    {
      method: "GET",
      path: "/v1/sign-in",
      policy: { ...signingIn, bodyBytesMax: 0 },
      api: { summary: "How people sign in here.", answer: Offer },
      handle: () => answer(200, Offer.parse(signIn.offer)),
    },
    {
      method: "POST",
      path: "/v1/devices",
      policy: signingIn,
      api: {
        summary: "Registers a device by its public key (ECDSA, P-256) and a one-time code.",
        body: Registration,
        answer: Registered,
      },
      async handle(c) {
        const { code, name, key } = await readBody(c.req, Registration);
        const registered = await signIn.register({ code, name, key, origin: originOf(c) });
        if (registered === undefined) return refuse("The code is invalid, expired or already used.");
        return answer(200, registered);
      },
    },
    {
      method: "POST",
      path: "/v1/devices/challenge",
      policy: signingIn,
      api: {
        summary: "Begins the sign-in of a device: the server proves that it knows the device and sends a challenge.",
        body: Hello,
        answer: Challenge,
      },
      async handle(c) {
        const { device, nonce } = await readBody(c.req, Hello);
        const challenge = await signIn.challenge(device, originOf(c), nonce);
        return challenge === undefined ? refuse("This device is not signed in here.") : answer(200, challenge);
      },
    },
    {
      method: "POST",
      path: "/v1/devices/token",
      policy: signingIn,
      api: {
        summary: "Ends the sign-in of a device: exchanges the signed challenge for a token that lasts minutes.",
        body: Answer,
        answer: Token,
      },
      async handle(c) {
        const { device, nonce, signature } = await readBody(c.req, Answer);
        const token = await signIn.redeem(device, originOf(c), nonce, signature);
        return token === undefined ? refuse("The signature does not answer the challenge.") : answer(200, token);
      },
    },
  ];
}

function managementRoutes({ signIn, principal }: DeviceRouteDeps): Route[] {
  return [
    {
      method: "GET",
      path: "/v1/devices",
      policy: managing,
      api: { summary: "Devices that are signed in.", answer: z.array(ListedDevice) },
      handle: async () => answer(200, z.array(ListedDevice).parse(await signIn.list(principal))),
    },
    {
      method: "DELETE",
      path: "/v1/devices/:id",
      policy: managing,
      api: { summary: "Revokes a device: its tokens and connections end at once.", answer: Revoked },
      async handle(c) {
        const isKnown = await signIn.revoke(principal, pathParam(c, "id"));
        return isKnown ? answer(200, { revoked: true }) : answer(404, { error: { message: "No such device." } });
      },
    },
  ];
}
