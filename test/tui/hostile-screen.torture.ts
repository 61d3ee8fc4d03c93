import { tryMutations } from "./mutated-screens.ts";

tryMutations(0);
