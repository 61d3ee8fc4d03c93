/** Comes before every schema: compiled checks need eval, which this page forbids itself, and even asking for it is told on. */
import * as z from "zod";

z.config({ jitless: true });
