/** Options of `serve --compat`, in a file of their own so that other commands do not load the server. */
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
    .option("--compat <wires>", "open protocols of other systems (001, 004) on a port without a token", toNames)
    .option("--compat-port <number>", "that port (default: any free port)", toPort)
    .option("--compat-session <id>", "also expose this session there, by id or part of an id; repeatable", collect)
    .option("--compat-origin <url>", "allow requests from this origin; repeatable", collect)
    .option("--compat-page <dir>", "serve the other system's page from this directory");
}
