/** What the page is made of. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { bundleWeb } from "../../tooling/bundle-web.ts";

test("the page is four files and the highlighter, without anything from elsewhere, and without the highlighter it is small", async () => {
  const files = await bundleWeb({ minify: true });
  const text = (name: string) => files.find((file) => file.name === name)?.text ?? "";
  expect(files.map((file) => file.name).sort()).toEqual([
    "app.css",
    "app.js",
    "highlighter.js",
    "icon.svg",
    "index.html",
  ]);
  const pageFiles = ["index.html", "icon.svg", "app.css", "app.js"];
  expect(pageFiles.reduce((sum, name) => sum + gzipSync(text(name)).length, 0)).toBeLessThan(250 * 1024);
  expect(/["'`]node:|\bimport\s*\(/.test(text("app.js"))).toBe(false);
  expect(/url\(|@import/.test(text("app.css"))).toBe(false);
  expect([...text("index.html").matchAll(/(?:src|href)="([^"]*)"/g)].map(([, url]) => url)).toEqual([
    "/icon.svg",
    "/app.css",
    "/app.js",
  ]);
});

test("no source of the page can turn text into markup or code, or lean on Node", () => {
  const forbidden =
    /innerHTML|InnerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc|\bprocess\.|\bBuffer\b|["']node:|document\.cookie/;
  const sources = readdirSync("src/web", { recursive: true })
    .map(String)
    .filter((name) => /\.tsx?$/.test(name) && !name.endsWith(".test.ts"));
  const using = (what: RegExp) => sources.filter((name) => what.test(readFileSync(join("src/web", name), "utf8")));
  expect(sources.length).toBeGreaterThan(50);
  expect(using(forbidden)).toEqual([]);
  // The token is held in memory. What lasts is a key that no script can read, and what one file keeps of the screen.
  expect(using(/localStorage/)).toEqual([join("store", "local-storage.ts")]);
  expect(using(/indexedDB/)).toEqual([join("sign-in", "device-key.ts")]);
  expect(using(/sessionStorage/)).toEqual(["main.tsx"]);
});
