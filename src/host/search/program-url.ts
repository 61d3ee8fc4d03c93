/** Where the program of the thread lies: beside this file in a checkout, beside the packed program otherwise. */
export function programUrl(): URL {
  const isCheckout = import.meta.url.endsWith("/search/program-url.ts");
  return new URL(isCheckout ? "program.ts" : "search-index.js", import.meta.url);
}
