/** The options of `serve --compat`; apart from what they lead to, so that the other commands do not load a server. */
import type { Command } from "commander";
import { collect, toNames, toPort } from "../option-values.ts";

export interface CompatFlags {
  compat?: string[];
  compatPort?: number;
  compatSession?: string[];
  compatOrigin?: string[];
  compatPage?: string;
}

export function addCompatOptions(serve: Command): void {
  serve
    .option("--compat <wires>", "open wires of other systems (001, 004) on a port without a token", toNames)
    .option("--compat-port <number>", "that port; a free one when absent", toPort)
    .option(
      "--compat-session <id>",
      "a session that may be reached there, by its id or a part of it, beside those made there; repeatable",
      collect,
    )
    .option("--compat-origin <url>", "a page of another address that may ask there; repeatable", collect)
    .option("--compat-page <dir>", "serve the other system's own page there, from this directory");
}
