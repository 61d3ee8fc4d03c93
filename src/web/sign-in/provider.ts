/**
 * Sign-in at the provider of a team. The browser makes its key before it leaves and signs what it comes back with, so that
 * nobody can end a sign-in that another browser has begun.
 */
import { importServerKey, newKeys, publicKeyOf, sign, storeDevice, storeVisit, redeemVisit } from "./device-key.ts";
import { currentToken, deviceName, dropToken, post, SignedOutError } from "./sign-in.ts";

const RETURN_PATH = "/sign-in";
const STALE = "This sign-in has expired or was started in another browser. Try again.";

/** Goes to the provider: to sign this browser in, or to link an account there to the signed-in person. */
export async function visitProvider(purpose: "begin" | "link"): Promise<void> {
  const keys = await newKeys();
  const body = { name: deviceName(), key: await publicKeyOf(keys) };
  const answer = await post(`/v1/sign-in/${purpose}`, body, purpose === "link" ? await currentToken() : undefined);
  if (!answer.ok) throw new SignedOutError(STALE);
  const { url } = (await answer.json()) as { url: string };
  await storeVisit(keys);
  location.assign(url);
}

/** Query that the provider added to the address; the address is cleaned. */
export function extractReturn(): string | undefined {
  if (location.pathname !== RETURN_PATH) return undefined;
  const query = location.search.slice(1);
  history.replaceState(null, "", "/");
  return query;
}

/** Rejects with `SignedOutError` that says why the provider's answer does not sign this browser in. */
export async function endVisit(query: string): Promise<void> {
  const keys = await redeemVisit();
  if (keys === undefined) throw new SignedOutError(STALE);
  const message = new TextEncoder().encode(JSON.stringify(["roundtable provider 1", location.origin, query]));
  const answer = await post("/v1/sign-in/end", { query, signature: await sign(keys, message) }).catch(
    (error: unknown) => {
      throw new SignedOutError(error instanceof Error ? error.message : String(error));
    },
  );
  if (answer.status === 401) throw new SignedOutError(STALE);
  const ended = (await answer.json()) as { device: string; serverKey: JsonWebKey } | { linked: true };
  if ("linked" in ended) return;
  await storeDevice({ device: ended.device, keys, serverKey: await importServerKey(ended.serverKey) });
  dropToken();
}
