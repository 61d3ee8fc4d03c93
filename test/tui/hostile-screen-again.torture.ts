/** The other half in a process of its own, for the second core. */
import { tryMutations } from "./mutated-screens.ts";

tryMutations(1);
