/**
 * The key pair that stands for this browser at this address, and the key by which its server is known. The private key
 * cannot be read by any script; the browser keeps it in IndexedDB, per origin.
 */

export interface DeviceRecord {
  readonly device: string;
  readonly keys: CryptoKeyPair;
  readonly serverKey: CryptoKey;
}

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256" } as const;
const SIGNATURE = { name: "ECDSA", hash: "SHA-256" } as const;

const DATABASE = "roundtable";
const STORE = "sign-in";
const RECORD = "device";
const VISIT = "visit";

export async function newKeys(): Promise<CryptoKeyPair> {
  return await crypto.subtle.generateKey(ALGORITHM, false, ["sign", "verify"]);
}

export async function publicKeyOf({ publicKey }: CryptoKeyPair): Promise<JsonWebKey> {
  const { kty, crv, x, y } = await crypto.subtle.exportKey("jwk", publicKey);
  return { kty, crv, x, y } as JsonWebKey;
}

export async function importServerKey(key: JsonWebKey): Promise<CryptoKey> {
  return await crypto.subtle.importKey("jwk", key, ALGORITHM, false, ["verify"]);
}

export async function sign({ privateKey }: CryptoKeyPair, message: Uint8Array<ArrayBuffer>): Promise<string> {
  return encode(new Uint8Array(await crypto.subtle.sign(SIGNATURE, privateKey, message)));
}

export async function isSignedBy(
  key: CryptoKey,
  message: Uint8Array<ArrayBuffer>,
  signature: string,
): Promise<boolean> {
  try {
    return await crypto.subtle.verify(SIGNATURE, key, decode(signature), message);
  } catch {
    // Not base64url.
    return false;
  }
}

const NONCE_BYTES = 32;

export function newNonce(): string {
  return encode(crypto.getRandomValues(new Uint8Array(NONCE_BYTES)));
}

function encode(bytes: Uint8Array): string {
  return btoa(String.fromCodePoint(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

function decode(text: string): Uint8Array<ArrayBuffer> {
  const letters = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(letters, (letter) => letter.codePointAt(0) ?? 0);
}

/** Where IndexedDB is off, a sign-in lasts as long as the tab. */
let inMemory: DeviceRecord | undefined;

export async function readDevice(): Promise<DeviceRecord | undefined> {
  try {
    return await inStore("readonly", (store) => store.get(RECORD) as IDBRequest<DeviceRecord | undefined>);
  } catch {
    // No IndexedDB here.
    return inMemory;
  }
}

export async function storeDevice(record: DeviceRecord): Promise<void> {
  inMemory = record;
  // Without IndexedDB the copy in memory serves.
  await inStore("readwrite", (store) => store.put(record, RECORD)).catch(() => {});
}

export async function forgetDevice(): Promise<void> {
  inMemory = undefined;
  await inStore("readwrite", (store) => store.delete(RECORD)).catch(() => {});
}

/** Keys of a browser that is away at the provider; without IndexedDB nothing outlasts that. */
export async function storeVisit(keys: CryptoKeyPair): Promise<void> {
  await inStore("readwrite", (store) => store.put(keys, VISIT));
}

export async function redeemVisit(): Promise<CryptoKeyPair | undefined> {
  const keys = await inStore("readonly", (store) => store.get(VISIT) as IDBRequest<CryptoKeyPair | undefined>);
  await inStore("readwrite", (store) => store.delete(VISIT));
  return keys;
}

async function inStore<T>(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const opening = indexedDB.open(DATABASE, 1);
  opening.addEventListener("upgradeneeded", () => void opening.result.createObjectStore(STORE));
  const database = await settled(opening);
  try {
    return await settled(act(database.transaction(STORE, mode).objectStore(STORE)));
  } finally {
    database.close();
  }
}

function settled<T>(request: IDBRequest<T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  request.addEventListener("success", () => resolve(request.result));
  request.addEventListener("error", () => reject(request.error ?? new Error("IndexedDB failed")));
  return promise;
}
