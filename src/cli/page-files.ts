/** Files of the page: from `dist/web` beside the packed program, or built on the fly in a checkout. */
import { readdirSync, readFileSync } from "node:fs";
import { extname } from "node:path";
import type { PageFile } from "../server/index.ts";

/** A file of another kind is not part of the page. */
const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
};

interface NamedFile {
  readonly name: string;
  readonly body: Buffer;
}

export async function readPageFiles(): Promise<PageFile[]> {
  const isCheckout = import.meta.url.endsWith("/src/cli/page-files.ts");
  const files = isCheckout ? await packNow() : readPacked();
  return files.map(({ name, body }) => {
    const contentType = TYPES[extname(name)];
    if (contentType === undefined) throw new Error(`the page has a file of an unknown type: ${name}`);
    return { path: name === "index.html" ? "/" : `/${name}`, contentType, body };
  });
}

function readPacked(): NamedFile[] {
  const directory = new URL("web/", import.meta.url);
  return readdirSync(directory).map((name) => ({ name, body: readFileSync(new URL(name, directory)) }));
}

interface Packer {
  pageOfCheckout: () => Promise<{ name: string; text: string; encoding: "utf8" | "base64" }[]>;
}

/** The bundler is a tool of the checkout: the computed name keeps it out of the packed program. */
async function packNow(): Promise<NamedFile[]> {
  const tool = new URL("../../tooling/page-of-checkout.ts", import.meta.url).href;
  const { pageOfCheckout } = (await import(tool)) as Packer;
  return (await pageOfCheckout()).map(({ name, text, encoding }) => ({ name, body: Buffer.from(text, encoding) }));
}
