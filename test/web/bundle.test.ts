/** What the page is made of. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { bundleWeb } from "../../tooling/bundle-web.ts";

test("[W9] the page is four files without anything from elsewhere, and its script is small", async () => {
  const files = await bundleWeb({ minify: true });
  expect(files.map((file) => file.name).sort()).toEqual(["app.css", "app.js", "icon.svg", "index.html"]);
  const script = files.find((file) => file.name === "app.js")?.text ?? "";
  expect(gzipSync(script).length).toBeLessThan(250 * 1024);
  expect(script).not.toMatch(/["'`]node:|\bimport\s*\(/);
  const html = files.find((file) => file.name === "index.html")?.text ?? "";
  expect([...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, url]) => url)).toEqual([
    "/icon.svg",
    "/app.css",
    "/app.js",
  ]);
});

test("[W10] no source of the page can turn text into markup or code, or lean on Node", () => {
  const forbidden =
    /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc|\bprocess\.|\bBuffer\b|["']node:|localStorage|document\.cookie/;
  const sources = readdirSync("src/web").filter((name) => name.endsWith(".ts"));
  expect(sources.length).toBeGreaterThan(5);
  expect(sources.filter((name) => forbidden.test(readFileSync(join("src/web", name), "utf8")))).toEqual([]);
});
