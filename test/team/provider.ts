/** A real OpenID Connect provider over TLS, and a visitor who signs in there without a browser. */
import { generateKeyPairSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";
import type { Certificate } from "./team-program.ts";

export interface TestAccount {
  email?: string;
  email_verified?: boolean;
  preferred_username?: string;
  groups?: string[];
}

export interface TestProvider {
  readonly issuer: string;
  /** By subject; whoever types one as the login is signed in as it. */
  readonly accounts: Record<string, TestAccount>;
  close(): Promise<void>;
}

export const CLIENT = { id: "roundtable", secret: "a secret of at least thirty-two characters" };

export async function startProvider(certificate: Certificate, redirectUri: string): Promise<TestProvider> {
  const accounts: Record<string, TestAccount> = {};
  let handle: ReturnType<Provider["callback"]> = () => {};
  const tls = { cert: readFileSync(certificate.cert), key: readFileSync(certificate.key) };
  const server = createServer(tls, (request, response) => handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `https://localhost:${(server.address() as AddressInfo).port}`;
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: "client_secret_post",
      },
    ],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["preferred_username", "groups"] },
    findAccount: (_: unknown, sub: string) => ({ accountId: sub, claims: () => ({ sub, ...accounts[sub] }) }),
    jwks: { keys: [privateKey.export({ format: "jwk" })] },
    cookies: { keys: ["a key for the cookies of this run"] },
    ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
    pkce: { required: () => true },
  });
  handle = provider.callback();
  return {
    issuer,
    accounts,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The address that the provider sends the browser back to; undefined when it refuses. */
export async function visit(address: string, subject: string): Promise<URL | undefined> {
  const { origin } = new URL(address);
  const cookies = new Map<string, string>();
  let next: URL | undefined = new URL(address);
  let form: URLSearchParams | undefined;
  while (next !== undefined && next.origin === origin) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer: Response = await fetch(next, {
      headers: { cookie },
      redirect: "manual",
      ...(form === undefined ? {} : { method: "POST", body: form }),
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const page = await answer.text();
    const target = answer.headers.get("location");
    const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1];
    form = prompt === undefined ? undefined : new URLSearchParams({ prompt, login: subject, password: "any" });
    if (target !== null) next = new URL(target, next);
    else if (form === undefined) return undefined;
  }
  return next;
}
