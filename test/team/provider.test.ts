/** Sign-in at an OpenID Connect provider: in a browser, and everything that must not sign anybody in. */
import { sign, generateKeyPairSync, type KeyObject } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { visitMessage } from "../../src/team/people/provider-sign-in.ts";
import { openServerDevice, type ServerDevice } from "../../src/team/index.ts";
import { openBrowser } from "../web/browser.ts";
import { createDatabase, hasPostgres } from "./database.ts";
import { administer } from "./postgres-cluster.ts";
import { CLIENT, startProvider, visit, type TestProvider } from "./provider.ts";
import { clockOff, createCertificate, freePort, startNodeProgram, type Program } from "./team-program.ts";

const newMachine = () => ({ dataDir: mkdtempSync(path.join(tmpdir(), "dev-")), name: "test" });
const dsa = { dsaEncoding: "ieee-p1363" } as const;

describe.runIf(hasPostgres)("a team with a provider", () => {
  let provider: TestProvider;
  let node: Program;
  let url: string;
  let database: string;
  let admin: ServerDevice;
  let browser: Browser;

  beforeAll(async () => {
    const certificate = createCertificate();
    const port = await freePort();
    url = `https://localhost:${port}`;
    database = await createDatabase();
    provider = await startProvider(certificate, `${url}/sign-in`);
    const allow = ["--oidc-allow", "example.org", "groups=builders", "--oidc-name", "Example"];
    const args = ["--oidc-issuer", provider.issuer, "--oidc-client", CLIENT.id, ...allow];
    // Its own clock is off; what counts is that of the database.
    const env = { NODE_EXTRA_CA_CERTS: certificate.cert, ROUNDTABLE_OIDC_SECRET: CLIENT.secret, ...clockOff(3) };
    node = await startNodeProgram({ database, certificate, url, port, args, env });
    const first = await node.prints(/https:\/\/localhost:\d+\/#code=[\w-]+/);
    admin = await openServerDevice(first, newMachine());
    browser = await openBrowser();
  });

  afterAll(async () => {
    await browser.close();
    await node.stop();
    await provider.close();
  });

  const post = (at: string, body: unknown, token?: string): Promise<Response> =>
    fetch(`${url}${at}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(body),
    });

  interface Begun {
    readonly address: URL;
    readonly privateKey: KeyObject;
  }

  const begin = async (token?: string): Promise<Begun> => {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const at = token === undefined ? "/v1/sign-in/begin" : "/v1/sign-in/link";
    const answer = await post(at, { name: "test", key: publicKey.export({ format: "jwk" }) }, token);
    return { address: new URL(((await answer.json()) as { url: string }).url), privateKey };
  };

  /** Status, and what is said when it is refused. */
  const end = async (query: string, privateKey: KeyObject): Promise<[number, string]> => {
    const signature = sign("sha256", visitMessage(url, query), { key: privateKey, ...dsa }).toString("base64url");
    const answer = await post("/v1/sign-in/end", { query, signature });
    const { error } = (await answer.json()) as { error?: { message: string } };
    return [answer.status, error?.message ?? ""];
  };

  const cameBack = async (address: URL, subject: string): Promise<string> =>
    (await visit(address.href, subject))?.search.slice(1) ?? "refused";

  const signIn = async (subject: string): Promise<[number, string]> => {
    const { address, privateKey } = await begin();
    return await end(await cameBack(address, subject), privateKey);
  };

  const people = async () =>
    (await admin.ask<{ people: { name: string }[] }>("/v1/team")).people.map(({ name }) => name).sort();

  const signInAt = async (page: Page, subject: string): Promise<void> => {
    await page.getByPlaceholder("Enter any login").fill(subject);
    await page.getByPlaceholder("and password").fill("any");
    await page.getByRole("button", { name: "Sign-in" }).click();
    await page.getByRole("button", { name: "Continue" }).click();
  };

  test("a browser signs in at the provider, is a device of a new person, and stays signed in", async () => {
    provider.accounts["ada-1"] = { email: "ada@example.org", email_verified: true };
    const context = await browser.newContext({ ignoreHTTPSErrors: true });
    const page = await context.newPage();
    await page.goto(url);
    await page.getByText("You're signed out. Open a link from your team").waitFor();
    await page.getByRole("button", { name: "Sign in with Example" }).click();
    await signInAt(page, "ada-1");
    await page.getByRole("navigation").first().waitFor();
    expect(page.url()).not.toContain("code=");
    expect(await people()).toContain("ada");
    expect((await context.cookies(url)).filter(({ domain }) => domain.includes(new URL(url).host))).toEqual([]);
    await page.reload();
    await page.getByRole("navigation").first().waitFor();
    await context.close();
  });

  test("the account is the identity: another address is the same person, the same address is not", async () => {
    provider.accounts["cy-1"] = { email: "cy@example.org", email_verified: true };
    expect(await signIn("cy-1")).toEqual([200, ""]);
    const before = await people();
    provider.accounts["cy-1"] = { email: "cyril@elsewhere.example", email_verified: false };
    expect(await signIn("cy-1")).toEqual([200, ""]);
    expect(await people()).toEqual(before);
    provider.accounts["cy-2"] = { email: "cy@example.org", email_verified: true };
    expect(await signIn("cy-2")).toEqual([409, "There is already a person called cy."]);
    expect(await people()).toEqual(before);
  });

  test("whoever is not of the team is not let in: another domain, an unverified address, no address", async () => {
    const before = await people();
    const strangers: Record<string, object> = {
      "eve-1": { email: "eve@elsewhere.example", email_verified: true },
      "eve-2": { email: "eve@example.org", email_verified: false },
      "eve-3": { email: "eve@example.org" },
      "eve-4": { preferred_username: "eve" },
      "eve-5": { email: "eve@example.org.evil.example", email_verified: true, groups: ["builder"] },
    };
    Object.assign(provider.accounts, strangers);
    for (const subject of Object.keys(strangers)) {
      expect([subject, ...(await signIn(subject))]).toEqual([
        subject,
        422,
        "Your account at Example is not part of this team.",
      ]);
    }
    expect(await people()).toEqual(before);
    provider.accounts["finn-1"] = { preferred_username: "finn", groups: ["builders"] };
    expect(await signIn("finn-1")).toEqual([200, ""]);
    expect(await people()).toContain("finn");
  });

  test("a name that would pass for another one is not taken over from the account, when another claim gives one", async () => {
    const email = { email_verified: true, email: "kim@example.org" };
    provider.accounts["kim-1"] = { ...email, preferred_username: "k\u0456m" };
    expect(await signIn("kim-1")).toEqual([200, ""]);
    expect(await people()).toContain("kim");
    provider.accounts["kim-2"] = { preferred_username: "ＫＩＭ", groups: ["builders"] };
    expect(await signIn("kim-2")).toEqual([409, "There is already a person called KIM."]);
    provider.accounts["kim-3"] = { preferred_username: "k\u0456m", groups: ["builders"] };
    expect(await signIn("kim-3")).toEqual([422, "Your account at Example is not part of this team."]);
    expect((await people()).filter((name) => /^k.m$/i.test(name))).toEqual(["kim"]);
  });

  test("no visit ends twice, late, with another state, or in another browser", async () => {
    const stale = [401, "This sign-in has expired, was already used, or was started in another browser."];
    provider.accounts["gil-1"] = { email: "gil@example.org", email_verified: true };
    const first = await begin();
    const query = await cameBack(first.address, "gil-1");
    const other = await begin();
    expect(await end(query, other.privateKey)).toEqual(stale);
    // The attempt has used it up.
    expect(await end(query, first.privateKey)).toEqual(stale);
    const changed = await begin();
    const returned = await cameBack(changed.address, "gil-1");
    expect(await end(returned.replace(/state=[\w-]+/, `state=${"A".repeat(43)}`), changed.privateKey)).toEqual(stale);
    expect(await end(returned.replace(/&?state=[\w-]+/, ""), changed.privateKey)).toEqual(stale);
    const late = await begin();
    const lateQuery = await cameBack(late.address, "gil-1");
    await administer(database, "update roundtable.visit set expires = now() - interval '1 second'");
    expect(await end(lateQuery, late.privateKey)).toEqual(stale);
    const good = await begin();
    const goodQuery = await cameBack(good.address, "gil-1");
    expect(await end(goodQuery, good.privateKey)).toEqual([200, ""]);
    expect(await end(goodQuery, good.privateKey)).toEqual(stale);
  });

  test("codes of another visit, other issuers and other nonces are refused", async () => {
    provider.accounts["hal-1"] = { email: "hal@example.org", email_verified: true };
    const before = await people();
    const refused = async (query: string, { privateKey }: Begun, why: RegExp) =>
      expect(await end(query, privateKey)).toEqual([422, expect.stringMatching(why)]);
    const [mine, theirs] = [await begin(), await begin()];
    const stolen = new URLSearchParams(await cameBack(theirs.address, "hal-1")).get("code") ?? "";
    const own = await cameBack(mine.address, "hal-1");
    await refused(own.replace(/code=[\w-]+/, `code=${stolen}`), mine, /^Example did not confirm the sign-in: /);
    const mixed = await begin();
    const mixedQuery = new URLSearchParams(await cameBack(mixed.address, "hal-1"));
    mixedQuery.set("iss", "https://evil.example");
    await refused(mixedQuery.toString(), mixed, /"iss" \(issuer\)/);
    const silent = await begin();
    const silentQuery = new URLSearchParams(await cameBack(silent.address, "hal-1"));
    silentQuery.delete("iss");
    await refused(silentQuery.toString(), silent, /"iss" \(issuer\) missing/);
    const nonce = await begin();
    nonce.address.searchParams.set("nonce", "another");
    await refused(await cameBack(nonce.address, "hal-1"), nonce, /"nonce"/);
    const plain = await begin();
    plain.address.searchParams.set("code_challenge", "A".repeat(43));
    await refused(await cameBack(plain.address, "hal-1"), plain, /^Example did not confirm the sign-in: /);
    const denied = await begin();
    const state = denied.address.searchParams.get("state") ?? "";
    const iss = encodeURIComponent(provider.issuer);
    await refused(`error=access_denied&state=${state}&iss=${iss}`, denied, /^Example did not confirm/);
    expect(await people()).toEqual(before);
  });

  test("a flood of sign-ins from one address is refused, and those that have begun can end", async () => {
    provider.accounts["ida-0"] = { email: "iris@example.org", email_verified: true };
    const first = await begin();
    const key = generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({ format: "jwk" });
    const flood = await Promise.all(
      Array.from({ length: 110 }, async () => (await post("/v1/sign-in/begin", { name: "flood", key })).status),
    );
    expect(flood).toContain(200);
    const refused = await post("/v1/sign-in/begin", { name: "flood", key });
    expect([refused.status, await refused.json()]).toEqual([
      429,
      { error: { message: "Too many sign-ins were started and not finished. Try again in ten minutes." } },
    ]);
    // Whoever is signed in is counted by themselves.
    expect((await post("/v1/sign-in/link", { name: "link", key }, await admin.token())).status).toBe(200);
    expect(await end(await cameBack(first.address, "ida-0"), first.privateKey)).toEqual([200, ""]);
    await administer(database, "update roundtable.visit set expires = now() - interval '1 second'");
    expect((await post("/v1/sign-in/begin", { name: "later", key })).status).toBe(200);
  });

  test("the provider sends nobody to another address", async () => {
    const { address } = await begin();
    address.searchParams.set("redirect_uri", "https://evil.example/sign-in");
    expect(await visit(address.href, "ada-1")).toBeUndefined();
  });

  test("whoever was removed is not let in again, until an administrator invites them and they link the account", async () => {
    provider.accounts["ida-1"] = { email: "ida@example.org", email_verified: true };
    expect(await signIn("ida-1")).toEqual([200, ""]);
    await admin.ask("/v1/team/removals", { name: "ida" });
    expect(await signIn("ida-1")).toEqual([422, "You were removed from this team."]);
    expect(await people()).not.toContain("ida");
    const { code } = await admin.ask<{ code: string }>("/v1/team/invitations", { name: "ida" });
    const invited = await openServerDevice(`${url}/#code=${code}`, newMachine());
    const linking = await begin(await invited.token());
    expect(await end(await cameBack(linking.address, "ida-1"), linking.privateKey)).toEqual([200, ""]);
    expect(await signIn("ida-1")).toEqual([200, ""]);
    // Somebody else's account is not taken over.
    const taking = await begin(await admin.token());
    expect(await end(await cameBack(taking.address, "ida-1"), taking.privateKey)).toEqual([
      409,
      "This account belongs to somebody else in the team.",
    ]);
  });
});
