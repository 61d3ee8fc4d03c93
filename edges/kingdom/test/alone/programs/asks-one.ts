/**
 * Puts a message for one member into a thread and waits, as kingdom's `council ask --to` does, without any other trace.
 * A line on stdin is the answer that it then writes; the end of stdin is its end.
 */
import { createInterface } from "node:readline";
import { writeAsKingdom } from "../kingdom-writer.ts";

const [dir = "", member = "", text = ""] = process.argv.slice(-3);
writeAsKingdom(dir, "king", member, text);
for await (const answer of createInterface({ input: process.stdin })) writeAsKingdom(dir, member, "king", answer);
