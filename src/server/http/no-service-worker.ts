/**
 * Removes a service worker that another server left at our address. The page has none, but a program that had our port
 * while the server was down could have registered one, and it would answer for us from then on. A browser asks for its
 * script again by this header, under a path that only the other server knows.
 */
import type { Route } from "./policy.ts";

export const WORKER_HEADER = "service-worker";

const SCRIPT = `self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => {
  const leave = async () => {
    await self.registration.unregister();
    for (const client of await self.clients.matchAll({ type: "window" })) await client.navigate(client.url);
  };
  event.waitUntil(leave());
});
`;

export function isWorkerScript(header: string | undefined): boolean {
  return header === "script";
}

/** Matches every path. */
export const noWorker: Route = {
  method: "GET",
  path: "*",
  policy: { access: "public", carrier: "http", bodyBytesMax: 0, isLandingPage: false },
  handle: () => new Response(SCRIPT, { headers: { "content-type": "text/javascript; charset=utf-8" } }),
};
