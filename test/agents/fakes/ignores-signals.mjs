/** Deaf: heeds no interrupt, no SIGINT, no SIGTERM, and never answers. */
import { onTurn, say, stay } from "./speak.mjs";

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});
stay();
onTurn(() => say({ say: "I do not listen" }));
