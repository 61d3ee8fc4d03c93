/**
 * The page of another system, served from the compat port. Its files are read once, at the start: what a request asks for
 * is then only looked up, so no path can lead out of the directory, and neither can a link that is put there later.
 */
import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { extname, isAbsolute, join, relative, sep } from "node:path";
import { RoundtableError } from "../../protocol/index.ts";
import type { Policy, Route } from "../http/policy.ts";
import { compatReading } from "./compat-wire.ts";

const FILES_MAX = 2_000;
const BYTES_MAX = 64 * 1024 * 1024;
const DEPTH_MAX = 16;
const INDEX = "index.html";

const TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json; charset=utf-8",
    ".map": "application/json; charset=utf-8",
    ".webmanifest": "application/manifest+json; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".md": "text/plain; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".avif": "image/avif",
    ".ico": "image/x-icon",
    ".woff": "font/woff",
    ".woff2": "font/woff2",
    ".ttf": "font/ttf",
    ".otf": "font/otf",
    ".wasm": "application/wasm",
    ".mp3": "audio/mpeg",
    ".wav": "audio/wav",
    ".mp4": "video/mp4",
    ".webm": "video/webm",
  }),
);
/** Looked at as it is, never run. */
const OTHER_TYPE = "application/octet-stream";

/** Such pages bring styles and a first script in the document itself. They may talk to this port and to nobody else. */
const PAGE_POLICY = [
  "default-src 'self'",
  "script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "media-src 'self' data: blob:",
  "worker-src 'self' blob:",
  "object-src 'none'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

const landing: Policy = { ...compatReading, isLandingPage: true };

interface PageFile {
  /** From the directory, with slashes. */
  readonly name: string;
  readonly file: string;
}

/** Rejects when the directory has no page, or more than a page would. */
export async function readPageDirectory(directory: string): Promise<Route[]> {
  const root = await realpath(directory).catch(() => undefined);
  if (root === undefined || !(await stat(root)).isDirectory()) throw unusable(directory, "it is not a directory");
  const files: PageFile[] = [];
  await collect(root, "", files);
  if (!files.some(({ name }) => name === INDEX)) throw unusable(directory, `it has no ${INDEX}`);
  const routes: Route[] = [];
  let left = BYTES_MAX;
  for (const { name, file } of files) {
    const body = await readFile(file);
    left -= body.length;
    if (left < 0) throw unusable(directory, `its files are larger than ${BYTES_MAX} bytes in total`);
    routes.push(...routesOf(name, body));
  }
  return routes;

  /** Links count as what they lead to, as long as that is inside. */
  async function collect(current: string, prefix: string, into: PageFile[]): Promise<void> {
    if (prefix.split("/").length > DEPTH_MAX) throw unusable(directory, "it is nested too deeply");
    for (const entry of await readdir(current)) {
      const file = await realpath(join(current, entry)).catch(() => undefined);
      if (file === undefined || entry.startsWith(".") || !isWithin(root ?? "", file)) continue;
      const stats = await stat(file);
      // A link to a parent directory would recurse forever.
      if (stats.isDirectory() && isWithin(file, current)) continue;
      if (stats.isDirectory()) await collect(file, `${prefix}${entry}/`, into);
      else if (stats.isFile()) into.push({ name: prefix + entry, file });
      if (into.length > FILES_MAX) throw unusable(directory, `it has more than ${FILES_MAX} files`);
    }
  }
}

function routesOf(name: string, body: Buffer): Route[] {
  const contentType = TYPES.get(extname(name).toLowerCase()) ?? OTHER_TYPE;
  const isDocument = contentType.startsWith("text/html");
  const headers = { "content-type": contentType, "content-security-policy": PAGE_POLICY };
  // A type on its own: the pool behind a Buffer may be shared.
  const bytes = new Uint8Array(body);
  const handle = () => new Response(bytes, { headers });
  const policy = isDocument ? landing : compatReading;
  const paths = [pathOf(name), ...(name === INDEX ? ["/"] : [])];
  return paths.map((path) => ({ method: "GET", path, policy, handle }));
}

/** As a browser writes it. Marks that mean something to a router are spelled out. */
function pathOf(name: string): string {
  const segments = name.split("/").map((part) => encodeURIComponent(part).replaceAll("*", "%2A"));
  return `/${segments.join("/")}`;
}

function isWithin(root: string, file: string): boolean {
  const way = relative(root, file);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function unusable(directory: string, why: string): RoundtableError {
  return new RoundtableError("bad_command", `${directory} cannot be served as a page: ${why}.`, {
    hint: "Give the directory of the built page, with its index.html.",
  });
}
