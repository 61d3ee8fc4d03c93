/** Imported before any schema: compiled checks need eval, which the CSP forbids and reports. */
import * as z from "zod";

z.config({ jitless: true });
