/** Files of the page: from `dist/web` beside the packed program, or built on the fly in a checkout. */
import { readFileSync } from "node:fs";
import type { PageFile } from "../server/index.ts";

const TYPES = {
  "index.html": "text/html; charset=utf-8",
  "app.js": "text/javascript; charset=utf-8",
  "app.css": "text/css; charset=utf-8",
  "highlighter.js": "text/javascript; charset=utf-8",
  "icon.svg": "image/svg+xml",
} as const;

type FileName = keyof typeof TYPES;
const NAMES = Object.keys(TYPES) as FileName[];

export async function readPageFiles(): Promise<PageFile[]> {
  const isCheckout = import.meta.url.endsWith("/src/cli/page-files.ts");
  const read = isCheckout ? await packNow() : readPacked;
  return NAMES.map((name) => ({
    path: name === "index.html" ? "/" : `/${name}`,
    contentType: TYPES[name],
    body: Buffer.from(read(name)),
  }));
}

function readPacked(name: FileName): string {
  return readFileSync(new URL(`web/${name}`, import.meta.url), "utf8");
}

interface Packer {
  pageOfCheckout: () => Promise<{ name: string; text: string }[]>;
}

/** The bundler is a tool of the checkout: the computed name keeps it out of the packed program. */
async function packNow(): Promise<(name: FileName) => string> {
  const tool = new URL("../../tooling/page-of-checkout.ts", import.meta.url).href;
  const { pageOfCheckout } = (await import(tool)) as Packer;
  const files = await pageOfCheckout();
  return (name) => {
    const file = files.find((one) => one.name === name);
    if (file === undefined) throw new Error(`the page has no file ${name}`);
    return file.text;
  };
}
