/**
 * Writes a message for one member into a thread and waits, like kingdom's `council ask --to`, without another trace.
 * Writes each line of stdin as the answer, and exits at the end of stdin.
 */
import { createInterface } from "node:readline";
import { writeAsKingdom } from "../kingdom-writer.ts";

const [dir = "", member = "", text = ""] = process.argv.slice(-3);
writeAsKingdom(dir, "king", member, text);
for await (const answer of createInterface({ input: process.stdin })) writeAsKingdom(dir, member, "king", answer);
