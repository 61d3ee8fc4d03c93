/**
 * HTTP proxy from the environment (HTTPS_PROXY, HTTP_PROXY, NO_PROXY), for model servers and MCP servers.
 * Loopback addresses never go through a proxy, whatever NO_PROXY says.
 */
type Environment = Readonly<Record<string, string | undefined>>;

const OF_THIS_MACHINE = ["localhost", "127.0.0.1", "[::1]", "::1"];

interface Proxies {
  readonly http_proxy?: string;
  readonly https_proxy?: string;
  readonly no_proxy: string;
}

/** Global state: Node offers no per-request proxy without a library. */
let inUse: { readonly key: string; readonly restore: () => void } = { key: "", restore: () => undefined };

/** Returns why the proxy cannot be used, or undefined. Cheap when nothing has changed. */
export function useProxy(env: Environment): string | undefined {
  const proxies = proxiesOf(env);
  const key = proxies === undefined ? "" : JSON.stringify(proxies);
  if (key === inUse.key) return undefined;
  inUse.restore();
  inUse = { key: "", restore: () => undefined };
  if (proxies === undefined) return undefined;
  // Loaded on demand: a static import would slow down every start.
  const { setGlobalProxyFromEnv } = process.getBuiltinModule("node:http");
  if (setGlobalProxyFromEnv === undefined) return "this Node is too old to use the proxy that the environment names";
  try {
    inUse = { key, restore: setGlobalProxyFromEnv({ ...proxies }) };
    return undefined;
  } catch {
    // The original message is dropped: it may contain a password.
    return "the proxy that HTTP_PROXY or HTTPS_PROXY names is not an address";
  }
}

/** Undefined when no proxy applies. */
export function proxiesOf(env: Environment): Proxies | undefined {
  const named = (name: string) => (env[name] ?? env[name.toUpperCase()] ?? "").trim();
  const [http, https] = [named("http_proxy"), named("https_proxy")];
  const without = named("no_proxy")
    .split(/[\s,]+/)
    .filter((one) => one !== "");
  if ((http === "" && https === "") || without.includes("*")) return undefined;
  return {
    ...(http === "" ? {} : { http_proxy: http }),
    ...(https === "" ? {} : { https_proxy: https }),
    no_proxy: [...without, ...OF_THIS_MACHINE].join(","),
  };
}
